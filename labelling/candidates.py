"""Proposals, sampled sentences and corrected statements -> `candidates`: the facts to label.

Blind: a candidate says nothing of the gate that proposed it. What is the same is one candidate
(`merging`), and what is there stays as it is, so answers never lose their candidate.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from labelling.console import Outcome, warn_if_stale
from labelling.merging import Item, merge
from labelling.sampling import Sentence, is_drawn, spans_of, union, unproposed
from labelling.statistics import ratio
from labelling.tables import InputError, exists, frame, metadata, normalise, read, write, writing
from labelling.tables.decisions import counted
from labelling.tables.schemas import BASELINE_GATES

SAMPLE_P = "gates_sample_p"
"""Metadata of `candidates`: the probability of a sentence's draw, fixed at the study's first."""

COMPLETE = "gates_complete"
"""Metadata of `candidates` that came with a study, labels and all; its value is a version."""


@writing
def pool(study: str, *, gates: Iterable[str] = (), sample: int = 0) -> Outcome:
    """Write `candidates`: what is there stays, new ones join the open round or begin the next."""
    refuse_complete(study, "pooled into")
    if sample < 0:
        raise InputError(f"--sample is {sample}", expected="a number of sentences, from 0")
    warn_if_stale(study, "proposals")
    turns, proposals = read(study, "turns"), read(study, "proposals")
    before = _before(study)
    labels = read(study, "labels") if exists(study, "labels") else frame("labels", [])
    open_round = _open_round(before, labels)
    proposed = list(_proposed(_chosen(proposals, tuple(gates)), turns))
    p, drawn = _draw(study, turns, [*before, *proposed], sample)
    pooled = {proposal for item in before for proposal in item.proposal_ids}
    new = (item for item in proposed if pooled.isdisjoint(item.proposal_ids))
    fresh = [*new, *_corrected(before, labels), *drawn]
    after = merge([*before, *(replace(item, round=open_round) for item in fresh)])
    if not after:
        raise InputError(
            f"study {study!r} has nothing to label: no gate proposed anything",
            then=f"run `gates replay --study {study}`, or add `--sample 40`",
        )
    # in the order of the hashes: it says nothing of where a candidate comes from
    table = frame("candidates", map(vars, after)).sort("round", "candidate_id")
    notes = {SAMPLE_P: repr(p)} if p is not None else {}
    rows = write(study, "candidates", table, made_from=("proposals", "turns"), notes=notes)
    return _outcome(study, table, rows - len(before), open_round, p)


def _before(study: str) -> list[Item]:
    if not exists(study, "candidates"):
        return []
    return [Item(**row) for row in read(study, "candidates").iter_rows(named=True)]


def _open_round(before: list[Item], labels: pl.DataFrame) -> int:
    """The latest round, or the one after it once somebody answered in it."""
    latest = max((item.round for item in before), default=1)
    return latest + 1 if latest in set(labels["round"]) else latest


def _chosen(proposals: pl.DataFrame, gates: tuple[str, ...]) -> pl.DataFrame:
    """Proposals that are or could become records: admitted, offered, logged, below a threshold."""
    unknown = set(gates) - set(proposals["gate"])
    if unknown:
        raise InputError(
            f"there are no proposals of gate {', '.join(sorted(unknown))}",
            expected=f"of: {', '.join(sorted(set(proposals['gate']))) or 'none yet'}",
            then="run `gates replay --gate …` first",
        )
    wanted = pl.col("gate").is_in(gates) if gates else ~pl.col("gate").is_in(BASELINE_GATES)
    low = (pl.col("verdict") == "reject") & (pl.col("reject_reason") == "below_threshold")
    return proposals.filter(wanted, pl.col("verdict").is_in(["admit", "confirm", "log"]) | low)


def _proposed(chosen: pl.DataFrame, turns: pl.DataFrame) -> Iterator[Item]:
    said = {(s, t): text for s, t, text in turns.select("session_id", "turn", "text").iter_rows()}
    latest = _user_turns(turns)
    copied = ("session_id", "turn", "statement", "kind", "scope", "slot", "value", "polarity")
    for row in chosen.sort("session_id", "turn", "proposal_id").iter_rows(named=True):
        evidence = row["evidence"] or _last_user_turn(latest, said, row)
        pieces = [_piece(said, row["session_id"], span) for span in evidence]
        yield Item(
            **{column: row[column] for column in copied},
            evidence=tuple(evidence),
            quote=row["quote"] if row["quote"] is not None else " … ".join(pieces),
            expires_at=row["expires_at"],
            strata=("proposed",),
            proposal_ids=(row["proposal_id"],),
        )


def _piece(said: dict[tuple[str, int], str], session_id: str, span: dict[str, Any]) -> str:
    if (session_id, span["turn"]) not in said:
        raise InputError(
            f"a proposal rests on turn {span['turn']} of session {session_id!r}, which is gone",
            expected="proposals made from the transcripts as they are",
            then="run `gates replay` again for every gate",
        )
    return said[session_id, span["turn"]][span["start"] : span["end"]]


def _user_turns(turns: pl.DataFrame) -> dict[str, list[int]]:
    user = turns.filter(pl.col("role") == "user", ~pl.col("hidden")).sort("session_id", "turn")
    return dict(user.group_by("session_id").agg("turn").iter_rows())


def _last_user_turn(
    latest: dict[str, list[int]], said: dict[tuple[str, int], str], row: dict[str, Any]
) -> list[dict[str, Any]]:
    """Where a gate gave no evidence: the user's last turn at or before its own, for the reader."""
    past = [turn for turn in latest.get(row["session_id"], []) if turn <= row["turn"]]
    length = len(said[row["session_id"], past[-1]]) if past else 0
    return [{"turn": past[-1], "role": "user", "start": 0, "end": length}] if past else []


