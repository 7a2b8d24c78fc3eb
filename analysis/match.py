"""Records -> `captures`: each record judged by the first rule of DESIGN section 5 that holds.

The rules, in order: a hard check fails (wrong); its own candidate decides; it captures a reference
fact (correct); it equals a rejected candidate (wrong); it equals a disputed one (disputed); its
session was read whole by both and nothing is in doubt (wrong); else it is unjudged. `how` names the
rule. Reference first, produced second; spans are code points, end exclusive.
"""

import polars as pl

from labelling.tables import columns, content_id, empty, normalise
from labelling.tables.decisions import counted, decisions, read_whole

PLACE = ["session_id", "scope", "polarity"]
_FORM = ["scope", "polarity", "kind"]


def judged(
    proposals: pl.DataFrame,
    *,
    turns: pl.DataFrame,
    events: pl.DataFrame,
    candidates: pl.DataFrame,
    labels: pl.DataFrame,
    reference_facts: pl.DataFrame,
) -> pl.DataFrame:
    """The table `captures`: a row a record, or a proposal that some threshold would make one."""
    records = _keyed(_could_be_records(proposals))
    if records.is_empty():
        return empty("captures")
    known = _keyed(candidates).join(decisions(labels, candidates), on="candidate_id")
    facts = _facts(reference_facts, known)
    whole = pl.Series(read_whole(labels), dtype=pl.String)
    rules = [
        _hard_check(records, turns, events),
        _own_candidate(records, known),
        _captured(records, facts),
        _equal(records, known, "rejected", "wrong"),
        _equal(records, known, "disputed", "disputed"),
        _read_whole(records, whole, _in_doubt(records, facts, known)),
    ]
    first = pl.concat(rules, how="diagonal_relaxed").unique(
        "proposal_id", keep="first", maintain_order=True
    )
    verdicts = records.join(first, on="proposal_id", how="left", maintain_order="left")
    return _finished(verdicts.with_columns(pl.col("status").fill_null("unjudged")), labels)


def is_record(threshold: float | None = None) -> pl.Expr:
    """Which proposals are records: admitted ones; at a threshold (inclusive) also those below."""
    admitted = pl.col("verdict") == "admit"
    if threshold is None:
        return admitted
    below = (pl.col("verdict") == "reject") & (pl.col("reject_reason") == "below_threshold")
    return (pl.col("score") >= threshold) & (admitted | below)


def _could_be_records(proposals: pl.DataFrame) -> pl.DataFrame:
    return proposals.filter(is_record() | is_record(float("-inf")))


def _keyed(table: pl.DataFrame) -> pl.DataFrame:
    """Slot and value normalised, and with `said` (statement) and `filled` (both, where known)."""
    said, slot, value = (
        pl.Series(name, [None if text is None else normalise(text) for text in column], pl.String)
        for name, column in (
            ("said", table["statement"]),
            ("slot", table["slot"]),
            ("value", table["value"]),
        )
    )
    # a tab is in no normalised text, so no slot and value look like another pair
    return table.with_columns(said, slot, value).with_columns(
        filled=pl.concat_str("slot", "value", separator="\t")
    )


