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
"""Candidates of each stratum, and users who have one, below which nothing is said; folds."""
MOST = 1000
"""Candidates of a stratum that are used, the first by id, which is a hash: more say little more."""
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
    return _cross_fitted(texts, other, users, _folds(other, users))


def _rows(rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for stratum in OTHERS:
        both = pl.concat(rows.filter(stratum=name).head(MOST) for name in (PROPOSED, stratum))
        other, users = (both["stratum"] == stratum).to_list(), both["user"].to_list()
        if not any(other) and stratum != OTHERS[0]:
            continue
        about = {
            "stratum": stratum,
            "n": sum(other),
            "n_proposed": len(other) - sum(other),
            "users": len(set(users)),
        }
        folds, why = _folds_or_why(both, stratum, other, users)
        for form, text in FORMS.items():
            if why:
                yield {**about, "form": form, "reason": why}
            else:
                texts = [text(row) for row in both.iter_rows(named=True)]
                found = _cross_fitted(texts, other, users, folds)
                yield {**about, "form": form, **_row(found)}


def _row(found: Interval) -> dict[str, Any]:
    return {
        "auc": found.value,
        "low": found.low,
        "high": found.high,
        "reason": found.reason,
        "interval_method": found.method,
    }


def _folds_or_why(
    both: pl.DataFrame, stratum: str, other: Sequence[bool], users: Sequence[str]
) -> tuple[Any, str]:
    if why := _too_few(both, stratum):
        return None, why
    try:
        return _folds(other, users), ""
    except InputError as error:
        return None, error.found


def _cross_fitted(
    texts: Sequence[str], other: Sequence[bool], users: Sequence[str], folds: Any
) -> Interval:
    seen, known, scores = _features(texts), np.asarray(other), np.zeros(len(texts))
    for fold in np.unique(folds):
        held_out = folds == fold
        model = _model().fit(seen[~held_out], known[~held_out])
        scores[held_out] = model.decision_function(seen[held_out])
    return auc_interval(scores, other, users, folds)


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

    # the dual is the fast form for many features and few texts; it draws an order, hence the seed
    return LogisticRegression(
        C=10.0,
        solver="liblinear",
        dual=True,
        class_weight="balanced",
        max_iter=5000,
        random_state=0,
    )
