"""A person leaves the studies: under a pseudonym with the answers kept, or with all of them.

What somebody is called in a study's tables is a pseudonym, or, where an older version wrote them,
the account's name; a study that came with its labels or is simulated has annotators of its own.
"""

from collections.abc import Collection
from dataclasses import dataclass

from labelling.candidates import is_complete
from labelling.tables import InputError, exists, locked, read, simulated, studies
from labelling.tables.decisions import decisions
from labelling.tables.strike import Struck, called, rename, strike, unlist


@dataclass(frozen=True)
class Withdrawn:
    """What a study lost; `reopened` candidates had two decisions or more and now have fewer."""

    study: str
    struck: Struck
    reopened: int


def refuse_named(name: str, aliases: Collection[str]) -> None:
    """Raise InputError where a study calls somebody by name and the pseudonym is not known."""
    for study in () if aliases else _with_own_people():
        if called(study, [name]):
            raise InputError(
                f"study {study!r} calls {name!r} by that name, whose pseudonym is not known yet",
                then="run `gates up --detach`, then this command again",
            )


def hide(name: str, aliases: Collection[str]) -> None:
    """Let the studies call somebody by the pseudonym alone."""
    for study in studies():
        with locked(study):
            unlist(study, [name])
    for alias in list(aliases)[:1]:
        for study in _with_own_people():
            with locked(study):
                rename(study, name, alias)


def erase(name: str, aliases: Collection[str]) -> list[Withdrawn]:
    """Take somebody's answers out of every study; the studies that lost any."""
    own = set(_with_own_people())
    done = []
    for study in studies():
        with locked(study):
            one = _erase(study, {*aliases, name} if study in own else set(aliases))
            one.struck.removed.extend(unlist(study, [name]))
            done.append(one)
    return [one for one in done if one.struck.rows or one.struck.removed]


def _erase(study: str, names: Collection[str]) -> Withdrawn:
    before = _judged(study)
    struck = strike(study, names)
    return Withdrawn(study, struck, len(before - _judged(study)))


def _judged(study: str) -> set[str]:
    """Candidates with at least two complete answers."""
    if not (exists(study, "labels") and exists(study, "candidates")):
        return set()
    found = decisions(read(study, "labels"), read(study, "candidates"))
    return set(found.filter(found["annotators"] >= 2)["candidate_id"])


def _with_own_people() -> list[str]:
    """Studies whose annotators have accounts."""
    return [study for study in studies() if not (is_complete(study) or simulated(study))]
