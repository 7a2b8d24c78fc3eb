"""Doubtful pairs, and what people said of them -> `links`.

A row of `links` is one person's word on one pair of a proposal and a fact (or a candidate that is
not decided yet); the person goes by a pseudonym. A pair captures where everybody who decided it
said the same; where they differ it stays in doubt.
"""

from datetime import UTC, datetime

import polars as pl

from labelling.tables import InputError, alias, empty, exists, frame, read, write, writing


@writing
def decide(study: str, proposal_id: str, fact_id: str, same: bool, who: str) -> int:
    """Keep a person's word on a pair, in place of that person's earlier word; returns all rows.

    Raises InputError where there is no such proposal or fact, the two are of different sessions, or
    nobody says so.
    """
    if not who.strip() or not isinstance(same, bool):
        raise InputError(
            f"{who!r} says {same!r}", expected="a name, and True or False", then="say who decides"
        )
    theirs = _session(study, "proposals", "proposal_id", proposal_id)
    ours = _session(study, "candidates", "candidate_id", fact_id)
    if theirs != ours:
        raise InputError(
            f"proposal {proposal_id} is of session {theirs!r}, fact {fact_id} of {ours!r}",
            expected="a pair of one session",
        )
    pair = {"proposal_id": proposal_id, "fact_id": fact_id, "annotator": alias(who)}
    word = frame("links", [{**pair, "same": same, "at": datetime.now(UTC)}])
    others = links(study).join(word, on=list(pair), how="anti")
    return write(study, "links", pl.concat([others, word]).sort(list(pair)))


@writing
def take_back(study: str, proposal_id: str, fact_id: str, who: str) -> int:
    """Strike a person's word on a pair; returns the rows that are left."""
    word = {"proposal_id": proposal_id, "fact_id": fact_id, "annotator": alias(who)}
    said = links(study)
    return write(study, "links", said.join(pl.DataFrame([word]), on=list(word), how="anti"))


def links(study: str) -> pl.DataFrame:
    """The table, without rows where nobody decided anything yet."""
    return read(study, "links") if exists(study, "links") else empty("links")


def settled(table: pl.DataFrame) -> pl.DataFrame:
    """proposal_id, candidate_id, same: the pairs of which everybody says one thing."""
    words = table.group_by("proposal_id", candidate_id="fact_id").agg(
        pl.col("same").first(), one=pl.col("same").n_unique() == 1
    )
    return words.filter("one").drop("one").sort("proposal_id", "candidate_id")


def _session(study: str, table: str, key: str, value: str) -> str:
    found = read(study, table).filter(pl.col(key) == value)
    if found.is_empty():
        raise InputError(
            f"study {study!r} has no {key} {value!r}",
            expected=f"one of table {table}",
            then="take the pair from the list of doubtful pairs",
        )
    return str(found["session_id"][0])
