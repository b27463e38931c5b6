"""Rule pack ``three-dice-football``: 58 Pa. Code § 661a.5, with the dice rules of § 661a.4."""

from rules.catalogue import Catalogue
from rules.kit import Pack
from rules.numbers import Numbers
from rules.options import Option
from rules.sampling import Sampler
from rules.three_dice_football import clauses_a_to_d, clauses_e_to_g, clauses_h_and_dice
from rules.three_dice_football.columns import COLUMNS, CRITICAL, DICE, ROLES, RULINGS
from rules.three_dice_football.facts import CALLED_FOR, CONTRADICTIONS, Throw, carried, open_blanks
from rules.three_dice_football.seen import DRAWN, seen
from rules.three_dice_football.sequence import sequence


def _sampler() -> Sampler:
    from rules.three_dice_football.sampling import sample

    return sample


PACK = Pack(
    name="three-dice-football",
    edition="2026.1",
    columns=COLUMNS,
    roles=ROLES,
    parts=DICE,
    rules=clauses_a_to_d.RULES + clauses_e_to_g.RULES + clauses_h_and_dice.RULES,
    catalogue=Catalogue(__name__),
    numbers=Numbers(__name__),
    view=Throw,
    carried=carried,
    sequence=sequence,
    open_blanks=open_blanks,
    called_for=lambda throw: throw.called_for,
    rulings=RULINGS,
    rulings_called_for=CALLED_FOR,
    contradictions=CONTRADICTIONS,
    critical=CRITICAL,
    sampler=_sampler,
    options=(Option("call_within_seconds", "call_within_seconds"),),
    seen=seen,
    drawn=DRAWN,
)

__all__ = ["PACK"]
