"""What Argilla holds of a study: its datasets with everybody's answers, and who is who.

A dataset is named after its task, and after its round where the task has rounds: `candidates-r2`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from labelling import client
from labelling.answers import Change, Labelled, changes, labelled
from labelling.client import Argilla
from labelling.tables import InputError
from labelling.tables.people import remember
from labelling.tasks import TASK

CANDIDATES = "candidates"
STANDS_FOR = {CANDIDATES: TASK}
"""The tasks that a study has: the question of a row that says there was no answer to a record."""

_NAME = re.compile(r"([a-z]+)(?:-r([1-9][0-9]*))?")


def name_of(task: str, round_: int | None = None) -> str:
    """What the dataset of a task (in a round) is called."""
    return task if round_ is None else f"{task}-r{round_}"


def place_of(server_dataset: str) -> tuple[str, int] | None:
    """The task and round (1 where it has none) of a dataset; None of one that is not ours."""
    found = _NAME.fullmatch(server_dataset)
    return (found[1], int(found[2] or 1)) if found and found[1] in STANDS_FOR else None


@dataclass(frozen=True)
class Held:
    """One dataset: the task, its round, the answers."""

    task: str
    round: int
    labelled: Labelled


@dataclass(frozen=True)
class Found:
    """Datasets by task and round, the changes of answers in order, pseudonym -> account."""

    held: tuple[Held, ...]
    changes: tuple[Change, ...]
    names: dict[str, str]

    def rounds(self, task: str = CANDIDATES) -> dict[int, Labelled]:
        """The rounds of a task, in order."""
        return {one.round: one.labelled for one in self.held if one.task == task}


def found(study: str, *, history: bool) -> Found:
    """Everything of a study. Raises InputError where Argilla has nothing of it."""
    with client.connect() as argilla:
        accounts = client.users(argilla)
        held = tuple(sorted(_held(argilla, study), key=lambda one: (one.task, one.round)))
        told = tuple(changes(argilla, study)) if history else ()
    if not held:
        raise InputError(
            f"Argilla has no candidates of study {study!r} yet",
            then=f"run `gates push --study {study}`",
        )
    known = remember(accounts)
    return Found(held, told, {known[user_id]: name for user_id, name in accounts.items()})


def _held(argilla: Argilla, study: str) -> Iterator[Held]:
    workspace = client.workspace_id(argilla, study)
    there = client.server_datasets(argilla, workspace) if workspace else {}
    for name, dataset in there.items():
        if dataset["status"] == "ready" and (place := place_of(name)):
            yield Held(*place, labelled(argilla, dataset))
