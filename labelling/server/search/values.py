"""What a filter or sort looks at, as rows of the database: (record_id, number, text).

A row is a record and one value it has there (a label's answer, a term of a metadata property, a
score), which is a number or a text; the other one is null. A record without a value has no row, one
with several has several. Nulls and objects (spans, rankings) are no values.
"""

from typing import Any

from argilla_server.models import Dataset, Question, Record, Response, Suggestion
from argilla_server.search_engine import (
    FilterScope,
    MetadataFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
)
from sqlalchemy import ColumnElement, Double, Select, Subquery, Text, cast, null, select, true

from labelling.server.search.dialect import by_bytes, items


def values_of(scope: FilterScope, dataset: Dataset) -> Subquery:
    """The rows of the scope, for the records of the dataset (or of more than this dataset)."""
    if isinstance(scope, MetadataFilterScope):
        return metadata_values(dataset.id, scope.metadata_property)
    if isinstance(scope, SuggestionFilterScope):
        return _suggestions(scope, dataset)
    if isinstance(scope, ResponseFilterScope):
        return _answers(scope)
    raise ValueError(f"{scope} is no scope of values; give one of metadata, answer or suggestion.")


def metadata_values(dataset_id: Any, name: str) -> Subquery:
    """The values of one metadata property in a dataset's records."""
    return _from_json(
        Record.id, Record.metadata_.expression, [name], Record.dataset_id == dataset_id
    )


def _answers(scope: ResponseFilterScope) -> Subquery:
    """Answers to the question, or their statuses; of the user, or of all."""
    whose = Response.user_id == scope.user.id if scope.user else true()
    if not scope.question:
        return _from_column(Response.record_id, Response.status, whose)
    path = [scope.question, "value"]
    return _from_json(Response.record_id, Response.values.expression, path, whose)


def _suggestions(scope: SuggestionFilterScope, dataset: Dataset) -> Subquery:
    question = select(Question.id).where(
        Question.dataset_id == dataset.id, Question.name == scope.question
    )
    mine = Suggestion.question_id == question.scalar_subquery()
    if scope.property in ("agent", "type"):
        return _from_column(Suggestion.record_id, getattr(Suggestion, scope.property), mine)
    # None is the value too, and comes as a text
    column = Suggestion.score if scope.property == "score" else Suggestion.value
    return _from_json(Suggestion.record_id, column.expression, [], mine)


def _from_column(record: Any, text: Any, where: ColumnElement[bool]) -> Subquery:
    columns = select(record, cast(null(), Double), by_bytes(cast(text, Text)))
    return _rows(columns.where(where))


def _from_json(
    record: Any, column: ColumnElement[Any], path: list[str], where: ColumnElement[bool]
) -> Subquery:
    found = items(column, *path)
    columns = select(record, found.number, by_bytes(found.text))
    return _rows(columns.join_from(record.parent.entity, found.rows, true()).where(where))


def _rows(chosen: Select[Any]) -> Subquery:
    record, number, text = chosen.selected_columns
    return chosen.with_only_columns(
        record.label("record_id"), number.label("number"), text.label("text")
    ).subquery()
