"""What annotators split on, and why: frames for a list, a heat map and a bar chart.

A pair is two annotators' counted answers to one candidate. What an annotator did with a candidate
is `write`, or the questions that kept it from being written, joined by " + ".
"""

import polars as pl

from labelling.agreement.said import QUESTIONS, said
from labelling.statistics import ratio
from labelling.tables.decisions import REQUIRED, annotator_decisions

WRITE = "write"
_KEY = ["candidate_id", "annotator"]


def splits(
    labels: pl.DataFrame, candidates: pl.DataFrame, sessions: pl.DataFrame | None = None
) -> pl.DataFrame:
    """A row per candidate and question with more than one answer, disputed or not.

    candidate_id, session_id, turn, statement, quote, strata, question, answers (structs
    {annotator, answer, at}), disputed (they split on `write`, too); in the order of `candidates`.
    """
    answers = said(labels, candidates, sessions).sort("annotator")
    found = (
        answers.group_by("candidate_id", "question")
        .agg(
            answers=pl.struct("annotator", "answer", "at"),
            different=pl.col("answer").n_unique() > 1,
        )
        .filter("different")
        .drop("different")
    )
    disputed = found.filter(question="write")["candidate_id"]
    places = candidates.select("candidate_id", "session_id", "turn", "statement", "quote", "strata")
    order = pl.col("question").replace_strict({q: i for i, q in enumerate(QUESTIONS)})
    return (
        places.with_row_index("place")
        .join(found, on="candidate_id")
        .with_columns(disputed=pl.col("candidate_id").is_in(disputed.implode()))
        .sort("place", order)
        .drop("place")
    )


def confusion(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """What two did with the same candidate: one, other (one <= other), n, share, split.

    A row per unordered combination that came up, most frequent first; `share` is of all pairs;
    `split` says that one of the two would write it. (`durable`, `scope_ok`) is a pair who agree not
    to write and read the questions differently.
    """
    counted = _pairs(_deeds(labels, candidates)).group_by("one", "other").agg(n=pl.len())
    n, split = pl.col("n").cast(pl.Int64), (pl.col("one") == WRITE) != (pl.col("other") == WRITE)
    return counted.with_columns(n, share=n / n.sum(), split=split).sort(
        "n", "one", "other", descending=[True, False, False]
    )


def deciding(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """Which question decides a split: question, involved, alone, splits, share.

    A row per required question. Of `splits` pairs where one would write and one would not,
    `involved` name this question as a reason not to, `alone` no other; `share` = involved / splits,
    null where there are none.
    """
    split = confusion(labels, candidates).filter("split")
    against = pl.when(pl.col("one") == WRITE).then("other").otherwise("one").str.split(" + ")
    reasons = split.select("n", reasons=against)
    total, alone = int(split["n"].sum()), pl.col("reasons").list.len() == 1
    named = [reasons.filter(pl.col("reasons").list.contains(question)) for question in REQUIRED]
    involved = [int(rows["n"].sum()) for rows in named]
    return pl.DataFrame(
        {
            "question": REQUIRED,
            "involved": involved,
            "alone": [int(rows.filter(alone)["n"].sum()) for rows in named],
            "splits": total,
            "share": pl.Series([ratio(n, total) for n in involved], dtype=pl.Float64),
        }
    )


def _deeds(labels: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, annotator, deed: `write`, or what kept it from being written."""
    decided = annotator_decisions(labels, candidates).join(
        candidates.select("candidate_id", dated=pl.col("expires_at").is_not_null()),
        on="candidate_id",
    )
    passed = {question: pl.col(question) == "yes" for question in REQUIRED}
    passed["durable"] |= (pl.col("durable") == "until") & pl.col("dated")
    failed = [pl.when(~ok).then(pl.lit(question)) for question, ok in passed.items()]
    reasons = pl.concat_str(failed, separator=" + ", ignore_nulls=True)
    return decided.select(*_KEY, deed=pl.when("write").then(pl.lit(WRITE)).otherwise(reasons))


def _pairs(deeds: pl.DataFrame) -> pl.DataFrame:
    """one, other: a row a pair of annotators and candidate."""
    both = deeds.join(deeds, on="candidate_id").filter(
        pl.col("annotator") < pl.col("annotator_right")
    )
    return both.select(
        one=pl.min_horizontal("deed", "deed_right"), other=pl.max_horizontal("deed", "deed_right")
    )
