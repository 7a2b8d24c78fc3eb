"""A labelling round there and back: `candidates` -> Argilla -> `labels`.

Argilla's workspace is the study, its dataset `candidates-r<round>`. Both directions can be stopped
at any point and run again: a record is found by its candidate_id, and a table is written whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from labelling import client
from labelling.answers import Change, Labelled, Response, changes, labelled
from labelling.candidates import refuse_complete
from labelling.client import Argilla
from labelling.console import Outcome, warn, warn_if_stale
from labelling.tables import (
    InputError,
    content_id,
    exists,
    frame,
    named_people,
    read,
    table_path,
    write,
    writing,
)
from labelling.tables.people import remember
from labelling.tasks import TASK, Record, candidates_task, guidelines_version, record

_ROUND = re.compile(r"candidates-r([1-9][0-9]*)")
_RESPONSE = ["candidate_id", "annotator"]
_KEY = [*_RESPONSE, "question", "occasion"]
_TOLD = [
    *("response_id", "change", "candidate_id", "annotator", "action", "status_before", "status"),
    *("changed_at", "seconds", "guidelines_version"),
]


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
        name = f"candidates-r{round_}"
        dataset_id = client.ensure_server_dataset(argilla, workspace, name, candidates_task())
        client.upsert_records(argilla, dataset_id, records)
        return Outcome(
            f"Pushed round {round_} of study {study!r} to Argilla",
            read={"candidates": candidates.height},
            wrote={f"Argilla {study}/{name}": len(records)},
            then=_sign_in(argilla.url, sorted(annotators.values()), study),
        )


@writing
def pull(study: str) -> Outcome:
    """Write `labels`: every answer in Argilla, a row each; other rows stay as they were.

    Beside it `response_history`: how every answer came to be what it is.

    So do those of answers that Argilla holds no longer, with a warning: a server can lose what
    people did, and this table may then be all there is of it. Raises InputError for the study that
    came with its labels, and when there is nothing to pull.
    """
    refuse_complete(study, "pulled into")
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    found = _labelled(study, history=True)
    rounds = found.rounds
    before = _under_pseudonyms(study, found.names)
    answers = frame("labels", _label_rows(found))
    asked = before.filter(_asked_in_argilla())
    _say_gone(asked.join(answers, on=_RESPONSE, how="anti"))
    replaced = asked.join(answers, on=_RESPONSE, how="semi")
    table = pl.concat([before.join(replaced, on=_KEY, how="anti"), answers])
    rows = write(study, "labels", table.sort(_KEY), made_from=("candidates",))
    told = _keep_history(study, found.changes)
    counts = _counts(found, candidates)
    return Outcome(
        f"Pulled the answers of study {study!r} from Argilla",
        read={
            f"Argilla {study}/candidates-r{number}": len(rounds[number].candidate_ids)
            for number in rounds
        },
        wrote={"labels": rows, **told},
        then=f"gates reference --study {study}",
        details=counts,
        text=_in_words(counts),
    )


def _keep_history(study: str, changes: Iterable[Change]) -> dict[str, int]:
    """Write `response_history`, where the server tells any; what it lost stays."""
    table = frame("response_history", _history_rows(changes))
    if table.is_empty():
        return {}
    if exists(study, "response_history"):
        before = read(study, "response_history")
        table = pl.concat([before.join(table, on="response_id", how="anti"), table])
    table = table.sort("changed_at", "response_id", "change")
    return {"response_history": write(study, "response_history", table)}


def _history_rows(changes: Iterable[Change]) -> Iterator[dict[str, Any]]:
    for change in changes:
        if found := _ROUND.fullmatch(change.server_dataset):
            row = {name: getattr(change, name) for name in _TOLD}
            before, now = _structs(change.answers_before), _structs(change.answers)
            yield {**row, "answers_before": before, "answers": now, "round": int(found[1])}


def _structs(answers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"question": question, "answer": answer} for question, answer in answers.items()]


@writing
def adopt(study: str, labels: pl.DataFrame) -> int:
    """Write labels that come with a study instead of out of Argilla."""
    return write(study, "labels", labels, made_from=("candidates",))


def status(study: str) -> Outcome:
    """How far the annotators are; writes nothing."""
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    counts = _counts(_labelled(study, history=False), candidates)
    return Outcome(
        f"Answers in Argilla for study {study!r}",
        then=f"gates pull --study {study}",
        details=counts,
        text=_in_words(counts),
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


@dataclass(frozen=True)
class _Found:
    """What Argilla holds of a study: its rounds in order, the changes, pseudonym -> account."""

    rounds: dict[int, Labelled]
    changes: tuple[Change, ...]
    names: dict[str, str]


def _labelled(study: str, *, history: bool) -> _Found:
    with client.connect() as argilla:
        accounts = client.users(argilla)
        rounds = {
            int(found[1]): labelled(argilla, dataset)
            for name, dataset in sorted(_published(argilla, study).items())
            if (found := _ROUND.fullmatch(name))
        }
        told = tuple(changes(argilla, study)) if history else ()
    if not rounds:
        raise InputError(
            f"Argilla has no candidates of study {study!r} yet",
            then=f"run `gates push --study {study}`",
        )
    known = remember(accounts)
    names = {known[user_id]: name for user_id, name in accounts.items()}
    return _Found(dict(sorted(rounds.items())), told, names)


def _published(argilla: Argilla, study: str) -> dict[str, dict[str, Any]]:
    workspace = client.workspace_id(argilla, study)
    found = client.server_datasets(argilla, workspace) if workspace else {}
    return {name: dataset for name, dataset in found.items() if dataset["status"] == "ready"}


def _under_pseudonyms(study: str, names: Mapping[str, str]) -> pl.DataFrame:
    """The labels there are; an older version wrote the names of accounts."""
    if not exists(study, "labels"):
        return frame("labels", [])
    aliases = {name: known for known, name in names.items()}
    return read(study, "labels").with_columns(pl.col("annotator").replace(aliases))


def _label_rows(found: _Found) -> Iterator[dict[str, Any]]:
    """The rows of every response; where two rounds asked the same of the same, the later's.

    Seconds and guidelines are those of the response's last change, where the server keeps them.
    """
    latest = {
        (response.candidate_id, response.annotator): (number, response)
        for number, round_ in found.rounds.items()
        for response in round_.responses
    }
    last = {change.response_id: change for change in found.changes}
    for number, response in latest.values():
        change = last.get(response.response_id)
        version = change and change.guidelines_version
        shown = found.rounds[number].guidelines
        for question, answer in _answers(response):
            yield {
                "candidate_id": response.candidate_id,
                "annotator": response.annotator,
                "question": question,
                "occasion": 0,
                "answer": answer,
                "status": response.status,
                "submitted_at": response.changed_at,
                "seconds": change and change.seconds,
                "guidelines_version": version or guidelines_version(shown),
                "round": number,
                "pilot": False,
            }


def _answers(response: Response) -> Iterable[tuple[str, str | None]]:
    """The answered questions; of a discard or an empty draft the one question `task`."""
    if response.status == "discarded" or not response.answers:
        return [(TASK, None)]
    return response.answers.items()


def _asked_in_argilla() -> pl.Expr:
    """Rows that a pull wrote: not those of other sources, questions, occasions, or pilots."""
    questions = [TASK, *(question.name for question in candidates_task().questions)]
    person = ~pl.col("annotator").str.starts_with("source:")
    return (
        person & pl.col("question").is_in(questions) & (pl.col("occasion") == 0) & ~pl.col("pilot")
    )


def _say_gone(rows: pl.DataFrame) -> None:
    if not rows.is_empty():
        names = named_people()
        people = ", ".join(sorted({names.get(one, one) for one in rows["annotator"]}))
        warn(
            f"Argilla holds no answer any more for {rows.height} rows of labels "
            f"({rows['candidate_id'].n_unique()} candidates, by {people}): a dataset or an account "
            "was deleted there, or it is another server; the rows stay"
        )


def _counts(found: _Found, candidates: pl.DataFrame) -> dict[str, Any]:
    """Candidates by their number of submitted answers (2 = two or more); answers by person.

    By the accounts' names, since whoever leads the team wants to know whom to remind.
    """
    rounds = found.rounds.values()
    responses = [response for round_ in rounds for response in round_.responses]
    submitted = {(r.candidate_id, r.annotator) for r in responses if r.status == "submitted"}
    by_candidate = Counter(candidate for candidate, _ in submitted)
    there = {candidate for round_ in rounds for candidate in round_.candidate_ids}
    answers = Counter(min(by_candidate[candidate], 2) for candidate in there)
    people = {
        name: dict(Counter(r.status for r in responses if r.annotator == person))
        for person, name in sorted(found.names.items(), key=lambda item: item[1])
    }
    known = set(candidates["candidate_id"])
    return {
        "candidates_by_answers": {str(n): answers[n] for n in (0, 1, 2)},
        "annotators": {person: done for person, done in people.items() if done},
        "not_pushed": len(known - there),
        "no_longer_candidates": len(there - known),
    }


def _in_words(counts: dict[str, Any]) -> str:
    answers = counts["candidates_by_answers"]
    lines = [
        f"  {answers['2']} candidates have two or more submitted answers, {answers['1']} have one, "
        f"{answers['0']} have none"
    ]
    for person, found in counts["annotators"].items():
        lines.append(f"  {person}: " + ", ".join(f"{n} {what}" for what, n in found.items()))
    if counts["not_pushed"]:
        lines.append(f"  {counts['not_pushed']} candidates are not in Argilla; push to add them")
    return "\n".join(lines)
