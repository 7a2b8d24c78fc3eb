"""Style leak: does the form of a statement tell on which route it came?

Annotators are blind to whether a gate proposed a candidate. A classifier that sees the text alone
tries to tell proposed candidates from those of another stratum; its AUC, cross-fitted by user, says
how far that blindness goes: .5 is no leak, 1 is one that never fails. A row is one other stratum
and one form: `stored` (the statement in `candidates`), `shown` (in the one form of the page),
`page` (shown, and the line of details beside it). Needs scikit-learn, the extra `style`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from labelling.statistics import Interval, auc_interval
from labelling.tables import InputError, frame, write
from labelling.tasks import details, one_form

PROPOSED = "proposed"
OTHERS = ("sampled", "read", "added")
LEAST, LEAST_USERS, FOLDS = 20, 5, 5
"""Candidates of each stratum, and users who have one, below which nothing is said."""
MISSING = "scikit-learn is not installed (`pip install 'memory-gates[style]'`)"

FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    "stored": lambda row: str(row["statement"]),
    "shown": lambda row: one_form(row["statement"]),
    "page": lambda row: f"{one_form(row['statement'])}\n{details(row)}",
}


def style_leak(candidates: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Table `style`: a row per other stratum and form; value and ends are null with a reason.

    A candidate that was proposed, too, counts as proposed: it is shown in those words.
    """
    users = sessions.select("session_id", "user_id")
    rows = candidates.join(users, on="session_id", how="left").with_columns(
        user=pl.col("user_id").fill_null(pl.col("session_id")), stratum=_stratum()
    )
    return frame("style", _rows(rows.sort("candidate_id")))


def write_style(study: str, candidates: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Write table `style`; returns it."""
    table = style_leak(candidates, sessions)
    write(study, "style", table, made_from=("candidates", "sessions"))
    return table


def leak(texts: Sequence[str], other: Sequence[bool], users: Sequence[str]) -> Interval:
    """How well the texts tell which are `other`: the cross-fitted AUC, one entry a text.

    Raises InputError without scikit-learn.
    """
    folds, seen, known = _folds(other, users), _features(texts), np.asarray(other)
    scores = np.zeros(len(texts))
    for fold in np.unique(folds):
        held_out = folds == fold
        model = _model().fit(seen[~held_out], known[~held_out])
        scores[held_out] = model.decision_function(seen[held_out])
    return auc_interval(scores, other, users, folds)


def _rows(rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for stratum in OTHERS:
        both = rows.filter(pl.col("stratum").is_in([PROPOSED, stratum]))
        other = (both["stratum"] == stratum).to_list()
        if stratum not in set(both["stratum"]) and stratum != OTHERS[0]:
            continue
        about = {
            "stratum": stratum,
            "n": sum(other),
            "n_proposed": len(other) - sum(other),
            "users": both["user"].n_unique(),
        }
        why = _too_few(both, stratum)
        for form, text in FORMS.items():
            texts = [text(row) for row in both.iter_rows(named=True)]
            yield {**about, "form": form, **_measured(texts, other, both["user"].to_list(), why)}


def _measured(texts: list[str], other: list[bool], users: list[str], why: str) -> dict[str, Any]:
    if not why:
        try:
            found = leak(texts, other, users)
        except InputError as error:
            return {"reason": error.found}
        return {
            "auc": found.value,
            "low": found.low,
            "high": found.high,
            "reason": found.reason,
            "interval_method": found.method,
        }
    return {"reason": why}


def _too_few(both: pl.DataFrame, stratum: str) -> str:
    for name in (PROPOSED, stratum):
        mine = both.filter(stratum=name)
        if mine.height < LEAST:
            return f"{mine.height} {name} candidates, and {LEAST} are needed"
        if (users := mine["user"].n_unique()) < LEAST_USERS:
            return f"{users} users with {name} candidates, and {LEAST_USERS} are needed"
    return ""


def _stratum() -> pl.Expr:
    proposed = pl.col("strata").list.contains(PROPOSED)
    return pl.when(proposed).then(pl.lit(PROPOSED)).otherwise(pl.col("strata").list.first())


def _folds(other: Sequence[bool], users: Sequence[str]) -> Any:
    """The fold of each text; a user is in one, and the strata are spread over them."""
    try:
        from sklearn.model_selection import StratifiedGroupKFold
    except ImportError as error:
        raise InputError(MISSING) from error
    folds = np.zeros(len(other), dtype=np.int64)
    parts = StratifiedGroupKFold(min(FOLDS, len(set(users))))
    for fold, (_, held_out) in enumerate(parts.split(np.zeros(len(other)), other, users)):
        folds[held_out] = fold
    return folds


def _features(texts: Sequence[str]) -> Any:
    """How often each run of one to three letters is there, both ends of the text marked."""
    from sklearn.feature_extraction.text import HashingVectorizer

    letters = HashingVectorizer(
        analyzer="char", ngram_range=(1, 3), lowercase=False, n_features=2**15
    )
    return letters.transform([f"\x02{text}\x03" for text in texts])


def _model() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=10.0, solver="liblinear", class_weight="balanced")
