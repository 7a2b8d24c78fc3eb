"""Scores every replayed gate against the reference set -> `captures`, `operating_points`,
`recall_by_form`.

A row is a gate at one setting, as it ran (threshold null), on one part of the users. What is
undefined is null with its reason. Scorings of `test` are counted: a part of the users that was
looked at often is no longer unseen.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from analysis import intervals
from analysis.links import links
from analysis.match import is_record, judged, offered
from analysis.measures import operating_point, recall_by_form
from analysis.truth import Truth, headline
from labelling.console import Outcome, warn, warn_if_stale
from labelling.statistics import nearest_rank, ratio
from labelling.tables import InputError, frame, read, study_folder, write, write_text

UPSTREAM = (
    "sessions",
    "turns",
    "events",
    "proposals",
    "gate_turns",
    "candidates",
    "labels",
    "reference_facts",
)
OFFERED = ("proposals", "turns", "events", "candidates", "labels", "links")
SPLITS = ("test", "dev", "all")
PARTNERS = ("assistant", "agent", "person")
SCORINGS = "test-scorings.json"


@dataclass(frozen=True)
class Study:
    """The tables a scoring reads, cut to one part of the users and one kind of partner."""

    sessions: pl.DataFrame
    turns: pl.DataFrame
    gate_turns: pl.DataFrame
    records: pl.DataFrame
    facts: pl.DataFrame
    disputed: pl.DataFrame
    split: str
    partner: str
    reference_kind: str
    heaviest: float
    """The largest weight that a fact could have had: 1 / the smallest inclusion probability."""


def score(study: str, *, split: str = "test") -> Outcome:
    """Judge every record, write the three tables, and report one part of the users."""
    if split not in SPLITS:
        raise InputError(f"there is no split {split!r}", expected=f"one of: {', '.join(SPLITS)}")
    tables = {name: read(study, name) for name in UPSTREAM} | {"links": links(study)}
    _refuse_nobody(study, tables["sessions"], split)
    warn_if_stale(study, "proposals", "candidates", "labels", "reference_facts")
    truth = headline(tables)
    captures = judged(offered(**{name: tables[name] for name in OFFERED}), truth).captures
    part = cut(tables, captures, split, truth)
    points = operating_points(part)
    times = _count_scoring(study, split)
    wrote = {
        "captures": write(study, "captures", captures, made_from=UPSTREAM),
        "recall_by_form": write(study, "recall_by_form", forms(part), made_from=UPSTREAM),
        "operating_points": write(study, "operating_points", points, made_from=UPSTREAM),
    }
    return Outcome(
        f"scored {points.height} gates on the {split} users "
        f"({part.sessions['user_id'].n_unique()} users, {part.sessions.height} sessions)",
        read={name: tables[name].height for name in ("proposals", "labels", "reference_facts")},
        wrote=wrote,
        where=str(study_folder(study)),
        text=summary(points, times if split == "test" else 0),
        then=f"open notebooks/2_replay_gates.ipynb (GATES_STUDY={study}) in JupyterLab",
        details={"split": split, "test_scorings": times, "points": points.to_dicts()},
    )


def cut(
    tables: Mapping[str, pl.DataFrame], captures: pl.DataFrame, split: str, truth: Truth
) -> Study:
    """The part of the study that is reported; partners of other kinds are left out, aloud."""
    everyone = tables["sessions"]
    chosen = everyone if split == "all" else everyone.filter(pl.col("split") == split)
    partner = _partner(chosen)
    sessions = chosen.filter(pl.col("partner") == partner)
    here = pl.col("session_id").is_in(sessions["session_id"].implode())
    proposals = tables["proposals"].filter(is_record())
    places = proposals.select("proposal_id", "gate", "setting", "session_id", "turn")
    records = captures.join(places, on=["proposal_id", "gate", "setting"], how="inner")
    return Study(
        sessions=sessions,
        turns=tables["turns"].filter(here, ~pl.col("hidden")),
        gate_turns=tables["gate_turns"].filter(here),
        records=records.filter(here),
        facts=truth.facts.filter(here),
        disputed=truth.disputed.filter(here),
        split=split,
        partner=partner,
        reference_kind=truth.kind,
        heaviest=_heaviest(tables["candidates"]),
    )


def _refuse_nobody(study: str, sessions: pl.DataFrame, split: str) -> None:
    if split != "all" and split not in set(sessions["split"]):
        raise InputError(
            f"study {study!r} has no {split} users",
            expected="some: a user is test or dev by a hash of the user's id",
            then=f"run `gates score --split all --study {study}`",
        )


def operating_points(part: Study) -> pl.DataFrame:
    """A row a gate and setting that was replayed, gates without any proposal included."""
    return frame("operating_points", [_row(part, *gate) for gate in _gates(part).iter_rows()])


def forms(part: Study) -> pl.DataFrame:
    """The table `recall_by_form`: how each gate finds facts of each evidence form."""
    rows = []
    for gate, setting in _gates(part).iter_rows():
        covered = _in(_covered(part, gate, setting))
        facts = part.facts.filter(covered)
        found = _of(part.records, gate, setting).filter(pl.col("status") == "correct")["fact_id"]
        counted = recall_by_form(facts, found.drop_nulls())
        if not intervals.simulated(_of(part.gate_turns, gate, setting)):
            sessions = part.sessions.filter(covered)
            counted = intervals.with_form_intervals(counted, sessions, facts, found)
        rows += [{"gate": gate, "setting": setting, **row} for row in counted.to_dicts()]
    return frame("recall_by_form", rows)


def summary(points: pl.DataFrame, test_scorings: int) -> str:
    """The points as a plain table with what each rests on."""
    lines = ["", f"{'gate':<14}{'records':>8}{'judged':>8}{'precision':>10}{'label band':>14}"]
    lines[1] += f"{'recall':>8}{'facts':>7}{'write rate':>11}{'wrong/1000':>11}"
    for row in points.iter_rows(named=True):
        lines.append(
            f"{row['gate'][:13]:<14}{row['records']:>8}"
            f"{row['correct_records'] + row['wrong_records']:>8}{_shown(row['precision']):>10}"
            f"{_band(row):>14}{_shown(row['recall']):>8}{row['reference_facts']:>7}"
            f"{_shown(row['write_rate'], 3):>11}{_shown(row['wrong_per_1000_turns'], 1):>11}"
        )
    lines.append("")
    lines.append(
        "Precision is over records that two people agreed on: usually optimistic; the label"
    )
    lines.append("band counts disputed records as wrong ... right. Intervals: docs/intervals.md.")
    if test_scorings > 1:
        lines.append(
            f"The test users were scored {test_scorings} times: choose on dev (--split dev)."
        )
    return "\n".join(lines)


def _row(part: Study, gate: str, setting: str) -> dict[str, Any]:
    covered = _covered(part, gate, setting)
    here = _in(covered)
    records = _of(part.records, gate, setting)
    runs = _of(part.gate_turns, gate, setting)
    facts = part.facts.filter(here)
    turns = part.turns.filter(here, pl.col("role") == "assistant")
    point = operating_point(
        facts,
        records,
        assistant_turns=turns.height,
        disputed=part.disputed.filter(here),
    )
    users = part.sessions.filter(here)
    seen = part.sessions.filter(here | _in(records["session_id"]))
    ends, unknown = (
        intervals.none_of_simulated()
        if intervals.simulated(runs)
        else intervals.columns(seen, turns, records, facts, point.reasons, part.heaviest)
    )
    wrong = records.filter(pl.col("status") == "wrong").join(users, on="session_id")
    measured, reasons = _latency(runs)
    more: dict[str, Any] = {
        "users_with_wrong_share": ratio(wrong["user_id"].n_unique(), users["user_id"].n_unique()),
        "cost_per_1000_turns": None,
        **measured,
        **ends,
    }
    cost, why = _cost(runs, point.assistant_turns)
    more["cost_per_1000_turns"] = cost
    reasons |= point.reasons | why | unknown
    if more["users_with_wrong_share"] is None:
        reasons["users_with_wrong_share"] = "no users"
    bases = runs["basis"].unique().to_list()
    return asdict(point) | {
        "gate": gate,
        "setting": setting,
        "split": part.split,
        "variant": "headline",
        "basis": bases[0] if len(bases) == 1 else "mixed",
        "reference_kind": part.reference_kind,
        "partner": part.partner,
        "failures": runs["failure"].drop_nulls().len(),
        **more,
        "reasons": [{"column": c, "reason": r} for c, r in sorted(reasons.items())],
    }


def _gates(part: Study) -> pl.DataFrame:
    return part.gate_turns.select("gate", "setting").unique().sort("gate", "setting")


def _covered(part: Study, gate: str, setting: str) -> pl.Series:
    """Sessions the gate ran on, and for our own replays those in which it had nothing to run on."""
    runs = _of(part.gate_turns, gate, setting)
    ran = runs["session_id"].unique()
    if "recorded" in runs["basis"]:
        return ran
    silent = part.sessions.join(
        part.turns.filter(pl.col("role") == "user"), on="session_id", how="anti"
    )
    return pl.concat([ran, silent["session_id"]]).unique()


def _of(table: pl.DataFrame, gate: str, setting: str) -> pl.DataFrame:
    return table.filter(pl.col("gate") == gate, pl.col("setting") == setting)


def _in(sessions: pl.Series) -> pl.Expr:
    return pl.col("session_id").is_in(sessions.implode())


def _partner(sessions: pl.DataFrame) -> str:
    kinds = set(sessions["partner"])
    partner = next((kind for kind in PARTNERS if kind in kinds), PARTNERS[0])
    others = sessions.filter(pl.col("partner") != partner).height
    if others:
        warn(f"{others} sessions with another partner than {partner!r} are left out")
    return partner


def _latency(runs: pl.DataFrame) -> tuple[dict[str, float | None], dict[str, str]]:
    """p50 and p95 by nearest rank over the runs on the path (all runs of a gate off the path)."""
    on_path = runs.filter("on_path")
    rows = runs if on_path.is_empty() else on_path
    values = rows["latency_ms"].drop_nulls().to_list()
    found = {f"latency_p{p}_ms": nearest_rank(values, p / 100) for p in (50, 95)}
    if not values:
        return found, dict.fromkeys(found, "no latency was recorded")
    return found, dict.fromkeys(found, "off the path: all runs") if on_path.is_empty() else {}


def _cost(runs: pl.DataFrame, turns: int) -> tuple[float | None, dict[str, str]]:
    if runs["cost"].null_count():
        return None, {"cost_per_1000_turns": "a run has no cost recorded"}
    value = ratio(1000 * float(runs["cost"].sum()), turns)
    return value, {"cost_per_1000_turns": "no assistant turns"} if value is None else {}


def _heaviest(candidates: pl.DataFrame) -> float:
    least = candidates["inclusion_probability"].drop_nulls().to_list()
    return 1 / min(least, default=1.0)


def _count_scoring(study: str, split: str) -> int:
    """How often the test users were scored, this time included."""
    path = study_folder(study) / SCORINGS
    try:
        before = int(json.loads(path.read_text(encoding="utf-8"))["test"]) if path.exists() else 0
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path} is damaged",
            expected='a line such as {"test": 3}',
            then="write how often the test users were scored into it, or move it away",
        ) from error
    now = before + (split in ("test", "all"))
    write_text(path, json.dumps({"test": now}) + "\n")
    return now


def _shown(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _band(row: Mapping[str, Any]) -> str:
    return f"{_shown(row['precision_label_low'])}…{_shown(row['precision_label_high'])}"
