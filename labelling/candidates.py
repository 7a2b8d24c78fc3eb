"""Proposals, sampled sentences, marks of readers and corrections -> `candidates`: facts to label.

Blind: a candidate says nothing of the gate that proposed it. What is the same is one candidate
(`merging`), and what is there stays as it is, so answers never lose their candidate.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from labelling import reading
from labelling.console import Outcome, amount, warn_if_stale
from labelling.merging import Item, merge
from labelling.proposed import chosen, proposed_items
from labelling.sampling import Sentence, is_drawn, spans_of, union, unproposed
from labelling.statistics import ratio
from labelling.tables import InputError, exists, frame, metadata, normalise, read, write, writing
from labelling.tables.decisions import REQUIRED, counted
from labelling.tables.marks import marks, open_marks

SAMPLE_P = "gates_sample_p"
"""Metadata of `candidates`: the probability of a sentence's draw, fixed at the study's first."""

COMPLETE = "gates_complete"
"""Metadata of `candidates` that came with a study, labels and all; its value is a version."""

QUESTIONS = (*REQUIRED, "evidence_form", "reject_reason", "corrected", "note", "task")
"""Answers to these open the next round; readings and adjudications do not."""


@writing
def pool(
    study: str,
    *,
    gates: Iterable[str] = (),
    sample: int = 0,
    read_sessions: int = 0,
    unjudged: bool = False,
) -> Outcome:
    """Write `candidates`: what is there stays, new ones join the open round or begin the next.

    Probabilities are brought up to date with what was read since. `unjudged`: of the proposals
    only those that the last scoring left unjudged; corrections and marks wait.
    """
    refuse_complete(study, "pooled into")
    _refuse_negative(sample=sample, read_sessions=read_sessions)
    warn_if_stale(study, "proposals", *(["captures"] if unjudged else []))
    turns, proposals = read(study, "turns"), read(study, "proposals")
    before = _before(study)
    labels = read(study, "labels") if exists(study, "labels") else frame("labels", [])
    open_round = _open_round(before, labels)
    # a proposal takes its place from the draw of sentences, whether it becomes a candidate or not
    offered = list(proposed_items(chosen(proposals, tuple(gates)), turns))
    wanted = _unjudged(study, offered) if unjudged else offered
    drawn = reading.draw(study, turns, labels, read_sessions)
    needed = bool(sample or drawn.chance)
    p, universe = _universe(study, turns, [*before, *offered], sample, needed=needed)
    marked = marks(labels)
    pooled = {proposal for item in before for proposal in item.proposal_ids}
    new = [item for item in wanted if pooled.isdisjoint(item.proposal_ids)]
    known, sampled = reading.absorbed(before, _drawn(universe, p) if sample else [])
    found = reading.found(
        marked,
        [] if unjudged else open_marks(labels, frame("candidates", map(vars, before))),
        [*known, *(replace(item, round=open_round) for item in [*new, *sampled])],
        turns,
    )
    corrected = [] if unjudged else _corrected(before, labels)
    late = (replace(item, round=open_round) for item in [*corrected, *found.new])
    merged = reading.reweighed(merge([*found.known, *late]), drawn, p, universe, marked)
    after = reading.with_origins(merged, _corrected(merged, labels)) if drawn.chance else merged
    if not after and not drawn.drawn:
        raise InputError(
            f"study {study!r} has nothing to label: no gate proposed anything",
            then=f"run `gates replay --study {study}`, or add `--sample 40`",
        )
    # in the order of the hashes: it says nothing of where a candidate comes from
    table = frame("candidates", map(vars, after)).sort("round", "candidate_id")
    fixed = {SAMPLE_P: p, reading.READ_P: drawn.p}
    notes = {name: repr(value) for name, value in fixed.items() if value is not None}
    rows = write(study, "candidates", table, made_from=("proposals", "turns"), notes=notes)
    return _outcome(study, table, rows - len(before), open_round, p, drawn)


def _refuse_negative(**given: int) -> None:
    for name, number in given.items():
        if number < 0:
            option, what = f"--{name.replace('_', '-')}", name.split("_")[-1]
            things = {"sample": "sentences", "sessions": "sessions"}[what]
            raise InputError(f"{option} is {number}", expected=f"a number of {things}, from 0")


def _before(study: str) -> list[Item]:
    if not exists(study, "candidates"):
        return []
    return [Item(**row) for row in read(study, "candidates").iter_rows(named=True)]


def _open_round(before: list[Item], labels: pl.DataFrame) -> int:
    """The latest round, or the one after it once somebody answered in it; pilots do not count."""
    latest = max((item.round for item in before), default=1)
    answered = labels.filter(pl.col("question").is_in(QUESTIONS), ~pl.col("pilot"))
    return latest + 1 if latest in set(answered["round"]) else latest


def _unjudged(study: str, offered: Iterable[Item]) -> list[Item]:
    """The proposals that the last scoring left unjudged."""
    captures = read(study, "captures").filter(pl.col("status") == "unjudged")
    open_ = set(captures["proposal_id"])
    return [item for item in offered if open_.issuperset(item.proposal_ids)]


def _universe(
    study: str, turns: pl.DataFrame, known: list[Item], sample: int, *, needed: bool
) -> tuple[float | None, list[Sentence]]:
    """The study's probability of a sentence's draw (None before the first), and what it is of."""
    p = _fixed_p(study)
    if not needed or not (sample or p):
        return p, []
    resting = [item for item in known if "proposed" in item.strata]
    taken = spans_of((i.session_id for i in resting), (i.evidence for i in resting))
    universe = list(unproposed(turns, taken))
    p = min(ratio(sample, len(universe)) or 0.0, 1.0) if p is None else p
    return p or None, universe


def _drawn(universe: list[Sentence], p: float | None) -> list[Item]:
    places = Counter(map(_words, universe))
    return [
        _sampled(sentence, union([p] * places[_words(sentence)]))
        for sentence in universe
        if p and is_drawn(sentence, p)
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
    study: str,
    table: pl.DataFrame,
    new: int,
    open_round: int,
    p: float | None,
    drawn: reading.Draw,
) -> Outcome:
    strata = table.explode("strata").group_by("strata").len().sort("strata")
    counts = ", ".join(f"{n} {stratum}" for stratum, n in strata.iter_rows())
    told = f" ({counts})" if counts else ""
    sampled = f"; a sentence is drawn with probability {p:.4g}" if p is not None else ""
    return Outcome(
        f"{amount(table.height, 'candidate')}{told}, {new} of them new in round "
        f"{open_round}{sampled}",
        wrote={"candidates": table.height},
        then=f"gates push --study {study}",
        details={"round": open_round, "new": new, "sample_probability": p, **drawn.plain()},
        text="\n".join(drawn.in_words()),
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
