"""The status of records that a killed server left behind its answers.

Argilla stores an answer first and then, on its own, whether the record has answers enough: killed
in between, a record that is complete would stay pending for ever. Run before anything serves.
"""

from argilla_server.enums import RecordStatus, ResponseStatus
from argilla_server.models import Dataset, Record, Response
from sqlalchemy import Connection, func, select, update


def mend(connection: Connection) -> int:
    """Set every status as its dataset's distribution says; how many were wrong; commits."""
    datasets = connection.execute(select(Dataset.id, Dataset.distribution)).all()
    wanted = [(one.id, one.distribution["min_submitted"]) for one in datasets]
    mended = sum(_mend(connection, *one) for one in wanted)
    connection.commit()
    return mended


def _mend(connection: Connection, dataset: object, enough: int) -> int:
    submitted = (
        select(func.count(Response.id))
        .where(Response.record_id == Record.id, Response.status == ResponseStatus.submitted)
        .scalar_subquery()
    )
    complete, pending = RecordStatus.completed, RecordStatus.pending
    changes = [(complete, pending, submitted < enough), (pending, complete, submitted >= enough)]
    done = [
        connection.execute(
            update(Record)
            .where(Record.dataset_id == dataset, Record.status == is_, wrong)
            .values(status=shall_be)
        )
        for is_, shall_be, wrong in changes
    ]
    return sum(one.rowcount for one in done)