def _facts(reference_facts: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Reference facts with the evidence and polarity of their candidates."""
    seen = known.select("candidate_id", "evidence", "polarity")
    facts = _keyed(reference_facts).rename({"turn": "fact_turn"})
    return facts.join(seen, left_on="fact_id", right_on="candidate_id", how="left")


def _verdict(rows: pl.DataFrame, status: str, how: str, fact: str | None = None) -> pl.DataFrame:
    fact_id = pl.col(fact) if fact else pl.lit(None, dtype=pl.String)
    return rows.select("proposal_id", status=pl.lit(status), fact_id=fact_id, how=pl.lit(how))


def _hard_check(records: pl.DataFrame, turns: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Wrong: a quote without a user's words outside injected text behind it.

    A remember press is evidence for its own statement. A record that a live gate wrote without any
    quote cannot be checked and is left to the other rules.
    """
    support = (
        _user_spans(records, turns)
        .group_by("proposal_id")
        .agg(by_user=pl.col("user").any(), sound=(pl.col("user") & ~pl.col("injected")).any())
    )
    failed = (
        records.filter(pl.col("quote").is_not_null() | (pl.col("evidence").list.len() > 0))
        .join(_pressed(records, events), on="proposal_id", how="anti")
        .join(support, on="proposal_id", how="left")
        .filter(~pl.col("sound").fill_null(False))
    )
    kind = (
        pl.when(pl.col("by_user").is_null())
        .then(pl.lit("unsupported"))
        .when("by_user")
        .then(pl.lit("injected"))
        .otherwise(pl.lit("assistant_claim"))
    )
    return _verdict(failed, "wrong", "hard_check").with_columns(failed.select(error_kind=kind))


def _user_spans(records: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """A row a piece of evidence: is it in a user's turn, does it touch injected text?"""
    said = turns.select("session_id", "turn", "injected_spans", user=pl.col("role") == "user")
    spans = _spans(records).drop("role").join(said, on=["session_id", "turn"])
    inside = pl.col("injected_spans").struct
    touches = (inside.field("start") < pl.col("end")) & (pl.col("start") < inside.field("end"))
    return (
        spans.with_row_index("span")
        .explode("injected_spans", empty_as_null=True)
        .group_by("span", "proposal_id")
        .agg(user=pl.col("user").first(), injected=touches.fill_null(False).any())
    )


def _pressed(records: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    presses = events.filter(pl.col("event") == "remember_pressed").drop_nulls("statement")
    said = [normalise(statement) for statement in presses["statement"]]
    keyed = presses.select("session_id").with_columns(pl.Series("said", said, pl.String))
    return records.join(keyed, on=["session_id", "said"], how="semi").select("proposal_id")


def _own_candidate(records: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """What two people said of the very candidate that the proposal became.

    A candidate that is a copied sentence has no scope, kind or polarity of its own: it is that of
    every record in the same words.
    """
    by_id = known.explode("proposal_ids").drop_nulls("proposal_ids")
    copied = known.filter(pl.all_horizontal(pl.col(*_FORM).is_null()))
    same = [
        records.join(by_id, left_on="proposal_id", right_on="proposal_ids"),
        *(
            records.drop_nulls(key).join(
                known.drop_nulls(key), on=["session_id", *_FORM, key], nulls_equal=True
            )
            for key in ("filled", "said")
        ),
        records.join(copied, on=["session_id", "said"]),
    ]
    found = pl.concat(
        pairs.select("proposal_id", "candidate_id", "decision") for pairs in same
    ).unique("proposal_id", keep="first", maintain_order=True)
    return _decided(found, "own_candidate")


def _decided(found: pl.DataFrame, how: str) -> pl.DataFrame:
    parts = [
        _verdict(found.filter(pl.col("decision") == decision), status, how, fact)
        for decision, status, fact in (
            ("accepted", "correct", "candidate_id"),
            ("rejected", "wrong", None),
            ("disputed", "disputed", "candidate_id"),
        )
    ]
    blamed = found.select("proposal_id", "candidate_id")
    return pl.concat(parts).join(blamed, on="proposal_id", how="left", maintain_order="left")


def _captured(records: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Correct: the same slot and value, or words that overlap by half of the shorter span."""
    same_slot = (
        records.drop_nulls("filled")
        .join(facts.drop_nulls("filled"), on=["session_id", "filled"], suffix="_fact")
        .filter(_no_conflict("scope"), _no_conflict("polarity"))
    )
    overlap = _overlaps(records, facts).filter(
        pl.col("scope") == pl.col("scope_fact"),
        pl.col("polarity") == pl.col("polarity_fact"),
        _no_conflict("slot"),
        _no_conflict("value"),
    )
    order = ["proposal_id", "fact_turn", "fact_id"]
    longest = overlap.sort("shared", *order, descending=[True, False, False, False])
    return pl.concat(
        [
            _verdict(same_slot.sort(order), "correct", "slot_value", "fact_id"),
            _verdict(longest, "correct", "evidence_overlap", "fact_id"),
        ]
    )


def _no_conflict(column: str) -> pl.Expr:
    """Equal, or one of the two unknown."""
    return (pl.col(column) == pl.col(f"{column}_fact")).fill_null(True)


def _overlaps(records: pl.DataFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Pairs whose user evidence shares at least half of the shorter span in one turn."""
    theirs = _spans(records, "scope", "polarity", "slot", "value")
    ours = _spans(facts, "fact_turn", "scope", "polarity", "slot", "value", key="fact_id")
    pairs = theirs.filter(pl.col("role") == "user").join(
        ours.filter(pl.col("role") == "user"), on=["session_id", "turn"], suffix="_fact"
    )
    shared = pl.min_horizontal("end", "end_fact") - pl.max_horizontal("start", "start_fact")
    length = pl.min_horizontal(
        pl.col("end") - pl.col("start"), pl.col("end_fact") - pl.col("start_fact")
    )
    return pairs.with_columns(shared=shared).filter(
        pl.col("shared") > 0, 2 * pl.col("shared") >= length
    )


def _spans(table: pl.DataFrame, *more: str, key: str = "proposal_id") -> pl.DataFrame:
    """A row a piece of evidence."""
    kept = table.select(key, "session_id", *more, "evidence").explode("evidence")
    return kept.drop_nulls("evidence").unnest("evidence")


def _equal(records: pl.DataFrame, known: pl.DataFrame, decision: str, status: str) -> pl.DataFrame:
    """What equals a candidate that was decided, whatever kind it was called."""
    decided = known.filter(pl.col("decision") == decision)
    found = pl.concat(
        [
            records.drop_nulls(key)
            .join(decided.drop_nulls(key), on=[*PLACE, key], nulls_equal=True)
            .select("proposal_id", "candidate_id")
            for key in ("filled", "said")
        ]
    ).unique("proposal_id", keep="first", maintain_order=True)
    fact = "candidate_id" if status == "disputed" else None
    rows = _verdict(found, status, f"equals_{decision}", fact)
    return rows.join(found, on="proposal_id", how="left", maintain_order="left")


def _in_doubt(records: pl.DataFrame, facts: pl.DataFrame, known: pl.DataFrame) -> pl.Series:
    """Proposals that may restate a fact or an undecided candidate: a person has to say.

    Their evidence overlaps, or they say the same, or a record has no evidence to compare.
    """
    open_ = known.filter(pl.col("decision") != "rejected").select(
        "session_id",
        "scope",
        "polarity",
        "slot",
        "value",
        "said",
        "evidence",
        fact_turn="turn",
        fact_id="candidate_id",
    )
    theirs = pl.concat([open_, facts.select(open_.columns)])
    pairs = pl.concat(
        [
            _overlaps(records, theirs),
            records.join(theirs, on=["session_id", "said"], suffix="_fact"),
        ],
        how="diagonal_relaxed",
    ).filter(_no_conflict("scope"), _no_conflict("polarity"), _no_conflict("value"))
    bare = records.filter(pl.col("evidence").list.len() == 0)
    return pl.concat(
        [pairs["proposal_id"], bare.join(theirs, on="session_id", how="semi")["proposal_id"]]
    ).unique()


def _read_whole(records: pl.DataFrame, whole: pl.Series, doubtful: pl.Series) -> pl.DataFrame:
    rows = records.filter(
        pl.col("session_id").is_in(whole.implode()),
        ~pl.col("proposal_id").is_in(doubtful.implode()),
    )
    return _verdict(rows, "wrong", "read_whole")


def _finished(verdicts: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    for column in ("fact_id", "how", "error_kind", "candidate_id"):
        if column not in verdicts.columns:
            verdicts = verdicts.with_columns(pl.lit(None, dtype=pl.String).alias(column))
    claims = [
        content_id(session_id, ("slot", filled) if filled else ("statement", said), scope, polarity)
        for session_id, filled, said, scope, polarity in verdicts.select(
            "session_id", "filled", "said", "scope", "polarity"
        ).iter_rows()
    ]
    reasons = verdicts.select("candidate_id").join(
        _reject_reasons(labels), on="candidate_id", how="left", maintain_order="left"
    )
    wrong = pl.col("status") == "wrong"
    captures = verdicts.with_columns(
        pl.Series("claim_id", claims, pl.String),
        reasons["reject_reason"],
        how=pl.col("how").fill_null("nobody judged it"),
    ).with_columns(
        error_kind=pl.when(wrong).then(pl.coalesce("error_kind", "reject_reason")),
        repeat=_repeats(),
    )
    return captures.select(list(columns("captures")))


def _repeats() -> pl.Expr:
    """Whether an earlier record of the same gate captured the same fact."""
    captured = (pl.col("status") == "correct") & (pl.col("verdict") == "admit")
    earlier = captured.cum_sum().over(
        ["gate", "setting", "fact_id"], order_by=["session_id", "turn", "proposal_id"]
    )
    return captured & (earlier > 1)


def _reject_reasons(labels: pl.DataFrame) -> pl.DataFrame:
    """candidate_id, reject_reason where everybody who named one named the same."""
    rows = counted(labels).filter(pl.col("question") == "reject_reason").drop_nulls("answer")
    same = rows.group_by("candidate_id").agg(
        reject_reason=pl.col("answer").first(), one=pl.col("answer").n_unique() == 1
    )
    return same.filter("one").drop("one")
