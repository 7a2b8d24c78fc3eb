"""What makes two candidates one.

Candidates of one session merge when scope, kind and polarity are equal and either slot and value
are (both known) or the normalised statement is. A merged candidate keeps the words of the first,
and its inclusion probability is that of the union of its routes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from labelling.sampling import union
from labelling.tables import claim_key, content_id
from labelling.tables.schemas import STRATA


@dataclass(frozen=True)
class Item:
    """A row of `candidates`, before or after merging."""

    session_id: str
    turn: int
    evidence: tuple[dict[str, Any], ...]
    quote: str
    statement: str
    kind: str | None = None
    scope: str | None = None
    slot: str | None = None
    value: str | None = None
    polarity: bool | None = None
    expires_at: datetime | None = None
    strata: tuple[str, ...] = ()
    inclusion_probability: float | None = 1.0
    round: int = 1
    proposal_ids: tuple[str, ...] = ()
    candidate_id: str = ""


def merge(items: Iterable[Item]) -> list[Item]:
    """One candidate for what is the same; the first one's words are kept, in order of appearance.

    Two candidates that have their ids already are never made one.
    """
    groups: list[list[Item]] = []
    home: dict[tuple[object, ...], int] = {}
    for item in items:
        target, *others = sorted({home.get(key, len(groups)) for key in identity_keys(item)})
        if target == len(groups):
            groups.append([])
        joined = [item]
        for other in others:
            if other < len(groups) and not any(one.candidate_id for one in groups[other]):
                joined += groups[other]
                groups[other] = []
        groups[target] += joined
        for key in (key for member in joined for key in identity_keys(member)):
            if not groups[home.setdefault(key, target)]:
                home[key] = target
    return [_merged(group) for group in groups if group]


def identity_keys(item: Item) -> set[tuple[object, ...]]:
    """The one or two keys under which two items are the same."""
    base = (item.session_id, item.scope, item.kind, item.polarity)
    said = claim_key(item.statement, None, None)
    return {(*base, *said), (*base, *claim_key(item.statement, item.slot, item.value))}


def _merged(group: list[Item]) -> Item:
    first = group[0]
    slotted = next((i for i in group if i.slot is not None and i.value is not None), first)
    strata = {stratum for item in group for stratum in item.strata}
    claim = claim_key(first.statement, slotted.slot, slotted.value)
    parts = (first.session_id, first.scope, first.kind, first.polarity, claim)
    return replace(
        first,
        slot=slotted.slot,
        value=slotted.value,
        expires_at=next((i.expires_at for i in group if i.expires_at), None),
        strata=tuple(stratum for stratum in STRATA if stratum in strata),
        inclusion_probability=_union_probability(group),
        proposal_ids=tuple(sorted({p for item in group for p in item.proposal_ids})),
        candidate_id=first.candidate_id or content_id(*parts),
    )


def _union_probability(group: list[Item]) -> float | None:
    """That of the union of the routes by which the candidate could have been found."""
    routes: dict[frozenset[str], float] = {}
    for item in group:
        if item.inclusion_probability is None:
            return None
        route = frozenset(item.strata)
        if not any(route <= known for known in routes):
            routes[route] = item.inclusion_probability
    return union(routes.values())
