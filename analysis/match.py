"""Records -> `captures`: each record judged by the first rule of DESIGN section 5 that holds.

The rules, in order: a hard check fails (wrong); its own candidate decides; it captures a reference
fact (correct); it equals a rejected candidate (wrong); it equals a disputed one (disputed); its
session was read whole by both and nothing is in doubt (wrong); else it is unjudged. `how` names the
rule. What can be alike is found once (`offered`) and held against one truth after the other.
"""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from analysis import checks
from analysis.alike import keyed
from analysis.links import decide, settled
from analysis.pairs import NO_EVIDENCE, pairs
from analysis.truth import Truth
from labelling.tables import columns, content_id
from labelling.tables.decisions import counted
from labelling.tables.schemas import ERROR_KINDS

__all__ = ["Judged", "Matching", "Offered", "decide", "doubtful", "is_record", "judged", "offered"]

Matching = Literal["strict", "default", "lenient"]
"""strict: its own candidate, slot and value alone; lenient: what is alike and in doubt captures."""

CAPTURES: dict[Matching, tuple[str, ...]] = {
    "strict": ("slot_value",),
    "default": ("slot_value", "evidence_overlap", "linked"),
    "lenient": ("slot_value", "evidence_overlap", "linked"),
}
"""How a record is the same as a reference fact."""
EQUALS: dict[Matching, tuple[str, ...]] = {
    "strict": ("equals",),
    "default": ("equals", "linked"),
    "lenient": ("equals", "linked"),
}
"""How a record is the same as a rejected or a disputed candidate."""


@dataclass(frozen=True)
class Offered:
    """What can be told of the proposals before anything is known to be true.

    `rows`: proposals that are records, or that some threshold would make one, or that are `known`,
    with claim_id; `failed`: those that fail a hard check; `pairs` with candidates; `reasons`: why
    candidates were rejected, where the annotators agree.
    """

    rows: pl.DataFrame
    failed: pl.DataFrame
    pairs: pl.DataFrame
    reasons: pl.DataFrame


@dataclass(frozen=True)
class Judged:
    """The table `captures`; `known` proposals of facts: proposal_id, fact_id; ids `in_doubt`."""

    captures: pl.DataFrame
    known: pl.DataFrame
    in_doubt: pl.Series
    """Proposals that nobody judged and that a person's word on a doubtful pair would."""


def offered(
    proposals: pl.DataFrame,
    *,
    turns: pl.DataFrame,
    events: pl.DataFrame,
    candidates: pl.DataFrame,
    labels: pl.DataFrame,
    links: pl.DataFrame,
) -> Offered:
    """Everything about the proposals that holds under any truth."""
    wanted = is_record() | is_record(float("-inf")) | (pl.col("verdict") == "known")
    rows = keyed(proposals.filter(wanted))
    return Offered(
        rows.with_columns(_claims(rows)),
        checks.failed(rows, turns, events),
        pairs(rows, keyed(candidates), settled(links)),
        _reject_reasons(labels),
    )


def judged(offers: Offered, truth: Truth, matching: Matching = "default") -> Judged:
    """Every proposal held against one truth."""
    verdicts = _verdicts(offers, truth, matching)
    known = pl.col("verdict") == "known"
    again = verdicts.filter(known, pl.col("status") == "correct").select("proposal_id", "fact_id")
    return Judged(
        _captures(verdicts.filter(~known), offers.reasons),
        again,
        _in_doubt(offers, truth, verdicts)["proposal_id"].unique(),
    )


def doubtful(offers: Offered, truth: Truth) -> pl.DataFrame:
    """proposal_id, fact_id, why: pairs that a person has to decide, of records not judged yet.

    A fact that is a candidate nobody decided yet stands here under its candidate_id.
    """
    found = _in_doubt(offers, truth, _verdicts(offers, truth, "default"))
    return found.select("proposal_id", fact_id="candidate_id", why="why").sort(
        "proposal_id", "fact_id"
    )


def is_record(threshold: float | None = None) -> pl.Expr:
    """Which proposals are records: admitted ones; at a threshold (inclusive) also those below."""
    admitted = pl.col("verdict") == "admit"
    if threshold is None:
        return admitted
    below = (pl.col("verdict") == "reject") & (pl.col("reject_reason") == "below_threshold")
    return (pl.col("score") >= threshold) & (admitted | below)


def _verdicts(offers: Offered, truth: Truth, matching: Matching) -> pl.DataFrame:
    """The rows with status, fact_id, how, error_kind and the candidate_id that was decisive."""
    told = offers.pairs.join(truth.decided, on="candidate_id", maintain_order="left")
    facts, no, split = (
        told.filter(pl.col("decision") == d) for d in ("accepted", "rejected", "disputed")
    )
    rules = [
        offers.failed.with_columns(status=pl.lit("wrong"), how=pl.lit("hard_check")),
        _by(told.filter(pl.col("decision") != "unjudged"), "own_candidate"),
        *(_by(facts, how) for how in CAPTURES[matching]),
        *(_by(rows, how) for rows in (no, split) for how in EQUALS[matching]),
        *_of_doubt(offers, truth, facts, matching),
    ]
    first = pl.concat(rules, how="diagonal_relaxed").unique(
        "proposal_id", keep="first", maintain_order=True
    )
    verdicts = offers.rows.join(first, on="proposal_id", how="left", maintain_order="left")
    return verdicts.with_columns(
        pl.col("status").fill_null("unjudged"), pl.col("how").fill_null("nobody judged it")
    )


