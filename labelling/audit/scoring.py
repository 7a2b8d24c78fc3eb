"""`audit_records`, `audit_users` and answers -> `audit_labels` and `audits`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from labelling.audit.alarm import STATED, alarms
from labelling.audit.answers import Answers, read_answers
from labelling.audit.asking import AUDIT
from labelling.audit.asking import answers as in_argilla
from labelling.audit.figures import figures
from labelling.console import Outcome, warn
from labelling.tables import (
    InputError,
    empty,
    exists,
    frame,
    read,
    study_folder,
    write,
    write_text,
    writing,
)
from labelling.tables.strike import SHEET_REJECTS as REJECTS

UPSTREAM = ("audit_records", "audit_users", "audit_labels")


@writing
def score(study: str, paths: Sequence[Path] = (), *, limit: float | None = None) -> Outcome:
    """Take in answers, and write `audits`: every audit of the study anew.

    The answers are those of the sheets given, and those that Argilla holds where it runs; where a
    person answered the same record in both, Argilla's counts.

    `limit`: the wrong share that the alarm is about; the one stated before, else what the first
    audit leaves possible. Raises InputError for an impossible limit, and where nothing fits.
    """
    if limit is not None and not 0 < limit < 1:
        raise InputError(f"--limit is {limit}", expected="a share between 0 and 1, such as 0.1")
    records, users = read(study, "audit_records"), read(study, "audit_users")
    if records.is_empty():
        raise InputError(
            f"study {study!r} has drawn no record", then=f"run `gates audit draw --study {study}`"
        )
    answers = read_answers(paths, records)
    asked = in_argilla(study, records)
    labels = _merged(study, answers.labels, asked)
    table = audits(records, users, labels, _stated(study, limit))
    _list_rejects(study, answers)
    wrote = {
        "audit_labels": write(study, "audit_labels", labels, made_from=("audit_records",)),
        "audits": write(study, "audits", table, made_from=UPSTREAM),
    }
    taken = {"sheets": answers.labels.height, f"Argilla {study}/{AUDIT}": asked.height}
    return _outcome(study, table, answers, taken, wrote)


def audits(
    records: pl.DataFrame, users: pl.DataFrame, labels: pl.DataFrame, limit: float | None
) -> pl.DataFrame:
    """Table `audits`, by source and time; the alarm goes through the audits of each source."""
    rows, why = [], {}
    for (audit,), drawn in records.group_by("audit", maintain_order=True):
        mine = users.filter(pl.col("audit") == audit)
        row, why[audit] = figures(drawn, mine, labels)
        rows.append(row)
    table = frame("audits", rows).sort("source", "drawn_at", "audit")
    parts = [alarms(part, limit) for _, part in table.group_by("source", maintain_order=True)]
    watched = pl.concat(parts)
    reasons = [_reasons(row, why[row["audit"]]) for row in watched.iter_rows(named=True)]
    return frame(
        "audits",
        (
            {**row, "reasons": told}
            for row, told in zip(watched.drop("why").iter_rows(named=True), reasons, strict=True)
        ),
    )


def _reasons(row: dict[str, Any], known: dict[str, str]) -> list[dict[str, str]]:
    watched = ("running_share", "running_low", "running_high", "limit", "evidence", "alarm")
    alarm = {name: row["why"] for name in watched if row[name] is None and row["why"]}
    return [{"column": name, "reason": why} for name, why in {**known, **alarm}.items()]


def _merged(study: str, *fresh: pl.DataFrame) -> pl.DataFrame:
    """The answers so far, but for those that a person gave anew; the last of them count."""
    labels = read(study, "audit_labels") if exists(study, "audit_labels") else empty("audit_labels")
    for answers in fresh:
        kept = labels.join(answers, on=["candidate_id", "annotator"], how="anti")
        labels = pl.concat([kept, answers])
    return labels.sort("candidate_id", "annotator", "question")


def _stated(study: str, limit: float | None) -> float | None:
    """The limit: as given, else as it was stated before; a new one after looking is no promise."""
    if not exists(study, "audits"):
        return limit
    before = read(study, "audits").filter(pl.col("limit_from") == STATED)["limit"]
    if before.is_empty() or limit in (None, before[0]):
        return before[0] if before.len() else limit
    warn(
        f"the limit was {before[0]:g} and is now {limit:g}: the alarm's 5 % hold for a limit that "
        "was stated before anybody looked"
    )
    return limit


def _list_rejects(study: str, answers: Answers) -> None:
    """Where each line is and what is wrong; not the line itself, which names who answered."""
    path = study_folder(study) / REJECTS
    told = ({k: v for k, v in reject.items() if k != "text"} for reject in answers.rejects)
    lines = (json.dumps(reject, ensure_ascii=False) + "\n" for reject in told)
    write_text(path, "".join(lines))
    if answers.rejects:
        warn(f"{len(answers.rejects)} lines were left out: see {path}")


def _outcome(
    study: str,
    table: pl.DataFrame,
    answers: Answers,
    taken: dict[str, int],
    wrote: dict[str, int],
) -> Outcome:
    last = table.sort("drawn_at", "audit").row(-1, named=True)
    return Outcome(
        sentence(last),
        read={source: rows for source, rows in taken.items() if rows},
        wrote=wrote,
        where=str(study_folder(study)),
        text="\n".join(alarm_sentence(part.row(-1, named=True)) for part in _by_source(table)),
        then=f"gates audit draw --from STORE.jsonl --study {study} for the next audit",
        details={
            "audits": table.to_dicts(),
            "unanswered": answers.unanswered,
            "rejected": len(answers.rejects),
        },
    )


def _by_source(table: pl.DataFrame) -> list[pl.DataFrame]:
    return [part for _, part in table.group_by("source", maintain_order=True)]


def sentence(row: dict[str, Any]) -> str:
    """An audit in one sentence."""
    audit = f"audit {row['audit']!r}: of {row['sampled_records']} sampled records "
    if row["wrong_share"] is None:
        return audit + f"none is judged ({row['unjudged_records']} lack two people's answers)"
    wrong = f"{_percent(row, 'wrong_share')} are wrong"
    band = f"{row['disputed_records']} disputed, {row['unjudged_records']} unjudged"
    if row["correction_rate"] is None:
        return f"{audit}{wrong} ({band}); what users corrected is not known"
    corrected = f"users corrected {_percent(row, 'correction_rate')} of their records"
    if row["wrong_per_corrected"] is None:
        return f"{audit}{wrong} ({band}); {corrected}"
    return f"{audit}{wrong} ({band}); {corrected}: {_fold(row)}"


def alarm_sentence(row: dict[str, Any]) -> str:
    """The alarm after an audit in one sentence."""
    if row["alarm"] is None:
        why = next(r["reason"] for r in row["reasons"] if r["column"] == "alarm")
        return f"  alarm for {row['source']}: none yet ({why})"
    state = "ALARM" if row["alarm"] else "no alarm"
    return (
        f"  {state} for {row['source']}: evidence {row['evidence']:.3g} of "
        f"{row['evidence_needed']:g} needed that the wrong share rose above {row['limit']:.3g} "
        f"({row['limit_from']})"
    )


def _fold(row: dict[str, Any]) -> str:
    """The quotient with its interval; one user's corrections alone say nothing of others'."""
    value, low, high = (row[f"wrong_per_corrected{end}"] for end in ("", "_ci_low", "_ci_high"))
    return f"{value:.3g}-fold" + ("" if low is None else f" ({low:.3g} to {high:.3g})")


def _percent(row: dict[str, Any], name: str) -> str:
    """A share with its interval, in per cent."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_ci_low", "_ci_high"))
    ends = "" if low is None else f" ({100 * low:.3g} to {100 * high:.3g} %)"
    return f"{100 * value:.3g} %{ends}"
