"""The columns of tables for reading: what stands in a cell, line by line.

A row is a row of the frame with its name and words (`captions.named`, `captions.in_words`). Few
columns with several lines each, so that a table fits a small screen and a large zoom.
"""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from analysis import captions
from analysis.captions import Row
from analysis.figures import (
    UNDEFINED,
    Write,
    amount,
    counted,
    rate,
    share,
    signed,
    span,
)
from analysis.printed import MEASURES, adjusted


@dataclass(frozen=True)
class Line:
    """A line of a cell: the field whose null and reason it shows, and how a row is written."""

    field: str
    write: Callable[[Row], str]


@dataclass(frozen=True)
class Column:
    """A title, and the lines below it; an empty line is left out."""

    title: str
    lines: tuple[Line, ...]


def _said(field: str) -> Line:
    return Line(field, lambda row: str(row[f"{field}_said"]))


def _figure(field: str, write: Write) -> Line:
    return Line(field, lambda row: write(row[field]))


def _text(field: str) -> Line:
    return Line(field, lambda row: captions.words(str(row[field])))


def _share(field: str, part: str) -> tuple[Line, ...]:
    """A measure, the counts it rests on, its interval: a line each, for a narrow column."""
    return _figure(field, share), Line(field, _COUNTS[part]), _band(f"{field}_ci")


def _ratio(field: str, part: str, whole: str) -> Line:
    return Line(field, lambda row: counted(row[field], row[part], row[whole]))


def _band(field: str, write: Write = share) -> Line:
    low, high = f"{field}_low", f"{field}_high"
    return Line(low, lambda row: span(row[low], row[high], write))


def _a_day(of: str, band: str) -> Line:
    """Wrong records a day or a band of them, undefined for the reason that `of` is."""
    name = f"wrong_a_day{band}"
    if not band:
        return Line(of, lambda row: rate(row[name]))
    return Line(of, _band(name, rate).write)


def _if_any(band: Line, count: str, otherwise: str) -> Line:
    """A band with the count of what makes it; where there is none, no band, nor of no records."""

    def write(row: Row) -> str:
        if row[count]:
            return f"{band.write(row)} ({row[count]:,})"
        return otherwise if row["records"] else UNDEFINED

    return Line(band.field, write)


def _of(part: str, whole: str) -> Line:
    return Line(part, lambda row: f"{amount(row[part])} of {amount(row[whole])}")


def _ranked(field: str) -> Line:
    rank = f"{field}_rank"
    return Line(field, lambda row: share(row[field]) + (f" ({row[rank]})" if row[rank] else ""))


def _kind(kind: str) -> Column:
    return Column(captions.words(kind), (_ratio(f"{kind}_share", kind, "wrong_records"),))


def _of_all(field: str, write: Write = share) -> Line:
    """The interval of all folds together; a fold alone has none."""
    band = _band(f"{field}_ci", write)
    return Line(band.field, lambda row: band.write(row) if row["fold"] is None else "")


def _fold(row: Row) -> str:
    who = "all" if row["fold"] is None else f"fold {row['fold'] + 1}"
    return f"{who} ({row['users']:,} user{'s' * (row['users'] != 1)})"


def _chosen(row: Row) -> str:
    if row["fold"] is None and row["precision"] is not None:
        return "each fold its own"
    if row["threshold"] is None:
        return f"– ({row['reason']})"
    return f"{share(row['threshold'])} ({share(row['chosen_precision'])})"


def _difference(row: Row) -> str:
    return signed(row["value"], MEASURES[row["measure"]])


def _difference_ends(row: Row) -> str:
    ends = (signed(row[end], MEASURES[row["measure"]]) for end in ("ci_low", "ci_high"))
    return UNDEFINED if row["ci_low"] is None else " to ".join(ends)


def _recall_band(row: Row) -> str:
    low, high = row["recall_low"], row["recall_high"]
    return "no dispute" if low == high is not None else span(low, high)


_COUNTS: dict[str, Callable[[Row], str]] = {
    "records": _of("records", "assistant_turns").write,
    "judged": lambda row: f"{amount(row['correct_records'])} of {amount(captions.judged(row))}",
    "weight": _of("captured_weight", "reference_weight").write,
}

