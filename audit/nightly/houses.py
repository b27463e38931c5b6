"""By which profile the days of a site are audited: the house's own figures, the rules that it takes more gravely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from audit.errors import UsageError
from audit.nightly.config import Inbox
from audit.reading.profile import Profile
from rules.kit import Pack


def check_houses(inboxes: Sequence[Inbox], profiles: Sequence[Profile]) -> None:
    """A day of a site is audited once, whatever inboxes its logs come by: they must not differ in what bears on that.

    Raises UsageError.
    """
    for (one, first), (two, second) in combinations(zip(inboxes, profiles, strict=True), 2):
        packs = {one.pack or first.pack, two.pack or second.pack} - {""}
        if len(packs) == 2 or first.site != second.site:
            continue
        differs = [
            key
            for key, mine, theirs in (
                ("[house]", first.house, second.house),
                ("[dispositions]", first.dispositions, second.dispositions),
                ("gaming_day_starts", first.gaming_day_starts, second.gaming_day_starts),
            )
            if mine != theirs
        ]
        if differs:
            site = f"site {first.site}" if first.site else "no site"
            raise UsageError(
                f"the [[inbox]] {one.files} and {two.files} are both of {site}, and differ in {', '.join(differs)}: "
                "name the site of each, or let both have one profile"
            )


def house_of(inboxes: Sequence[Inbox], profiles: Sequence[Profile], pack: Pack, site: str) -> Profile:
    """The profile of a site's inbox; of a site that has none, that of the inboxes without site.

    Where there are none either, that of the pack's inboxes, if they agree: what one house has said of itself does not
    hold for another.
    """
    of_pack = [
        profile
        for inbox, profile in zip(inboxes, profiles, strict=True)
        if (inbox.pack or profile.pack or pack.name) == pack.name
    ]
    for named in (site, ""):
        own = [profile for profile in of_pack if profile.site == named]
        if own:
            return own[0]
    alike = all((p.house, p.dispositions) == (of_pack[0].house, of_pack[0].dispositions) for p in of_pack)
    return replace(of_pack[0], site="") if of_pack and alike else Profile()
