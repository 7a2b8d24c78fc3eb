"""Sessions to be read whole -> Argilla's dataset `transcripts`; what is marked there -> turns.

What people marked lies in the text they saw. A session that changed after somebody answered keeps
that text in Argilla, and its readings count no more: nobody has read what it is now.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from labelling import client
from labelling.answers import Change, labelled
from labelling.client import Argilla
from labelling.console import amount, warn
from labelling.reading import Page, drawn_sessions, page, passages
from labelling.rounds.held import TRANSCRIPTS, Found, Held, place_of
from labelling.tables import content_id, read
from labelling.tables.marks import MARKED
from labelling.tasks import Record, session_record, transcripts_task


def send(argilla: Argilla, workspace: str, study: str) -> dict[str, int]:
    """Send the study's drawn sessions; dataset -> records, nothing where none are drawn."""
    turns = read(study, "turns")
    records = _records(turns, drawn_sessions(study, turns))
    if not records:
        return {}
    dataset_id = client.ensure_server_dataset(argilla, workspace, TRANSCRIPTS, transcripts_task())
    there = labelled(argilla, client.server_datasets(argilla, workspace)[TRANSCRIPTS])
    answered = {response.candidate_id for response in there.responses}
    old = [
        one.external_id
        for one in records
        if one.external_id in answered and there.texts[one.external_id] not in one.fields.values()
    ]
    if old:
        warn(
            f"{amount(len(old), 'session')} changed after somebody answered, the first {old[0]!r}: "
            "Argilla keeps what was read, and the readings count no more"
        )
    sent = [one for one in records if one.external_id not in old]
    client.upsert_records(argilla, dataset_id, sent)
    return {f"Argilla {study}/{TRANSCRIPTS}": len(sent)}


def _records(turns: pl.DataFrame, sessions: list[str]) -> list[Record]:
    """In the order of a hash, which tells nothing."""
    rows = turns.filter(pl.col("session_id").is_in(sessions)).sort("session_id", "turn")
    by_id = {str(key[0]): one for key, one in rows.partition_by("session_id", as_dict=True).items()}
    in_order = sorted(sessions, key=lambda one: content_id("reading", one))
    return [session_record(session, by_id[session].to_dicts()) for session in in_order]


@dataclass(frozen=True)
class _Session:
    """A session as it is now: its page, and its rows of `turns`."""

    page: Page
    turns: list[dict[str, Any]]

    def marked(self, answer: str) -> str:
        """What Argilla has of an answer, as `labels` has it."""
        return json.dumps(passages(self.page, self.turns, json.loads(answer)))


Sessions = Mapping[str, _Session]


def placed(study: str, found: Found) -> Found:
    """What Argilla holds, with marks as places in turns; readings of what changed are left out."""
    readings = found.rounds(TRANSCRIPTS)
    if not readings:
        return found
    texts = {id_: text for one in readings.values() for id_, text in one.texts.items()}
    same = _unchanged(read(study, "turns"), texts)
    left = {r.candidate_id for one in readings.values() for r in one.responses} - same.keys()
    if left:
        warn(
            f"{amount(len(left), 'session')} changed after somebody read, the first {min(left)!r}: "
            "the readings are left out"
        )
    return replace(
        found,
        held=tuple(_placed(one, same) for one in found.held),
        changes=tuple(_placed_change(one, same) for one in found.changes),
    )


def _unchanged(turns: pl.DataFrame, texts: Mapping[str, str]) -> dict[str, _Session]:
    """The sessions that are still as Argilla shows them."""
    rows = turns.filter(pl.col("session_id").is_in(list(texts))).sort("session_id", "turn")
    now = {
        str(key[0]): one.to_dicts()
        for key, one in rows.partition_by("session_id", as_dict=True).items()
    }
    sessions = {id_: _Session(page(said), said) for id_, said in now.items()}
    return {id_: one for id_, one in sessions.items() if one.page.text == texts[id_]}


def _placed(held: Held, same: Sessions) -> Held:
    if held.task != TRANSCRIPTS:
        return held
    responses = tuple(
        replace(one, answers=_answers(one.answers, same[one.candidate_id]))
        for one in held.labelled.responses
        if one.candidate_id in same
    )
    return replace(held, labelled=replace(held.labelled, responses=responses))


def _placed_change(change: Change, same: Sessions) -> Change:
    """Of a session that changed since, a change stays as Argilla told it: places in its text."""
    place, session = place_of(change.server_dataset), same.get(change.candidate_id)
    if not place or place[0] != TRANSCRIPTS or session is None:
        return change
    before, now = (_answers(one, session) for one in (change.answers_before, change.answers))
    return replace(change, answers_before=before, answers=now)


def _answers(answers: Mapping[str, str], session: _Session) -> dict[str, str]:
    return {
        question: session.marked(answer) if question == MARKED else answer
        for question, answer in answers.items()
    }
