"""What Argilla holds of a study: its datasets with everybody's answers, and who is who.

A dataset is named after its task, and after its round where the task has rounds: `candidates-r2`.
A round's pilot is a dataset of its own, `pilot-r2`. A record whose external id ends with AGAIN is
there to show a candidate a second time.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from labelling import client
from labelling.answers import Change, Labelled, Response, changes, labelled
from labelling.client import Argilla, Json
from labelling.tables import InputError
from labelling.tables.decisions import WHOLE_READING
from labelling.tables.people import remember
from labelling.tasks import TASK, adjudication_task, candidates_task, transcripts_task
from labelling.workspaces import ADJUDICATION, of_judges

CANDIDATES, PILOT, TRANSCRIPTS = "candidates", "pilot", "transcripts"
STANDS_FOR = {CANDIDATES: TASK, ADJUDICATION: ADJUDICATION, TRANSCRIPTS: WHOLE_READING}
"""The tasks that a study has: the question of a row that says there was no answer to a record."""

_ASKED = {
    CANDIDATES: candidates_task(),
    ADJUDICATION: adjudication_task(),
    TRANSCRIPTS: transcripts_task(),
}
TASK_OF = {
    question: task
    for task, asked in _ASKED.items()
    for question in (STANDS_FOR[task], *(one.name for one in asked.questions))
}
"""Question of a row of `labels` -> the task in which Argilla asks it."""

AGAIN = ".again"
"""How the external id of a record ends that is there a second time; before it is the first's."""

_SENDS = {ADJUDICATION: "adjudicate push"}
"""The command that sends a task, where it is not `push`."""

_NAME = re.compile(r"([a-z]+)(?:-r([1-9][0-9]*))?")


def name_of(task: str, round_: int | None = None) -> str:
    """What the dataset of a task (in a round) is called."""
    return task if round_ is None else f"{task}-r{round_}"


def place_of(server_dataset: str) -> tuple[str, int] | None:
    """The task and round (1 where it has none) of a dataset; None of one that is not ours."""
    found = _NAME.fullmatch(server_dataset)
    ours = found and found[1] in (*STANDS_FOR, PILOT)
    return (found[1], int(found[2] or 1)) if found and ours else None


@dataclass(frozen=True)
class Held:
    """One dataset: the task, its round, the answers; `again` are later answers to the same."""

    task: str
    round: int
    labelled: Labelled
    again: tuple[Response, ...] = ()


@dataclass(frozen=True)
class Found:
    """Datasets by task and round, the changes of answers in order, pseudonym -> account.

    `pilots` are datasets of pilots, whose answers never count.
    """

    held: tuple[Held, ...]
    changes: tuple[Change, ...]
    names: dict[str, str]
    pilots: tuple[Held, ...] = ()

    def rounds(self, task: str = CANDIDATES) -> dict[int, Labelled]:
        """The rounds of a task, in order."""
        return {one.round: one.labelled for one in self.held if one.task == task}


class Reader:
    """Reads every change and every record; one that remembers may read less."""

    def changes(self, argilla: Argilla, workspace: str) -> Iterable[Change]:
        return changes(argilla, workspace)

    def labelled(self, argilla: Argilla, dataset: Json) -> Labelled:
        return labelled(argilla, dataset)


def found(
    study: str, *, history: bool, only: str | None = None, reader: Reader | None = None
) -> Found:
    """Everything of a study, or one task of it. Raises InputError where Argilla has none."""
    reader = reader or Reader()
    with client.connect() as argilla:
        accounts = client.users(argilla)
        told = tuple(_changes(argilla, study, reader)) if history else ()
        every = sorted(
            _held(argilla, study, told, only, reader), key=lambda one: (one.task, one.round)
        )
    if not every:
        raise InputError(
            f"Argilla has no {only or CANDIDATES} of study {study!r} yet",
            then=f"run `gates {_SENDS.get(only or CANDIDATES, 'push')} --study {study}`",
        )
    known = remember(accounts)
    names = {known[user_id]: name for user_id, name in accounts.items()}
    held = tuple(one for one in every if one.task != PILOT)
    pilots = tuple(replace(one, task=CANDIDATES) for one in every if one.task == PILOT)
    return Found(held, told, names, pilots)


def item_of(external_id: str) -> str:
    """What a record is about: its external id, also where it is shown again."""
    return external_id.removesuffix(AGAIN)


def _changes(argilla: Argilla, study: str, reader: Reader) -> Iterator[Change]:
    for workspace in (study, of_judges(study)):
        yield from reader.changes(argilla, workspace)


def _datasets(argilla: Argilla, study: str) -> Iterator[tuple[str, Json]]:
    """Name and dataset of all that a study has, in its own workspace and in that of its judges."""
    for name in (study, of_judges(study)):
        if workspace := client.workspace_id(argilla, name):
            yield from client.server_datasets(argilla, workspace).items()


def _held(
    argilla: Argilla, study: str, told: Sequence[Change], only: str | None, reader: Reader
) -> Iterator[Held]:
    # dict() keeps the last of equal keys, so the earliest change goes last
    submitted = [change for change in reversed(told) if change.status == "submitted"]
    first = {change.response_id: change.changed_at for change in submitted}
    for name, dataset in _datasets(argilla, study):
        place = place_of(name)
        if dataset["status"] == "ready" and place and only in (None, place[0]):
            whole = reader.labelled(argilla, dataset)
            # a session's id may end in any way
            apart = (whole, ()) if place[0] == TRANSCRIPTS else _told_apart(whole, first)
            yield Held(*place, *apart)


def _told_apart(
    whole: Labelled, first: Mapping[str, datetime]
) -> tuple[Labelled, tuple[Response, ...]]:
    """The answers that count, and those to what was shown again.

    Of a person's two answers to the same the one submitted earlier counts, whichever record it was
    given to (`first`: response -> when it was first submitted); what is not submitted comes last.
    """
    both: dict[tuple[str, str], list[Response]] = defaultdict(list)
    for one in whole.responses:
        item = item_of(one.candidate_id)
        both[item, one.annotator].append(replace(one, candidate_id=item))
    in_order = [
        sorted(
            given,
            key=lambda one: (
                one.status != "submitted",
                first.get(one.response_id, one.changed_at),
                one.response_id,
            ),
        )
        for given in both.values()
    ]
    ids = frozenset(map(item_of, whole.candidate_ids))
    counts = tuple(given[0] for given in in_order)
    again = tuple(one for given in in_order for one in given[1:])
    return replace(whole, candidate_ids=ids, responses=counts), again