def _in_doubt(offers: Offered, truth: Truth, verdicts: pl.DataFrame) -> pl.DataFrame:
    """The doubtful pairs of the proposals that are not judged."""
    open_ = verdicts.filter(pl.col("status") == "unjudged")
    pairs_ = _unless_rejected(offers, truth).filter(pl.col("how") == "doubtful")
    return pairs_.join(open_, on="proposal_id", how="semi")


def _by(told: pl.DataFrame, how: str) -> pl.DataFrame:
    """What the candidates say that are paired in one way."""
    status = pl.col("decision").replace_strict(
        {"accepted": "correct", "rejected": "wrong", "disputed": "disputed"},
        return_dtype=pl.String,
    )
    named = pl.lit(how) if how != "equals" else pl.concat_str(pl.lit("equals_"), "decision")
    return told.filter(pl.col("how") == how).select(
        "proposal_id",
        "candidate_id",
        status=status,
        fact_id=pl.when(status != "wrong").then("candidate_id"),
        how=named,
    )


def _of_doubt(
    offers: Offered, truth: Truth, facts: pl.DataFrame, matching: Matching
) -> list[pl.DataFrame]:
    """What is in doubt, and what a whole reading says of the rest.

    In doubt is what may restate a fact, or is alike to a candidate that is not decided yet.
    """
    unsure = pl.col("how") == "doubtful"
    doubts = _unless_rejected(offers, truth).filter(
        pl.when(unsure).then(matching != "strict").otherwise(~pl.col("decided"))
    )
    alike = ~pl.col("why").str.starts_with(NO_EVIDENCE)
    rest = offers.rows.filter(pl.col("session_id").is_in(truth.whole.implode())).join(
        doubts, on="proposal_id", how="anti"
    )
    read = rest.select("proposal_id", status=pl.lit("wrong"), how=pl.lit("read_whole"))
    return [_by(facts.filter(alike), "doubtful"), read] if matching == "lenient" else [read]


def _unless_rejected(offers: Offered, truth: Truth) -> pl.DataFrame:
    """The pairs with candidates that are not rejected, and whether those are decided (accepted)."""
    kept = offers.pairs.join(truth.decided, on="candidate_id", how="left", maintain_order="left")
    known = pl.col("decision").fill_null("unjudged")
    return kept.filter(known != "rejected").with_columns(decided=known == "accepted")


def _captures(verdicts: pl.DataFrame, reasons: pl.DataFrame) -> pl.DataFrame:
    for column in ("fact_id", "error_kind", "candidate_id"):
        if column not in verdicts.columns:
            verdicts = verdicts.with_columns(pl.lit(None, dtype=pl.String).alias(column))
    blamed = verdicts.join(reasons, on="candidate_id", how="left", maintain_order="left")
    kind = pl.when(pl.col("status") == "wrong").then(pl.coalesce("error_kind", "blamed_on"))
    finished = blamed.with_columns(error_kind=kind, repeat=_repeats())
    return finished.select(list(columns("captures")))


def _claims(rows: pl.DataFrame) -> pl.Series:
    """What is claimed where and how: a hash over session, claim, scope and polarity."""
    claims = [
        content_id(session_id, ("slot", filled) if filled else ("statement", said), scope, polarity)
        for session_id, filled, said, scope, polarity in rows.select(
            "session_id", "filled", "said", "scope", "polarity"
        ).iter_rows()
    ]
    return pl.Series("claim_id", claims, pl.String)


def _repeats() -> pl.Expr:
    """Whether an earlier record of the same gate captured the same fact."""
    captured = (pl.col("status") == "correct") & (pl.col("verdict") == "admit")
    earlier = captured.cum_sum().over(
        ["gate", "setting", "fact_id"], order_by=["session_id", "turn", "proposal_id"]
    )
    return captured & (earlier > 1)


def _reject_reasons(labels: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, blamed_on where everybody who named one named the same.

    A word of another form than ours is `other`.
    """
    rows = counted(labels).filter(pl.col("question") == "reject_reason").drop_nulls("answer")
    known = pl.when(pl.col("answer").is_in(ERROR_KINDS)).then("answer").otherwise(pl.lit("other"))
    same = (
        rows.with_columns(answer=known)
        .group_by("candidate_id")
        .agg(blamed_on=pl.col("answer").first(), one=pl.col("answer").n_unique() == 1)
    )
    return same.filter("one").drop("one")
