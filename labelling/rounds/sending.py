"""`candidates` -> Argilla: the open round, for every annotator there is."""

import polars as pl

from labelling import client
from labelling.candidates import refuse_complete
from labelling.console import Outcome, warn_if_stale
from labelling.rounds.held import CANDIDATES, name_of
from labelling.tables import InputError, content_id, read, table_path, writing
from labelling.tasks import Record, candidates_task, record


@writing
def push(study: str) -> Outcome:
    """Send the latest round's candidates to Argilla, where every annotator may label them.

    Raises InputError when the study has no candidates or Argilla does not answer.
    """
    refuse_complete(study, "pushed to")
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    round_ = int(candidates["round"].max() or 1)  # type: ignore[arg-type]
    records = _records(study, candidates.filter(pl.col("round") == round_))
    with client.connect() as argilla:
        annotators = client.users(argilla, role="annotator")
        workspace = client.ensure_workspace(argilla, study, annotators)
        name = name_of(CANDIDATES, round_)
        dataset_id = client.ensure_server_dataset(argilla, workspace, name, candidates_task())
        client.upsert_records(argilla, dataset_id, records)
        return Outcome(
            f"Pushed round {round_} of study {study!r} to Argilla",
            read={"candidates": candidates.height},
            wrote={f"Argilla {study}/{name}": len(records)},
            then=_sign_in(argilla.url, sorted(annotators.values()), study),
        )


def _records(study: str, candidates: pl.DataFrame) -> list[Record]:
    """Records in the order of a hash, so that their order tells nothing."""
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
    people = " and ".join(annotators) or "an annotator (`gates accounts add` makes one)"
    return (
        f"open {url}, sign in as {people} (passwords in {client.accounts_file()}), "
        f"label, then `gates pull --study {study}`"
    )
