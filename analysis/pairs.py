"""Records x candidates of their sessions -> the pairs that may say the same, and how sure that is.

A row is a pair: proposal_id, candidate_id, how, why. `how`, surest first: `own_candidate` (the
candidate that the proposal became), `slot_value` (the same slot and value), `evidence_overlap` (the
same words of the user), `linked` (a person said so), `equals` (says the same, whatever kind it was
called), `doubtful` (a person has to say; `why` says what is in doubt). No pair contradicts itself:
another value, polarity or scope is never the same, unknown ones are doubtful. What is similar is at
most doubtful: any similarity puts Snowflake next to BigQuery. Spans are code points.
"""

import polars as pl

from analysis.alike import SAID, looks_alike, no_conflict, overlaps, similar

PLACE = ["session_id", "scope", "polarity"]
FORM = ["scope", "polarity", "kind"]
NO_EVIDENCE = "no evidence to compare"


def pairs(records: pl.DataFrame, cards: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """All pairs of keyed records and keyed candidates, the surest of each pair of ids alone.

    `links` {proposal_id, candidate_id, same}: what people decided; a pair said to be different is
    left out, unless the record became that very candidate.
    """
    cards = cards.sort("turn", "candidate_id")  # of several, the earliest comes first
    found = {
        "own_candidate": _own(records, cards),
        "slot_value": _same_slot(records, cards),
        "evidence_overlap": _same_words(records, cards),
        "linked": _linked(records, cards, links),
        "equals": _equal(records, cards),
        "doubtful": _doubtful(records, cards),
    }
    both = ["proposal_id", "candidate_id"]
    apart = links.filter(~pl.col("same")).select(both)
    kept = [
        rows
        if how == "own_candidate"
        else rows.join(apart, on=both, how="anti", maintain_order="left")
        for how, rows in found.items()
    ]
    named = [rows.with_columns(how=pl.lit(how)) for how, rows in zip(found, kept, strict=True)]
    every = pl.concat(named, how="diagonal_relaxed").unique(
        [*both, "how"], keep="first", maintain_order=True
    )
    return every.filter((pl.col("how") != "doubtful") | (pl.len().over(both) == 1))


def _own(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """The very candidate that the proposal became, the surest one alone.

    A candidate that is a copied sentence has no scope, kind or polarity of its own: it is that of
    every record in the same words.
    """
    by_id = cards.explode("proposal_ids").drop_nulls("proposal_ids")
    copied = cards.filter(pl.all_horizontal(pl.col(*FORM).is_null()))
    same = [
        by_id.select("candidate_id", proposal_id="proposal_ids"),
        *(
            _joined(records.drop_nulls(key), cards.drop_nulls(key), "session_id", *FORM, key)
            for key in ("filled", "said")
        ),
        _joined(records, copied, "session_id", "said"),
    ]
    found = pl.concat(_ids(rows) for rows in same)
    return found.unique("proposal_id", keep="first", maintain_order=True)


def _same_slot(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    found = _joined(
        records.drop_nulls("filled"), cards.drop_nulls("filled"), "session_id", "filled"
    )
    return _ids(found.filter(no_conflict("scope"), no_conflict("polarity")))


def _same_words(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """Scope and polarity are known to be equal; the longest overlap comes first."""
    same = overlaps(records, cards).filter(
        pl.col("scope") == pl.col("scope_card"),
        pl.col("polarity") == pl.col("polarity_card"),
        no_conflict("slot"),
        no_conflict("value"),
        ~looks_alike(),
    )
    longest = same.group_by("proposal_id", "candidate_id", "card_turn").agg(pl.col("shared").max())
    order = ["shared", "proposal_id", "card_turn", "candidate_id"]
    ordered = longest.sort(order, descending=[True, False, False, False])
    return ordered.select("proposal_id", "candidate_id")


def _linked(records: pl.DataFrame, cards: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Pairs that people said are the same; against value, polarity or scope nobody can say so."""
    same = (
        links.filter("same")
        .join(records.select("proposal_id", "session_id", *SAID), on="proposal_id")
        .join(cards, on=["candidate_id", "session_id"], suffix="_card")
    )
    return _earliest(_ids(same.filter(*map(no_conflict, ("scope", "polarity", "value")))), cards)


def _equal(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """The same slot and value or statement, scope and polarity; of whatever kind."""
    return pl.concat(
        _ids(_joined(records.drop_nulls(key), cards.drop_nulls(key), *PLACE, key))
        for key in ("filled", "said")
    )


def _doubtful(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """Pairs that a person has to decide, with what is in doubt."""
    bare = records.filter(pl.col("evidence").list.len() == 0)
    same = _joined(records, cards, "session_id", "said")
    alike = {  # the surest first
        "the same words of the user": overlaps(records, cards),
        "the same statement elsewhere": same,
        "similar statements": similar(records, cards),
        NO_EVIDENCE: _joined(bare, cards, "session_id"),
    }
    found = pl.concat(
        (
            rows.with_columns(how=pl.lit(how), sure=pl.lit(place))
            for place, (how, rows) in enumerate(alike.items())
        ),
        how="diagonal_relaxed",
    ).filter(*map(no_conflict, ("scope", "polarity", "value")))
    told = found.select("proposal_id", "candidate_id", "sure", why=_unsure()).sort("sure", "why")
    surest = told.unique(["proposal_id", "candidate_id"], keep="first", maintain_order=True)
    return _earliest(surest.drop("sure"), cards)


def _earliest(rows: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """The pairs of each record in the order of the candidates, whatever order the joins gave."""
    place = cards.select("candidate_id").with_row_index("place")
    ordered = rows.join(place, on="candidate_id").sort("proposal_id", "place")
    return ordered.drop("place")


def _unsure() -> pl.Expr:
    """What is alike, and which of scope, polarity, slot and value is unknown or another."""
    slot = (pl.col("slot") != pl.col("slot_card")).fill_null(False)
    parts = [
        pl.when(pl.any_horizontal(pl.col(c, f"{c}_card").is_null())).then(pl.lit(f"{c} unknown"))
        for c in ("scope", "polarity")
    ]
    parts.append(pl.when(slot).then(pl.lit("another slot")))
    one_value = pl.col("value").is_null() != pl.col("value_card").is_null()
    parts.append(pl.when(one_value).then(pl.lit("value unknown")))
    return pl.concat_str("how", *parts, separator=", ", ignore_nulls=True)


def _joined(records: pl.DataFrame, cards: pl.DataFrame, *on: str) -> pl.DataFrame:
    """Records with candidates, the candidates' columns under `_card`; unknown equals unknown."""
    return records.join(cards, on=on, suffix="_card", nulls_equal=True, maintain_order="left_right")


def _ids(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select("proposal_id", "candidate_id")
