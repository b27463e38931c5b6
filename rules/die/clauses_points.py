"""Règles du Die: point, tink, short die, blocked die, catch above the table, FIFA. What a toss is worth (``table``).

One finding a toss: wrong points stand under the most specific rule of the line of the table that decides them.
"""

from __future__ import annotations

from rules.die.toss import READ, Toss
from rules.kit import VIOLATION, Rule, Verdict, rule
from rules.truth import Truth

TEAMS = ("team_a", "team_b")
FLIGHT = ("thrower", "path", *TEAMS)
CATCH = (*FLIGHT, "catch_by", "catch_how")
OTHERS = READ


@rule("DIE-05", "Point", VIOLATION, needs=FLIGHT, reads=OTHERS)
def plain_point(toss: Toss) -> Verdict:
    """A toss off the far half that nobody catches before the ground is 1 point for the thrower's team."""
    return toss.points("DIE-05")


@rule("DIE-06", "Point", VIOLATION, needs=FLIGHT, reads=OTHERS)
def back_over_own_half(toss: Toss) -> Verdict:
    """Once the far half was touched the die may bounce anywhere; if it falls to the ground it is a point."""
    return toss.points("DIE-06")


@rule("DIE-07", "Point", VIOLATION, needs=CATCH, reads=OTHERS)
def caught_in_one_hand(toss: Toss) -> Verdict:
    """A die that a defender catches in one hand before the ground is no point."""
    return toss.points("DIE-07")


@rule("DIE-08", "Point", VIOLATION, needs=CATCH, reads=OTHERS)
def two_hands_or_body(toss: Toss) -> Verdict:
    """A die that is caught with two hands or held with the body is a point for the thrower's team."""
    return toss.points("DIE-08")


@rule("DIE-09", "Tink", VIOLATION, needs=FLIGHT, reads=OTHERS)
def tink(toss: Toss) -> Verdict:
    """A die that strikes a far glass and falls is 2 points in all."""
    return toss.points("DIE-09")


@rule("DIE-10", "Tink", VIOLATION, needs=FLIGHT, reads=OTHERS)
def own_glass(toss: Toss) -> Verdict:
    """A glass on the throwing side is no tink."""
    return toss.points("DIE-10")


@rule("DIE-11", "Sink", VIOLATION, needs=FLIGHT, reads=(*OTHERS, "winner"))
def sink(toss: Toss) -> Verdict:
    """A die that enters a glass ends the game, for the team whose glass it is not, and is worth no points."""
    mine = toss.judged_under("DIE-11")
    ends = {"no_end": mine & toss.fact("sink_no_end"), "other_team": mine & toss.fact("sink_other")}
    return toss.points("DIE-11", ends, mine & toss.fact("sink"))


@rule("DIE-14", "Lancer trop bas", VIOLATION, needs=("height", *FLIGHT), reads=OTHERS)
def low_toss(toss: Toss) -> Verdict:
    """A toss that was ruled low gives the thrower's team nothing."""
    return toss.points("DIE-14", {"end": toss.fact("low_end")})


@rule("DIE-15", "Lancer trop bas", VIOLATION, needs=("challenge",), reads=("thrower", *OTHERS))
def contested_toss(toss: Toss) -> Verdict:
    """A team may contest a throw once; the throw then counts for nothing, and the same player throws again."""
    further = {
        "end": toss.fact("contested_end"),
        "none_left": toss.fact("none_left"),
        "other_player": toss.fact("other_again"),
    }
    asked = (toss.fact("contest_made") | toss.fact("again")).surely
    return toss.points("DIE-15", further, asked)


@rule("DIE-16", "Dé court", VIOLATION, needs=FLIGHT, reads=(*OTHERS,))
def short_die(toss: Toss) -> Verdict:
    """A die that lands on the thrower's side is worth 1 to the defence if it catches it, and else nothing."""
    return toss.points("DIE-16")


@rule("DIE-17", "Dé court", VIOLATION, needs=FLIGHT, reads=(*OTHERS, "winner"))
def self_tink_and_self_sink(toss: Toss) -> Verdict:
    """A short die off the thrower's own glass is worth 2 if caught; one that goes into it wins the defence the game."""
    mine = toss.judged_under("DIE-17")
    ends = {"no_end": mine & toss.fact("sink_no_end"), "other_team": mine & toss.fact("sink_other")}
    return toss.points("DIE-17", ends, mine & toss.fact("sink"))


@rule("DIE-18", "Dé bloqué", VIOLATION, needs=CATCH, reads=OTHERS)
def blocked_die(toss: Toss) -> Verdict:
    """A die brought to rest by pressure against body or object is a point for the thrower's team."""
    return toss.points("DIE-18")


@rule("DIE-19", "Attraper au-dessus de la table", VIOLATION, needs=("over_table", *CATCH), reads=OTHERS)
def catch_above_table(toss: Toss) -> Verdict:
    """A catch above the table is none."""
    return toss.points("DIE-19")


@rule("DIE-20", "Règle maison (FIFA)", VIOLATION, needs=FLIGHT, reads=OTHERS)
def air_ball_only(toss: Toss) -> Verdict:
    """A FIFA is played by the defence, off an air ball."""
    return toss.points("DIE-20")


@rule("DIE-21", "Règle maison (FIFA)", VIOLATION, needs=("fifa", *CATCH), reads=OTHERS)
def full_exchange(toss: Toss) -> Verdict:
    """A FIFA takes a full exchange of 2 passes before a legal catch, and is worth 2."""
    return toss.points("DIE-21")


@rule("DIE-22", "Règle maison (FIFA)", VIOLATION, needs=("fifa", *FLIGHT), reads=OTHERS)
def soccer_parts(toss: Toss) -> Verdict:
    """The exchange of a FIFA uses only parts of the body that are legal in football."""
    return toss.points("DIE-22")


def brink(toss: Toss) -> Verdict:
    """Points of a FIFA that would win the game."""
    open_ = toss.fact("brink_open")
    return Verdict(open_, Truth.constant(toss.batch.size, False).unless_unknown(open_), toss.details, listed=open_)


@rule("DIE-13", "Sink (fin de la partie)", VIOLATION, needs=("winner",), reads=OTHERS, also=(brink,))
def won_on_fifa(toss: Toss) -> Verdict:
    """A game cannot be won on a FIFA."""
    return toss.points("DIE-13", {"end": toss.fact("fifa_end")}, toss.fact("fifa"))


RULES: tuple[Rule, ...] = (
    plain_point,
    back_over_own_half,
    caught_in_one_hand,
    two_hands_or_body,
    tink,
    own_glass,
    sink,
    won_on_fifa,
    low_toss,
    contested_toss,
    short_die,
    self_tink_and_self_sink,
    blocked_die,
    catch_above_table,
    air_ball_only,
    full_exchange,
    soccer_parts,
)