WRONG = "wrong_per_1000_turns"
NAME = Column("gate", (Line("name", lambda row: str(row["name"])),))
PRECISION = Column("precision: correct of judged, 95% interval", _share("precision", "judged"))
RECALL = Column("recall: of weight, 95% interval", _share("recall", "weight"))
WRONG_RATE = Column(
    "wrong per 1,000 turns, 95% interval", (_said(WRONG), _band(f"{WRONG}_ci", rate))
)

MEASURED = (
    Column("gate, basis", (*NAME.lines, _said("basis"))),
    Column("write rate: records of turns, 95% interval", _share("write_rate", "records")),
    PRECISION,
    RECALL,
    WRONG_RATE,
)
"""Each measure with the counts it rests on, and what the choice of users leaves open."""

OPEN = (
    NAME,
    Column(
        "precision, disputed wrong–right",
        (_if_any(_band("precision_label"), "disputed_records", "no dispute"),),
    ),
    Column(
        "the unjudged too",
        (_if_any(_band("precision_outer"), "unjudged_records", "all judged"),),
    ),
    Column("recall, disputed missed–captured", (Line("recall_low", _recall_band),)),
    Column("facts captured", (_of("captured_facts", "reference_facts"),)),
)
"""What the annotators left open, and facts without their weight."""

WORK = (
    NAME,
    Column("wrong a day, 95% interval", (_a_day(WRONG, ""), _a_day(f"{WRONG}_ci_low", "_ci"))),
    Column(
        "disputed records right–wrong",
        (_if_any(_a_day("precision_label_low", "_label"), "disputed_records", "no dispute"),),
    ),
    Column(
        "the unjudged too",
        (_if_any(_a_day("precision_outer_low", "_outer"), "unjudged_records", "all judged"),),
    ),
)
"""Wrong records a day, of `traffic.per_day`."""

LATENCY = (
    NAME,
    Column("path", (Line("on_path", lambda row: "on" if row["on_path"] else "off"),)),
    Column("runs failed", (_of("failures", "runs"),)),
    Column("p50 ms", (_figure("latency_p50_ms", rate),)),
    Column("p95 ms", (_figure("latency_p95_ms", rate),)),
)
"""How long a gate takes on the path of the answer and off it; failed runs are in both."""

CONFIRMATIONS = (
    NAME,
    Column("turns with an offer", (_ratio("offer_share", "offers", "assistant_turns"),)),
    Column("offers accepted", (_ratio("accepted_share", "accepted", "offers"),)),
    Column("write rate", (_ratio("write_rate", "accepted", "assistant_turns"),)),
)
"""What a gate asked the user, of `tallies.confirmations`; the two shares make its write rate."""

HARD = (
    NAME,
    Column("captured", (_ratio("recall", "captured_facts", "reference_facts"),)),
)
"""Facts told obliquely or over several turns, of `tallies.hard_facts`."""

DIFFERENCES = (
    Column("from → to", NAME.lines),
    Column("measure", (_text("measure"),)),
    Column(
        "difference, 95% interval", (Line("value", _difference), Line("ci_low", _difference_ends))
    ),
    Column("p (Holm)", (Line("p_holm", adjusted),)),
)
"""Paired differences: shares, and wrong records per 1,000 turns."""

FITTED = (
    NAME,
    Column("users", (Line("users", _fold),)),
    Column("threshold (precision where chosen)", (Line("users", _chosen),)),
    Column(PRECISION.title, (*PRECISION.lines[:2], _of_all("precision"))),
    Column(RECALL.title, (*RECALL.lines[:2], _of_all("recall"))),
    Column(WRONG_RATE.title, (_said(WRONG), _of_all(WRONG, rate))),
)
"""Each fold of users at the threshold that the others chose, and all of them together."""

TRUTHS = (
    NAME,
    Column("truth", (_text("variant"),)),
    Column("precision (rank)", (_ranked("precision"),)),
    Column("recall (rank)", (_ranked("recall"),)),
    Column("wrong per 1,000 turns", (_said(WRONG),)),
)
"""Gates under one truth after another, of `stability.by_truth`."""

OWN = (
    NAME,
    Column("recall", (_figure("recall", share),)),
    Column("without its own finds", (_figure("recall_without_own", share),)),
    Column("facts only it found", (Line("own_facts", lambda row: amount(row["own_facts"])),)),
)


def kinds(rows: pl.DataFrame) -> tuple[Column, ...]:
    """The columns of `tallies.error_kinds`: one for each kind that there is."""
    shares = [name for name in rows.columns if name.endswith("_share")]
    return (NAME, *(_kind(name.removesuffix("_share")) for name in shares))
