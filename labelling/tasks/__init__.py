"""The Argilla tasks as plain data; a module each, and the shapes that they are made of."""

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

__all__ = [
    "TASK",
    "Field",
    "Guidelines",
    "Option",
    "Question",
    "Record",
    "Task",
    "candidates_task",
    "details",
    "guidelines",
    "guidelines_version",
    "record",
]
