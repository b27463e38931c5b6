"""Eight bytes an id: equal texts have equal ones, wherever they stand."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from audit.reading.fingerprints import fingerprints

TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=40)), max_size=30)


@given(TEXTS, st.integers(0, 5))
def test_a_fingerprint_hangs_on_the_text_alone(texts: list[str | None], begin: int) -> None:
    column = pa.array(texts, pa.string())
    for text, mark in zip(texts[begin:], fingerprints(column.slice(begin)).tolist(), strict=True):
        assert mark == fingerprints(pa.array([text], pa.string()))[0]


@given(st.lists(st.text(max_size=40), unique=True, max_size=30))
def test_different_texts_have_different_fingerprints(texts: list[str]) -> None:
    assert len(set(fingerprints(pa.array(texts, pa.string())).tolist())) == len(texts)
