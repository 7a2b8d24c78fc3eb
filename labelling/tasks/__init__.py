"""The Argilla tasks as plain data; a module each, and the shapes that they are made of."""

from labelling.tasks.adjudication import adjudication_record, adjudication_task
from labelling.tasks.audit import audit_record, audit_task
from labelling.tasks.candidates import candidates_task, details, record
from labelling.tasks.shapes import (
    TASK,
    Field,
    Guidelines,
    Option,
    Question,
    Record,
    Task,
    guidelines,
    guidelines_version,
)
from labelling.tasks.transcripts import session_record, transcripts_task
from labelling.tasks.wording import one_form

__all__ = [
    "TASK",
    "Field",
    "Guidelines",
    "Option",
    "Question",
    "Record",
    "Task",
    "adjudication_record",
    "adjudication_task",
    "audit_record",
    "audit_task",
    "candidates_task",
    "details",
    "guidelines",
    "guidelines_version",
    "one_form",
    "record",
    "session_record",
    "transcripts_task",
]
