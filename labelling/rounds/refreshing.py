"""A dataset whose questions come and go: disputed candidates, the records of an audit.

What somebody submitted stays as it was shown; what nobody touched goes once it is not asked any
more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from labelling import client
from labelling.answers import statuses
from labelling.client import Argilla
from labelling.tasks import Record, Task


@dataclass(frozen=True)
class Refreshed:
    """Records sent, those that were answered before, and those that were taken back."""

    sent: int
    answered: int
    removed: int


def refresh(
    argilla: Argilla,
    workspace: str,
    name: str,
    task: Task,
    records: Sequence[Record],
    *,
    keep: Collection[str] = (),
) -> Refreshed:
    """Bring a dataset up to what is to be asked now; `keep`: external ids that stay as they are."""
    dataset_id = client.ensure_server_dataset(argilla, workspace, name, task)
    there = statuses(argilla, dataset_id)
    asked = {*keep, *(one.external_id for one in records)}
    answered = {
        one.external_id for one in records if "submitted" in there.get(one.external_id, ("", ()))[1]
    }
    gone = [one for external, (one, found) in there.items() if not found and external not in asked]
    fresh = [one for one in records if one.external_id not in answered]
    client.upsert_records(argilla, dataset_id, fresh)
    client.delete_records(argilla, dataset_id, gone)
    return Refreshed(len(fresh), len(answered), len(gone))
