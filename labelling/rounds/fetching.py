"""Argilla -> `labels` and `response_history`: every answer as it stands, and how it came to be."""

from collections.abc import Iterable, Mapping

import polars as pl

from labelling.answers import Change
from labelling.candidates import refuse_complete
from labelling.console import Outcome, warn, warn_if_stale
from labelling.rounds.held import CANDIDATES, STANDS_FOR, found, name_of
from labelling.rounds.progress import counts, in_words
from labelling.rounds.rows import history_rows, label_rows
from labelling.tables import exists, frame, named_people, read, write, writing
from labelling.tasks import candidates_task

_RESPONSE = ["candidate_id", "annotator"]
_KEY = [*_RESPONSE, "question", "occasion"]


@writing
def pull(study: str) -> Outcome:
    """Write `labels`: every answer in Argilla, a row each; other rows stay as they were.

    Beside it `response_history`: how every answer came to be what it is.

    So do those of answers that Argilla holds no longer, with a warning: a server can lose what
    people did, and this table may then be all there is of it. Raises InputError for the study that
    came with its labels, and when there is nothing to pull.
    """
    refuse_complete(study, "pulled into")
    warn_if_stale(study, "candidates")
    candidates = read(study, "candidates")
    held = found(study, history=True)
    before = _under_pseudonyms(study, held.names)
    answers = frame("labels", label_rows(held))
    asked = before.filter(_asked_in_argilla())
    _say_gone(asked.join(answers, on=_RESPONSE, how="anti"))
    replaced = asked.join(answers, on=_RESPONSE, how="semi")
    table = pl.concat([before.join(replaced, on=_KEY, how="anti"), answers])
    rows = write(study, "labels", table.sort(_KEY), made_from=("candidates",))
    history = _keep_history(study, held.changes)
    told = counts(held, candidates)
    return Outcome(
        f"Pulled the answers of study {study!r} from Argilla",
        read={
            f"Argilla {study}/{name_of(CANDIDATES, number)}": len(labelled.candidate_ids)
            for number, labelled in held.rounds().items()
        },
        wrote={"labels": rows, **history},
        then=f"gates reference --study {study}",
        details=told,
        text=in_words(told),
    )


def _keep_history(study: str, changes: Iterable[Change]) -> dict[str, int]:
    """Write `response_history`, where the server tells any; what it lost stays."""
    table = frame("response_history", history_rows(changes))
    if table.is_empty():
        return {}
    if exists(study, "response_history"):
        before = read(study, "response_history")
        table = pl.concat([before.join(table, on="response_id", how="anti"), table])
    table = table.sort("changed_at", "response_id", "change")
    return {"response_history": write(study, "response_history", table)}


@writing
def adopt(study: str, labels: pl.DataFrame) -> int:
    """Write labels that come with a study instead of out of Argilla."""
    return write(study, "labels", labels, made_from=("candidates",))


def _under_pseudonyms(study: str, names: Mapping[str, str]) -> pl.DataFrame:
    """The labels there are; an older version wrote the names of accounts."""
    if not exists(study, "labels"):
        return frame("labels", [])
    aliases = {name: known for known, name in names.items()}
    return read(study, "labels").with_columns(pl.col("annotator").replace(aliases))


def _asked_in_argilla() -> pl.Expr:
    """Rows that a pull wrote: not those of other sources, questions, occasions, or pilots."""
    asked = {*STANDS_FOR.values(), *(question.name for question in candidates_task().questions)}
    person = ~pl.col("annotator").str.starts_with("source:")
    wrote = pl.col("question").is_in(asked)
    return person & wrote & (pl.col("occasion") == 0) & ~pl.col("pilot")


def _say_gone(rows: pl.DataFrame) -> None:
    if not rows.is_empty():
        names = named_people()
        people = ", ".join(sorted({names.get(one, one) for one in rows["annotator"]}))
        warn(
            f"Argilla holds no answer any more for {rows.height} rows of labels "
            f"({rows['candidate_id'].n_unique()} candidates, by {people}): a dataset or an account "
            "was deleted there, or it is another server; the rows stay"
        )
