"""The pipeline: read, place, audit, write."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

#: What Arrow looks for whenever it makes an array or a type, and does without.
_ABSENT = tuple(name for name in ("pandas", "dateutil") if find_spec(name) is None)


class _Absent:
    """Says at once that these are not there, so that the disk is not searched each time."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if name in _ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, _Absent)
if "dateutil" in _ABSENT:  # asked for at every value that becomes a scalar or a column: the quickest no
    sys.modules["dateutil.relativedelta"] = None  # type: ignore[assignment]

#: NumPy starts a thread a processor for linear algebra, of which there is none here: that costs each start its time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
#: And it asks for pages of two megabytes, which the system clears each time: too much for columns that soon go again.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

try:
    __version__ = version("throwaudit")
except PackageNotFoundError:  # the sources without an installation
    __version__ = "0+unknown"
