"""`candidates` -> Argilla: the open round, its pilot, and sessions to be read whole.

A round's dataset has a record per candidate. Once somebody has answered, the next `push` adds a
second one, `<candidate_id>.again`, for a share of the answered ones: whoever labels the round
answers those twice, which is what self-agreement is measured on. What is in a pilot or shown again
is decided by a hash of the candidate's id: always the same.
"""

from dataclasses import replace

import polars as pl

from labelling import client
from labelling.answers import labelled
from labelling.candidates import refuse_complete
from labelling.console import Outcome, warn_if_stale
from labelling.practice import PRACTICE, practice_records, practice_task
from labelling.rounds import readings
from labelling.rounds.held import AGAIN, CANDIDATES, PILOT, name_of
from labelling.tables import InputError, content_id, read, table_path, writing
from labelling.tasks import Record, candidates_task, record

SHOWN_AGAIN = 0.05
"""The share of answered candidates that get a second record, where nobody says otherwise."""


@writing
def push(study: str, *, pilot: int | None = None, again: float = SHOWN_AGAIN) -> Outcome:
    """Send the latest round's candidates to Argilla, where every annotator may label them.

    `pilot`: only so many of them, to the round's pilot, whose answers never count. `again`: the
    share, 0 to 1, of the answered ones that gets a second record; those that have one keep it.
    Raises InputError when the study has no candidates, Argilla does not answer, or a number is out
    of its range.
    """
    _refuse_out_of_range(pilot, again)
    refuse_complete(study, "pushed to")
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    round_ = int(candidates["round"].max() or 1)  # type: ignore[arg-type]
    open_ = candidates.filter(pl.col("round") == round_)
    records = candidate_records(study, open_ if pilot is None else _pilot(open_, pilot))
    with client.connect() as argilla:
        annotators = client.users(argilla, role="annotator")
        workspace = client.ensure_workspace(argilla, study, annotators)
        name = name_of(CANDIDATES if pilot is None else PILOT, round_)
        _offer_practice(argilla, workspace)
        dataset_id = client.ensure_server_dataset(argilla, workspace, name, candidates_task())
        answered = set() if pilot is not None or not again else _answered(argilla, dataset_id)
        second = _again([one for one in records if one.external_id in answered], again)
        client.upsert_records(argilla, dataset_id, [*records, *second])
        sessions = {} if pilot is not None else readings.send(argilla, workspace, study)
        return Outcome(
            f"Pushed {'' if pilot is None else 'the pilot of '}round {round_} of study {study!r} "
            "to Argilla",
            read={"candidates": candidates.height},
            wrote={f"Argilla {study}/{name}": len(records) + len(second), **sessions},
            then=_sign_in(argilla.url, sorted(annotators.values()), study),
            details={"candidates": len(records), "shown_again": len(second)},
            text=f"  {len(second)} of the candidates are there twice, to see whether a person "
            "answers the same again"
            if second
            else "",
        )


def _offer_practice(argilla: client.Argilla, workspace: str) -> None:
    """Once a workspace; what lies there afterwards stays as it is."""
    there = client.server_datasets(argilla, workspace).get(PRACTICE)
    if there is None or there["status"] != "ready":
        practice = client.ensure_server_dataset(argilla, workspace, PRACTICE, practice_task())
        client.upsert_records(argilla, practice, practice_records())


def _refuse_out_of_range(pilot: int | None, again: float) -> None:
    if pilot is not None and pilot < 1:
        raise InputError(f"--pilot is {pilot}", expected="a number of candidates, from 1")
    if not 0 <= again <= 1:
        raise InputError(f"--again is {again}", expected="a share, 0 to 1 (0.05 is one in twenty)")


def _pilot(candidates: pl.DataFrame, n: int) -> pl.DataFrame:
    """The n candidates with the smallest hashes."""
    ids = sorted(candidates["candidate_id"], key=lambda one: content_id("pilot", one))[:n]
    return candidates.filter(pl.col("candidate_id").is_in(ids))


def _answered(argilla: client.Argilla, dataset_id: str) -> set[str]:
    """Candidates that somebody submitted an answer to."""
    found = labelled(argilla, {"id": dataset_id, "guidelines": ""}).responses
    return {one.candidate_id for one in found if one.status == "submitted"}


def _again(records: list[Record], share: float) -> list[Record]:
    """Second records of those whose hash is below the share."""
    return [
        replace(one, external_id=f"{one.external_id}{AGAIN}")
        for one in records
        if int(content_id("again", one.external_id), 16) / 2**64 < share
    ]


def candidate_records(study: str, candidates: pl.DataFrame) -> list[Record]:
    """Candidates beside their conversations, in the order of a hash, which tells nothing."""
    turns = read(study, "turns").sort("session_id", "turn")
    _refuse_gone(study, candidates, turns)
    wanted = turns.join(candidates, on="session_id", how="semi", maintain_order="left")
    sessions = wanted.partition_by("session_id", as_dict=True)
    rows = sorted(candidates.iter_rows(named=True), key=lambda row: content_id(row["candidate_id"]))
    return [record(row, sessions[(row["session_id"],)].to_dicts()) for row in rows]


def _refuse_gone(study: str, candidates: pl.DataFrame, turns: pl.DataFrame) -> None:
    rests = candidates.select("session_id", "turn")
    gone = rests.join(turns, on=["session_id", "turn"], how="anti").sort("session_id", "turn")
    for session_id, turn in gone.head(1).iter_rows():
        raise InputError(
            f"{gone.height} candidates rest on turns that are gone, "
            f"the first on turn {turn} of session {session_id!r}",
            expected="candidates made from the transcripts as they are",
            then=f"ingest that session again, or move {table_path(study, 'candidates')} away and "
            f"run `gates pool --study {study}`",
        )


def _sign_in(url: str, annotators: list[str], study: str) -> str:
    people = ", ".join(annotators) or "an annotator (`gates accounts add` makes one)"
    return (
        f"open {url}, sign in as {people} (passwords in {client.accounts_file()}), "
        f"label (whoever is new: dataset {PRACTICE!r} first), then `gates pull --study {study}`"
    )
