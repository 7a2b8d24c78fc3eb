"""What labelling studies are read by: frames for charts of agreement, drift, style and progress.

A row of an *estimates* frame is one value with all that belongs to it: name (what it is of),
statistic, value, low, high, n, reason (why there is none), and `said` in words. Everything comes
out of a table; nothing is computed here but words and order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from analysis.captions import plain, short
from analysis.figures import share, span

STATISTICS = {
    "percent_agreement": "percent",
    "positive_agreement": "positive",
    "negative_agreement": "negative",
    "cohen_kappa": "kappa",
    "krippendorff_alpha_nominal": "alpha",
}
"""Those that are drawn, and what they are called there."""
ANSWERS = {"none": "no answer", "one": "one", "two": "two or more"}
"""Records by their submitted answers: column of a look's `rounds` -> its name."""
ALL, SELF, TIME, KIND = "all", "self", "time:", "kind:"
WRITE = "write"
AUC = "AUC"

_TOGETHER = pl.col("annotator_a").is_null() & pl.col("annotator_b").is_null()
_WRITE = pl.col("question") == WRITE
_STRATUM = pl.col("stratum")
_APART = _STRATUM.str.starts_with(TIME) | _STRATUM.str.starts_with(KIND) | (_STRATUM == SELF)


def by_stratum(agreement: pl.DataFrame) -> pl.DataFrame:
    """What to write, over all pairs: the headline and the other routes."""
    return _estimates(agreement.filter(_TOGETHER, _WRITE, ~_APART), _STRATUM)


def by_kind(agreement: pl.DataFrame) -> pl.DataFrame:
    """What to write, over all pairs: facts and preferences."""
    rows = agreement.filter(_TOGETHER, _WRITE, _STRATUM.str.starts_with(KIND))
    return _estimates(rows, _STRATUM.str.strip_prefix(KIND))


def by_week(agreement: pl.DataFrame) -> pl.DataFrame:
    """What to write, over all pairs: the weeks (UTC) of the second answer, in order."""
    rows = agreement.filter(_TOGETHER, _WRITE, _STRATUM.str.starts_with(TIME)).sort("stratum")
    return _estimates(rows, _STRATUM.str.strip_prefix(TIME))


def by_pair(agreement: pl.DataFrame) -> pl.DataFrame:
    """What to write, all candidates: each two annotators who met, by pseudonym."""
    two = pl.col("annotator_a") != pl.col("annotator_b")
    rows = agreement.filter(two, _WRITE, _STRATUM == ALL)
    return _estimates(rows, pl.concat_str("annotator_a", "annotator_b", separator=" and "))


def by_question(agreement: pl.DataFrame) -> pl.DataFrame:
    """Each question and what to write, all candidates, over all pairs."""
    return _estimates(agreement.filter(_TOGETHER, _STRATUM == ALL), pl.col("question"))


def with_themselves(agreement: pl.DataFrame) -> pl.DataFrame:
    """What to write, candidates shown again: each person's first answer against the later."""
    rows = agreement.filter(_WRITE, _STRATUM == SELF)
    return _estimates(rows, pl.col("annotator_a").fill_null("everybody"))


def style(leaks: pl.DataFrame) -> pl.DataFrame:
    """Table `style`: how well each stratum is told from proposed, by form."""
    name = pl.concat_str("stratum", pl.lit(", "), "form")
    rows = leaks.select(
        name=name,
        statistic=pl.lit(AUC),
        value="auc",
        low="low",
        high="high",
        n="n",
        reason="reason",
    )
    return _in_words(rows)


def undefined(rows: pl.DataFrame) -> list[str]:
    """A line a reason: what has no value, and why."""
    missing = rows.filter(pl.col("value").is_null()).with_columns(
        pl.col("name").map_elements(short, return_dtype=pl.String)
    )
    what = pl.concat_str("name", "statistic", separator=" ")
    why = missing.group_by("reason", maintain_order=True).agg(what.alias("what"))
    return [f"undefined, {reason}: {', '.join(what)}" for reason, what in why.iter_rows()]


def answers(rounds: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of a look's `rounds` -> task, answers, records, said: a bar's piece a row."""
    made = [
        {
            "task": f"{row['task']} {row['round']}",
            "answers": said,
            "place": place,
            "records": row[name],
            "said": f"{row[name]:,} of {row['records']:,}",
        }
        for row in rounds
        for place, (name, said) in enumerate(ANSWERS.items())
    ]
    schema = {"task": pl.String, "answers": pl.String, "place": pl.Int64, "records": pl.Int64}
    return pl.DataFrame(made, schema={**schema, "said": pl.String})


def queue(splits: pl.DataFrame, links: Mapping[str, str]) -> pl.DataFrame:
    """What people split on, for a table: question, each one's answer, the words, where to see it.

    `splits` as `labelling.agreement.splits` makes them; `links`: candidate_id -> address.
    """
    said = [
        "\n".join(f"{one['annotator']}: {one['answer']}" for one in answers)
        for answers in splits["answers"]
    ]
    where = [links.get(one, "") for one in splits["candidate_id"]]
    return splits.select(
        "statement",
        "quote",
        "question",
        pl.Series("answers", said, dtype=pl.String),
        pl.col("strata").list.join(", "),
        "session_id",
        "turn",
        pl.Series("record", where, dtype=pl.String),
    )


def _estimates(rows: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    found = rows.filter(pl.col("statistic").is_in(list(STATISTICS))).select(
        name=name.cast(pl.String),
        statistic=pl.col("statistic").replace(STATISTICS),
        value="value",
        low="low",
        high="high",
        n="n",
        reason="reason",
    )
    return _in_words(found)


def _in_words(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(
        name=pl.Series([plain(name) for name in rows["name"]], dtype=pl.String),
        said=pl.Series([_said(row) for row in rows.to_dicts()], dtype=pl.String),
    )


def _said(row: Mapping[str, Any]) -> str:
    ends = "" if row["low"] is None else f" [{span(row['low'], row['high'])}]"
    return f"{share(row['value'])}{ends}, n {row['n']:,}"
