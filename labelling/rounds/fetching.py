"""Argilla -> `labels` and `response_history`: every answer as it stands, and how it came to be."""

from collections.abc import Iterable, Mapping

import polars as pl

from labelling.answers import Change
from labelling.candidates import refuse_complete
from labelling.console import Outcome, warn, warn_if_stale
from labelling.rounds.held import CANDIDATES, TASK_OF, Found, found, name_of
from labelling.rounds.progress import counts, in_words
from labelling.rounds.readings import placed
from labelling.rounds.rows import PILOT_OCCASION, history_rows, label_rows
from labelling.tables import exists, frame, named_people, read, write, writing

_RESPONSE = ["candidate_id", "annotator", "occasion", "task"]
_KEY = ["candidate_id", "annotator", "question", "occasion"]


@writing
def pull(study: str) -> Outcome:
    """Write `labels`: every answer in Argilla, a row each; other rows stay as they were.

    Beside it `response_history`: how every answer came to be what it is.

    So do those of answers that Argilla holds no longer, with a warning: a server can lose what
    people did, and this table may then be all there is of it. Raises InputError for the study that
    came with its labels, and when there is nothing to pull.
    """
    candidates = read(study, "candidates")
    held, wrote = take(study)
    told = counts(held, candidates)
    return Outcome(
        f"Pulled the answers of study {study!r} from Argilla",
        read={
            f"Argilla {study}/{name_of(CANDIDATES, number)}": len(labelled.candidate_ids)
            for number, labelled in held.rounds().items()
        },
        wrote=wrote,
        then=f"gates reference --study {study}",
        details=told,
        text=in_words(told),
    )


def take(study: str, only: str | None = None) -> tuple[Found, dict[str, int]]:
    """Write `labels` and `response_history` from what Argilla holds, or from one task of it.

    Returns what was found, and the rows written by table; the study's lock is held by the caller.
    """
    refuse_complete(study, "pulled into")
    warn_if_stale(study, "candidates")
    held = placed(study, found(study, history=True, only=only))
    before = _under_pseudonyms(study, held.names)
    answers = frame("labels", label_rows(held)).with_columns(task=_task())
    asked = before.with_columns(task=_task()).filter(_asked_in_argilla(only))
    _say_gone(asked.join(answers, on=_RESPONSE, how="anti"))
    replaced = asked.join(answers, on=_RESPONSE, how="semi")
    table = pl.concat([before.join(replaced, on=_KEY, how="anti"), answers.drop("task")])
    rows = write(study, "labels", table.sort(_KEY), made_from=("candidates",))
    return held, {"labels": rows, **_keep_history(study, held.changes)}


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


def _task() -> pl.Expr:
    return pl.col("question").replace_strict(TASK_OF, default=None, return_dtype=pl.String)


def _asked_in_argilla(only: str | None) -> pl.Expr:
    """Rows that a pull (of one task) wrote: not those of other sources or questions."""
    person = ~pl.col("annotator").str.starts_with("source:")
    wrote = pl.col("task").is_not_null() if only is None else pl.col("task") == only
    return person & wrote & (pl.col("pilot") == (pl.col("occasion") == PILOT_OCCASION))


def _say_gone(rows: pl.DataFrame) -> None:
    if not rows.is_empty():
        names = named_people()
        people = ", ".join(sorted({names.get(one, one) for one in rows["annotator"]}))
        warn(
            f"Argilla holds no answer any more for {rows.height} rows of labels "
            f"({rows['candidate_id'].n_unique()} candidates, by {people}): a dataset or an account "
            "was deleted there, or it is another server; the rows stay"
        )
