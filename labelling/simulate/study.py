"""Writes a simulated study: every table up to `labels`, and `truth`.

World, gates, annotators and draws of sentences each have their own stream of random numbers: adding
a gate changes no other gate's rows, no turn, and no answer to what was a candidate before. Tables
are made and written one after another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain

import polars as pl

from labelling.candidates import COMPLETE
from labelling.console import Outcome
from labelling.simulate import annotators as people
from labelling.simulate import labelled, offered, transcripts, wording
from labelling.simulate.annotators import Annotator
from labelling.simulate.chapter import ANNOTATORS, chapter_gates
from labelling.simulate.claims import make_claims
from labelling.simulate.gates import GateModel, offers
from labelling.simulate.truth import make_truth
from labelling.simulate.world import World, make_sessions
from labelling.tables import (
    SIMULATED,
    InputError,
    columns,
    exists,
    locked,
    metadata,
    study_folder,
    write,
)

SAYS = "a simulated world with known truth: its figures are no evidence about any gate"
TRANSCRIPTS = ("turns", "events", "sessions")
MADE_FROM = {
    "sessions": ("turns", "events"),
    "proposals": TRANSCRIPTS,
    "gate_turns": TRANSCRIPTS,
    "candidates": ("proposals", "turns"),
    "labels": ("candidates",),
}
"""Table -> what it is made from; the others are made from nothing."""
TABLES = ("turns", "events", "truth", *MADE_FROM)


def simulate(
    study: str,
    world: World | None = None,
    *,
    seed: int = 7,
    annotators: Sequence[Annotator] = ANNOTATORS,
    gates: Sequence[GateModel] | None = None,
) -> Outcome:
    """Write a study of a world; without a world and gates, those of the chapter.

    Raises InputError for a negative seed, and where the study holds anything that is not simulated.
    """
    _refuse_real(study)
    if seed < 0:
        raise InputError(f"--seed is {seed}", expected="a whole number from 0")
    there = world or World()
    models = chapter_gates(there, annotators) if gates is None else gates
    with locked(study, new=True):
        _refuse_real(study)  # again: another command may have written meanwhile
        wrote = {
            name: write(
                study, name, table, made_from=MADE_FROM.get(name, ()), notes=_notes(name, seed)
            )
            for name, table in made(there, seed, annotators, models)
        }
    return Outcome(
        f"made {there.sessions:,} session{'s' * (there.sessions != 1)} of {SAYS}",
        wrote=wrote,
        where=str(study_folder(study)),
        then=f"gates reference --study {study}, then gates score --split all --study {study}",
        details={"seed": seed, "world": vars(there), "gates": [asdict(model) for model in models]},
    )


def made(
    world: World, seed: int, annotators: Sequence[Annotator], models: Sequence[GateModel]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """The tables by name, in the order in which they are made from one another."""
    sessions = make_sessions(world, seed)
    claims = make_claims(world, sessions, seed)
    pieces = wording.pieces(sessions, claims)
    truth = make_truth(claims, pieces)
    proposals = [offered.proposals(model, offers(model, truth, seed), truth) for model in models]
    yield "turns", transcripts.turn_rows(sessions, pieces)
    yield "events", transcripts.event_rows(models, proposals)
    yield "truth", truth.select(list(columns("truth")))
    yield "sessions", transcripts.session_rows(sessions)
    yield "proposals", pl.concat(proposals).select(list(columns("proposals")))
    yield (
        "gate_turns",
        pl.concat(
            offered.gate_turns(model, rows, sessions, seed)
            for model, rows in zip(models, proposals, strict=True)
        ),
    )
    yield from _labelling(world, seed, annotators, sessions, pieces, truth, pl.concat(proposals))


def _labelling(
    world: World,
    seed: int,
    annotators: Sequence[Annotator],
    sessions: pl.DataFrame,
    pieces: pl.DataFrame,
    truth: pl.DataFrame,
    proposals: pl.DataFrame,
) -> Iterator[tuple[str, pl.DataFrame]]:
    read = labelled.read_sessions(world, sessions, seed)
    drawn = labelled.drawn_sentences(world, pieces, seed)
    claims = labelled.claim_candidates(world, truth, proposals, read, drawn)
    nothing = labelled.empty_candidates(world, sessions, drawn)
    yield "candidates", pl.concat([claims, nothing])
    asked = truth.select("claim", candidate_id="fact_id").join(
        claims, on="candidate_id", how="semi"
    )
    answered = chain.from_iterable(
        (
            people.answers(person, truth, seed).join(asked, on="claim"),
            people.empty_answers(person, nothing, seed),
        )
        for person in annotators
    )
    given = pl.concat([people.labels(answers) for answers in answered])
    yield "labels", pl.concat([given, people.readings(read, annotators)])


def _notes(table: str, seed: int) -> dict[str, str]:
    complete = {COMPLETE: f"{SIMULATED} {seed}"} if table == "candidates" else {}
    return {SIMULATED: f"{SAYS}; seed {seed}", **complete}


def _refuse_real(study: str) -> None:
    study_folder(study)
    real = [
        name for name in TABLES if exists(study, name) and SIMULATED not in metadata(study, name)
    ]
    if real:
        raise InputError(
            f"study {study!r} holds {', '.join(real)} that are not simulated",
            expected="a new study, or one that was simulated",
            then="choose another --study",
        )
