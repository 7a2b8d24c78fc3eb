"""How far a table of gates depends on who labelled, and on which gates filled the pool.

A row of `by_truth` is a gate under one truth with its ranks among the gates (1 = best); a row of
`without_own` is a gate whose own finds are left out of the reference.
"""

from collections.abc import Sequence

import polars as pl

from analysis.ratios import guarded
from analysis.slices import Slice
from analysis.truth import HEADLINE
from labelling.tables.schemas import BASELINE_GATES

_GATE = ["gate", "setting"]


def by_truth(points: pl.DataFrame) -> pl.DataFrame:
    """variant, gate, setting, precision, recall, wrong_per_1000_turns, and ranks of the first two.

    `points` are rows of `operating_points`; variants of matching and of counting stay out. Equal
    values share a rank, undefined ones have none.
    """
    truths = points.filter(
        pl.col("variant").is_in([HEADLINE, "either", "adjudicated"])
        | pl.col("variant").str.starts_with("annotator:")
    )
    ranks = {
        f"{measure}_rank": pl.col(measure).rank("min", descending=True).over("variant")
        for measure in ("precision", "recall")
    }
    shown = ["variant", *_GATE, "precision", "recall", "wrong_per_1000_turns"]
    return truths.select(shown).with_columns(**ranks)


def rank_changes(table: pl.DataFrame) -> list[str]:
    """A sentence for each gate whose rank under another truth is not that of the headline."""
    first = table.filter(pl.col("variant") == HEADLINE)
    both = table.filter(pl.col("variant") != HEADLINE).join(first, on=_GATE, suffix="_headline")
    return [
        f"{row['gate']}/{row['setting']} is {_place(row[f'{m}_rank'])} by {m} under "
        f"{row['variant']}, {_place(row[f'{m}_rank_headline'])} under the headline"
        for row in both.iter_rows(named=True)
        for m in ("precision", "recall")
        if row[f"{m}_rank"] != row[f"{m}_rank_headline"]
    ]


def without_own(
    slices: Sequence[Slice], candidates: pl.DataFrame, proposals: pl.DataFrame, read: pl.Series
) -> pl.DataFrame:
    """gate, setting, recall, recall_without_own, own_facts: what its own finds do for its recall.

    Own facts are those that only this gate (in any setting) brought into the pool; a fact that was
    sampled, or whose session was `read` whole, is nobody's own. Yardsticks bring nothing into the
    pool.
    """
    unread = candidates.filter(~pl.col("session_id").is_in(read.implode()))
    own = _own(unread, proposals)
    return pl.concat([_recalls(one, own) for one in slices])


def _own(candidates: pl.DataFrame, proposals: pl.DataFrame) -> pl.DataFrame:
    """fact_id, finder: candidates that a single gate proposed and nothing else found."""
    alone = candidates.filter(pl.col("strata") == ["proposed"])
    found = (
        alone.select(fact_id="candidate_id", proposal_id="proposal_ids")
        .explode("proposal_id")
        .join(proposals.select("proposal_id", finder="gate"), on="proposal_id")
        .filter(~pl.col("finder").is_in(BASELINE_GATES))
    )
    one = found.group_by("fact_id").agg(pl.col("finder").unique())
    return one.filter(pl.col("finder").list.len() == 1).explode("finder")


def _recalls(found: Slice, own: pl.DataFrame) -> pl.DataFrame:
    mine = own.filter(pl.col("finder") == found.ground.gate)
    right = found.records().filter(pl.col("status") == "correct")["fact_id"].drop_nulls()
    hit = pl.col("fact_id").is_in(pl.concat([right, found.again()]).implode())
    facts = found.facts.with_columns(
        weight=pl.col("weight").fill_null(0.0),
        own=pl.col("fact_id").is_in(mine["fact_id"].implode()),
    )
    weight, others = pl.col("weight"), ~pl.col("own")
    return facts.select(
        gate=pl.lit(found.ground.gate),
        setting=pl.lit(found.ground.setting),
        recall=guarded(weight.filter(hit).sum(), weight.sum()),
        recall_without_own=guarded(weight.filter(hit & others).sum(), weight.filter(others).sum()),
        own_facts=pl.col("own").sum().cast(pl.Int64),
    )


def _place(rank: int | None) -> str:
    return "without a rank" if rank is None else f"number {rank}"
