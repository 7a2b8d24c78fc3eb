"""Transcripts into a study, and studies of a simulated world."""

from typing import Annotated

from cyclopts import Parameter

from labelling import candidates
from labelling import simulate as simulated
from labelling.cli.options import Json, Study, no_option
from labelling.console import Outcome
from labelling.transcripts.ingest import ingest as ingest_files


def ingest(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True, validator=no_option)],
    format: str = "auto",  # noqa: A002
    licence: str | None = None,
    replace: Annotated[bool, Parameter(negative="")] = False,
    study: Study = "sample",
    json: Json = False,
) -> Outcome:
    """Read transcripts into a study: tables sessions, turns, events; what fits nothing is listed.

    The same file again replaces itself; another file of the same name is refused.

    Parameters
    ----------
    files
        Files, folders or patterns to read; `-` is standard input.
    format
        jsonl, openai, sharegpt or ikat; `auto` looks, and says what it recognised and why.
    licence
        Under which licence the transcripts may be used; kept with every session.
    replace
        Let a file take the place of another one of the same name.
    """
    candidates.refuse_complete(study, "ingested into")
    return ingest_files(study, files, format=format, licence=licence, replace=replace)


def simulate(
    *,
    sessions: int = 500,
    seed: int = 7,
    turns: float = 12.2,
    study: Study = "simulated",
    json: Json = False,
) -> Outcome:
    """Make a study of a simulated world with known truth; its figures say nothing of any gate.

    Parameters
    ----------
    sessions
        How many conversations.
    seed
        The same seed makes the same study.
    turns
        Assistant turns a conversation has, in expectation (turns_per_session); at least 2.
    """
    world = simulated.World(sessions=sessions, turns_per_session=turns)
    return simulated.simulate(study, world, seed=seed)
