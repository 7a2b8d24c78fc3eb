"""The observation log: one row an utterance that is evidence for a claim and not yet a record.

Columns as the chapter has them: user_id, obs (the claim), session, turn, quote,
prior_output_tokens? (length of the answer before it), at (UTC), topic?. Of equal (user, obs,
session, turn) the earliest counts, then the first in the log. The log is never shown to a gate.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import polars as pl

from labelling.tables import InputError, empty
from labelling.transcripts.fields import Unusable, moment

Rows = pl.DataFrame | Sequence[Mapping[str, Any]]

DEFAULTS: dict[str, Any] = {"user_id": "user", "prior_output_tokens": None, "topic": None}
"""What stands for a column that a log lacks."""
KEY = ("user_id", "obs", "session", "turn")


def as_log(observations: Rows) -> pl.DataFrame:
    """The columns of `observations`, in the order of the log; a date is midnight UTC.

    Raises InputError for a column that is missing and for values of another kind.
    """
    schema = empty("observations").schema
    table = _frame(observations)
    missing = [name for name in schema if name not in table.columns and name not in DEFAULTS]
    if missing:
        raise InputError(f"the log has no column {missing[0]}", expected=", ".join(schema))
    filled = table.with_columns(
        pl.lit(value).alias(name) for name, value in DEFAULTS.items() if name not in table.columns
    )
    try:
        typed = filled.with_columns(_times(filled["at"])).select(list(schema)).cast(schema)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"the log cannot be read: {error}", expected="texts and whole numbers"
        ) from error
    return _complete(typed)


def distinct(log: pl.DataFrame) -> pl.DataFrame:
    """Each utterance once, by time, with its `day` (UTC); of equal ones the first in the log."""
    ordered = log.with_columns(day=pl.col("at").dt.date()).sort("at", maintain_order=True)
    return ordered.unique(KEY, keep="first", maintain_order=True)


def generalises(quotes: pl.Series, phrases: Sequence[str]) -> pl.Series:
    """Whether a phrase is a part of `quote.lower()`, as Python lowers it."""
    if not phrases:
        return pl.Series(quotes.name, [False]).new_from_index(0, len(quotes))
    plain = quotes.str.len_bytes() == quotes.str.len_chars()
    lowered = quotes.str.to_lowercase()
    if not plain.all():  # other libraries lower some letters another way
        python = [None if p else q.lower() for p, q in zip(plain, quotes, strict=True)]
        lowered = pl.select(pl.coalesce(pl.Series(python, dtype=pl.String), lowered)).to_series()
    return lowered.str.contains_any(list(phrases))


def _frame(observations: Rows) -> pl.DataFrame:
    if isinstance(observations, pl.DataFrame):
        return observations
    if not observations:
        return empty("observations")
    return pl.DataFrame([dict(row) for row in observations], infer_schema_length=None)


def _times(found: pl.Series) -> pl.Series:
    """Times in UTC; a text is ISO 8601, a day is its midnight."""
    if found.dtype == pl.String:
        given = found.unique()
        times = {one: _moment(one) for one in given}
        return found.replace_strict(times, return_dtype=pl.Datetime("us", "UTC"))
    if isinstance(found.dtype, pl.Datetime) and found.dtype.time_zone is None:
        return found.dt.replace_time_zone("UTC")
    if found.dtype.is_numeric():
        raise InputError(f"at is {found[0]} in the log", expected="a time such as 2026-03-05")
    return found


def _moment(text: str | None) -> datetime | None:
    try:
        return moment(text)
    except Unusable as error:
        raise InputError(
            f"at is {text!r} in the log", expected="a time such as 2026-03-05T08:15:00Z"
        ) from error


def _complete(log: pl.DataFrame) -> pl.DataFrame:
    """The log; raises InputError where a value that must be there is not."""
    for name in log.columns:
        if DEFAULTS.get(name, "") is not None and log[name].null_count():
            row = log[name].is_null().arg_max()
            raise InputError(f"row {row} of the log has no {name}", expected=", ".join(log.columns))
    return log
