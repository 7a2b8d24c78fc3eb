"""How a record and a candidate of its session can be alike: in words of the user, in statements.

A row of a result is a pair of rows, the candidate's columns with the suffix `_card`. Spans are code
points, end exclusive.
"""

import polars as pl

from labelling.tables import normalise

SAID = ("scope", "polarity", "slot", "value", "said", "quote")
SIMILAR = 0.5
"""Share of the words of two statements that both have, at and above which they are similar."""

_SMALL = (
    "a an and are as at be by for from has have her his i in is it its my of on our s she he that "
    "the their they this to use used uses user users was we with you your"
).split()


def keyed(table: pl.DataFrame) -> pl.DataFrame:
    """Slot and value normalised, and with `said` (statement) and `filled` (both, where known)."""
    said, slot, value = (
        _normalised(table[column]).alias(name)
        for name, column in (("said", "statement"), ("slot", "slot"), ("value", "value"))
    )
    # a tab is in no normalised text, so no slot and value look like another pair
    return table.with_columns(said, slot, value).with_columns(
        filled=pl.concat_str("slot", "value", separator="\t")
    )


def no_conflict(column: str) -> pl.Expr:
    """Equal, or one of the two unknown."""
    return (pl.col(column) == pl.col(f"{column}_card")).fill_null(True)


def looks_alike() -> pl.Expr:
    """Whether the one has a value that stands in the user's words, and the other does not name it.

    Words that hold Snowflake and BigQuery are evidence for a statement about either.
    """
    return _left_out("value", "quote", "said_card") | _left_out("value_card", "quote_card", "said")


def _left_out(value: str, quote: str, statement: str) -> pl.Expr:
    searched, words, text = (
        pl.concat_str(pl.lit(" "), pl.col(c).str.replace_all(r"\W+", " "), pl.lit(" "))
        for c in (value, quote, statement)
    )
    inside = words.str.to_lowercase().str.contains(searched, literal=True)
    return (inside & ~text.str.contains(searched, literal=True)).fill_null(False)


def overlaps(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """Pairs whose user evidence shares at least half of the shorter span in one turn."""
    theirs = spans(records, *SAID)
    ours = spans(cards.rename({"turn": "card_turn"}), "card_turn", *SAID, key="candidate_id")
    both = theirs.filter(pl.col("role") == "user").join(
        ours.filter(pl.col("role") == "user"), on=["session_id", "turn"], suffix="_card"
    )
    shared = pl.min_horizontal("end", "end_card") - pl.max_horizontal("start", "start_card")
    length = pl.min_horizontal(
        pl.col("end") - pl.col("start"), pl.col("end_card") - pl.col("start_card")
    )
    return both.with_columns(shared=shared).filter(
        pl.col("shared") > 0, 2 * pl.col("shared") >= length
    )


def similar(records: pl.DataFrame, cards: pl.DataFrame) -> pl.DataFrame:
    """Pairs of statements that share at least half of the words that either has."""
    theirs, ours = _words(records, "proposal_id"), _words(cards, "candidate_id")
    shared = (
        theirs.join(ours, on=["session_id", "word"], suffix="_card")
        .group_by("proposal_id", "candidate_id")
        .agg(pl.len(), pl.col("words", "words_card").first())
        .filter(pl.col("len") >= SIMILAR * (pl.col("words") + pl.col("words_card") - pl.col("len")))
    )
    return (
        shared.select("proposal_id", "candidate_id")
        .join(records.select("proposal_id", *SAID), on="proposal_id")
        .join(cards.select("candidate_id", *SAID), on="candidate_id", suffix="_card")
    )


def spans(table: pl.DataFrame, *more: str, key: str = "proposal_id") -> pl.DataFrame:
    """A row a piece of evidence."""
    kept = table.select(key, "session_id", *more, "evidence").explode("evidence")
    return kept.drop_nulls("evidence").unnest("evidence")


def _normalised(column: pl.Series) -> pl.Series:
    distinct = column.drop_nulls().unique()
    texts = pl.Series([normalise(text) for text in distinct], dtype=pl.String)
    return column.replace_strict(distinct, texts, default=None, return_dtype=pl.String)


def _words(table: pl.DataFrame, key: str) -> pl.DataFrame:
    """A row a word that says something, with how many the statement has."""
    words = pl.col("said").str.extract_all(r"\w+").list.unique()
    told = table.select(key, "session_id", word=words).explode("word").drop_nulls("word")
    return told.filter(~pl.col("word").is_in(_SMALL)).with_columns(words=pl.len().over(key))
