"""Small studies that are scored: candidates with what was decided, and what gates wrote of them."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from analysis.score import Scored, evaluated
from analysis.slices import Slice
from labelling.reference import reference_facts
from tests.studies import REJECT, WRITE, Row, rows, said, talk, votes

VOTES = {"accepted": (WRITE, WRITE), "rejected": (REJECT, REJECT), "disputed": (WRITE, REJECT)}
SPOKEN = [text for n in range(10) for text in (f"Sentence {n} of mine.", "I see.")]


def study(
    cards: Iterable[Mapping[str, Any]],
    records: Iterable[Mapping[str, Any]],
    sessions: Iterable[Mapping[str, Any]] = ({},),
    **more: Iterable[Mapping[str, Any]],
) -> dict[str, pl.DataFrame]:
    """The tables of a study of sessions of ten user turns each.

    A card is a candidate with `decision`; a record a proposal with `card`, the number of the
    candidate that it became. Statements differ where they are not given.
    """
    cards, records, sessions = list(cards), list(records), list(sessions)
    proposals = [_proposal(n, record, cards) for n, record in enumerate(records)]
    candidates = [_candidate(n, card, records) for n, card in enumerate(cards)]
    answers = [VOTES.get(card["decision"], ()) for card in cards]
    people = rows("sessions", *sessions)
    gates = {(p.get("gate", "x"), p.get("setting", "default")) for p in proposals} or {
        ("x", "default")
    }
    turns = [turn for s in people["session_id"] for turn in talk(*SPOKEN, session_id=s)]
    ran = [
        {"gate": gate, "setting": setting, "session_id": s}
        for gate, setting in sorted(gates)
        for s in people["session_id"]
    ]
    labels = [one for n, given in enumerate(answers) for one in votes(f"c{n}", *given)]
    found = {
        "sessions": people,
        "turns": rows("turns", *turns),
        "proposals": rows("proposals", *proposals),
        "gate_turns": rows("gate_turns", *more.pop("gate_turns", ran)),
        "candidates": rows("candidates", *candidates),
        "labels": rows("labels", *labels, *more.pop("labels", ())),
        **{name: rows(name, *more.get(name, ())) for name in ("events", "links")},
    }
    facts = reference_facts(found["labels"], found["candidates"], people)
    return {**found, "reference_facts": facts}


def scored(*parts: Any, **more: Any) -> Scored:
    """A study, scored on all its users."""
    return evaluated(study(*parts, **more), "all")


def slices(*parts: Any, variant: str = "headline", **more: Any) -> list[Slice]:
    """Every gate of a study in one variant."""
    found = scored(*parts, **more)
    view = next(view for view in found.views if view.variant == variant)
    return list(found.slices(view))


def _candidate(number: int, card: Mapping[str, Any], records: list[Mapping[str, Any]]) -> Row:
    mine = [f"p{n}" for n, record in enumerate(records) if record["card"] == number]
    given = {k: v for k, v in card.items() if k != "decision"}
    words = {"candidate_id": f"c{number}", "statement": f"Candidate {number}."}
    return {**words, "proposal_ids": mine, **given}


def _proposal(number: int, record: Mapping[str, Any], cards: list[Mapping[str, Any]]) -> Row:
    card = cards[record["card"]] if record["card"] is not None else {}
    shared = {k: card[k] for k in ("session_id", "slot", "value", "scope") if k in card}
    given = {k: v for k, v in record.items() if k != "card"}
    turn = given.get("turn", 0)
    evidence = said(turn, SPOKEN[turn], SPOKEN[turn])
    words = {"proposal_id": f"p{number}", "statement": f"Proposal {number}.", "evidence": evidence}
    return {**words, **shared, **given}