def _draw(
    study: str, turns: pl.DataFrame, known: list[Item], sample: int
) -> tuple[float | None, list[Item]]:
    """The study's probability of a sentence's draw (None before the first), and what is drawn."""
    p = _fixed_p(study)
    if not sample:
        return p, []
    resting = [item for item in known if item.strata != ("sampled",)]
    taken = spans_of((i.session_id for i in resting), (i.evidence for i in resting))
    universe = list(unproposed(turns, taken))
    p = min(ratio(sample, len(universe)) or 0.0, 1.0) if p is None else p
    places = Counter(map(_words, universe))
    return p or None, [
        _sampled(sentence, union([p] * places[_words(sentence)]))
        for sentence in universe
        if is_drawn(sentence, p)
    ]


def _words(sentence: Sentence) -> tuple[str, str]:
    """Sentences of one session with the same words are one candidate, drawn when any of them is."""
    return sentence.session_id, normalise(sentence.text)


def _fixed_p(study: str) -> float | None:
    found = metadata(study, "candidates").get(SAMPLE_P) if exists(study, "candidates") else None
    return None if found is None else float(found)


def _sampled(sentence: Sentence, p: float) -> Item:
    place = {"turn": sentence.turn, "role": "user", "start": sentence.start, "end": sentence.end}
    return Item(
        session_id=sentence.session_id,
        turn=sentence.turn,
        evidence=(place,),
        quote=sentence.text,
        statement=" ".join(sentence.text.split()),
        strata=("sampled",),
        inclusion_probability=p,
    )


def _corrected(before: list[Item], labels: pl.DataFrame) -> Iterator[Item]:
    """What annotators wrote under `corrected`, with the probability of what it corrects.

    Slot and scope are left open: the new words may say another one.
    """
    rows = counted(labels).filter(pl.col("question") == "corrected").drop_nulls("answer")
    by_id = {item.candidate_id: item for item in before}
    for candidate_id, answer in (
        rows.sort("candidate_id", "annotator").select("candidate_id", "answer").iter_rows()
    ):
        if candidate_id in by_id and answer.strip():
            yield replace(
                by_id[candidate_id],
                statement=" ".join(answer.split()),
                scope=None,
                slot=None,
                value=None,
                strata=("added",),
                proposal_ids=(),
                candidate_id="",
            )


def _outcome(
    study: str, table: pl.DataFrame, new: int, open_round: int, p: float | None
) -> Outcome:
    strata = table.explode("strata").group_by("strata").len().sort("strata")
    counts = ", ".join(f"{n} {stratum}" for stratum, n in strata.iter_rows())
    drawn = f"; a sentence is drawn with probability {p:.4g}" if p is not None else ""
    return Outcome(
        f"{table.height} candidates ({counts}), {new} of them new in round {open_round}{drawn}",
        wrote={"candidates": table.height},
        then=f"gates push --study {study}",
        details={"round": open_round, "new": new, "sample_probability": p},
    )


def is_complete(study: str) -> bool:
    """Whether the study came with its labels."""
    return exists(study, "candidates") and COMPLETE in metadata(study, "candidates")


def refuse_complete(study: str, done: str) -> None:
    """Raise InputError for a study that came with its labels."""
    if is_complete(study):
        raise InputError(
            f"study {study!r} came with its labels and is never {done}",
            then="name a study of your own with --study (`try` has the same transcripts)",
        )


@writing
def adopt(study: str, table: pl.DataFrame, *, notes: dict[str, str]) -> int:
    """Write candidates that come with a study instead of out of its gates' proposals."""
    return write(study, "candidates", table, made_from=("turns",), notes=notes)
