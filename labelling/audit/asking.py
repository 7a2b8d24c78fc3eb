"""`audit_records` -> Argilla, and what people answered there -> rows of `audit_labels`.

An audit's records are in dataset `audit` of the study's workspace, each known by its candidate_id,
which holds for this audit alone.
"""

from contextlib import nullcontext

import polars as pl

from labelling import client
from labelling.answers import changes, labelled
from labelling.console import Outcome
from labelling.rounds.held import CANDIDATES, Found, Held
from labelling.rounds.refreshing import refresh
from labelling.rounds.rows import label_rows
from labelling.tables import (
    InputError,
    content_id,
    empty,
    exists,
    frame,
    read,
    writing,
)
from labelling.tables.people import remember
from labelling.tasks import Record, audit_record, audit_task

AUDIT = "audit"
"""The dataset of all audits of a study."""


@writing
def push(study: str, name: str | None = None) -> Outcome:
    """Send an audit's records (the latest's if none is named) to two people of the study.

    Raises InputError where there is no such audit, or Argilla does not answer.
    """
    records = read(study, "audit_records")
    audit = _chosen(study, records, name)
    mine = pl.col("audit") == audit
    asked = _records(study, records.filter(mine))
    # those of other audits stay; what an earlier draw of this one left behind goes
    kept = set(records.filter(~mine)["candidate_id"])
    with client.connect() as argilla:
        annotators = client.users(argilla, role="annotator")
        workspace = client.ensure_workspace(argilla, study, annotators)
        found = refresh(argilla, workspace, AUDIT, audit_task(), asked, keep=kept)
        people = ", ".join(sorted(annotators.values())) or "an annotator"
        return Outcome(
            f"Pushed audit {audit!r} of study {study!r} to Argilla",
            read={"audit_records": len(asked)},
            wrote={f"Argilla {study}/{AUDIT}": found.sent},
            text=f"  {found.answered} were answered before and stay" if found.answered else "",
            then=f"open {argilla.url}, sign in as {people}, label, then "
            f"`gates audit score --study {study}`",
            details={"audit": audit, **vars(found)},
        )


def answers(study: str, records: pl.DataFrame) -> pl.DataFrame:
    """Rows of `audit_labels`: what people answered in Argilla about drawn records.

    None where Argilla does not run here, or no audit was pushed to it.
    """
    with client.connect_if_running() or nullcontext() as argilla:
        workspace = client.workspace_id(argilla, study) if argilla else None
        if argilla is None or workspace is None:
            return empty("audit_labels")
        there = client.server_datasets(argilla, workspace).get(AUDIT)
        if there is None or there["status"] != "ready":
            return empty("audit_labels")
        accounts = client.users(argilla)
        held = Held(CANDIDATES, 1, labelled(argilla, there))
        told = tuple(one for one in changes(argilla, study) if one.server_dataset == AUDIT)
    known = remember(accounts)
    names = {known[user_id]: name for user_id, name in accounts.items()}
    given = frame("audit_labels", label_rows(Found((held,), told, names)))
    return given.join(records, on="candidate_id", how="semi", maintain_order="left")


def _records(study: str, drawn: pl.DataFrame) -> list[Record]:
    """In the order of a hash, which tells nothing; a store may have no transcripts."""
    turns = read(study, "turns") if exists(study, "turns") else empty("turns")
    wanted = turns.join(drawn, on="session_id", how="semi").sort("session_id", "turn")
    sessions = wanted.partition_by("session_id", as_dict=True)
    rows = sorted(drawn.iter_rows(named=True), key=lambda row: content_id(row["candidate_id"]))
    none = empty("turns")
    return [audit_record(row, sessions.get((row["session_id"],), none).to_dicts()) for row in rows]


def _chosen(study: str, records: pl.DataFrame, name: str | None) -> str:
    there = records.sort("drawn_at", "audit")["audit"].unique(maintain_order=True).to_list()
    if not there or name not in (None, *there):
        raise InputError(
            f"study {study!r} has drawn no {'record' if name is None else f'audit {name!r}'}",
            expected=f"one of: {', '.join(there)}" if there else "",
            then=f"run `gates audit draw --study {study}`",
        )
    return name or str(there[-1])
