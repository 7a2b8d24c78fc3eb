"""Figures as plain text for a terminal: each with its interval, and what it rests on.

A row is an operating point, a difference of two gates, or a gate under other truths. What is
undefined shows as "–". Names are untrusted: nothing of them reaches the terminal but what prints.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis import captions
from analysis.about import no_evidence
from analysis.captions import plain
from analysis.figures import LEAST_P, UNDEFINED, Write, p_value, rate, share, signed, span

Row = Mapping[str, Any]

MEASURES: dict[str, Write] = {"precision": share, "recall": share, "wrong_per_1000_turns": rate}
"""Measure -> how it is written."""


def beware(study: str) -> list[str]:
    """Why the study says nothing about gates, as lines below figures."""
    return ["", f"Beware: {why}."] if (why := no_evidence(study)) else []


def points(rows: Sequence[Row], in_doubt: Mapping[str, int]) -> list[str]:
    """Operating points: measures with 95 % intervals, then the counts that they rest on.

    `in_doubt`: `name` of a gate -> records that a decided pair would judge.
    """
    measures = [
        "gate (basis)",
        "precision",
        "label band",
        "recall",
        "wrong per 1,000 turns",
        "write rate",
    ]
    counts = [
        "gate",
        "records",
        "right",
        "wrong",
        "disputed",
        "unjudged",
        "in doubt",
        "facts",
        "latency p50/p95",
        "failures",
    ]
    return [
        "",
        *aligned(measures, map(_measures, rows)),
        "",
        *aligned(counts, (_counts(row, in_doubt) for row in rows)),
        *_why(rows),
    ]


def differences(rows: Iterable[Row]) -> list[str]:
    """Two lines a pair of gates: who, and what differs (after - before) in each measure."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        pairs.setdefault((row["before"], row["after"]), []).append(_difference(row))
    return [
        line
        for (before, after), parts in pairs.items()
        for line in (f"  {plain(before)} -> {plain(after)}", *(f"    {part}" for part in parts))
    ]


def truths(rows: Sequence[Row], headline: str) -> list[str]:
    """A line a gate: its measures as scored, and from where to where under the other truths."""
    gates: dict[str, list[Row]] = {}
    for row in rows:
        gates.setdefault(name(row), []).append(row)
    table = []
    for gate, found in gates.items():
        first = next(row for row in found if row["variant"] == headline)
        others = [row for row in found if row["variant"] != headline]
        cells = (f"{share(first[m])} ({_range(others, m)})" for m in ("precision", "recall"))
        table.append([gate, *cells, str(len(others))])
    return aligned(["gate", "precision", "recall", "other truths"], table)


def aligned(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns below their titles, two spaces apart; the first is on the left, figures on the right.

    >>> aligned(["gate", "n"], [["a", "12"]])
    ['  gate   n', '  a     12']
    """
    table = [list(titles), *map(list, rows)]
    wide = [max(len(row[i]) for row in table) for i in range(len(titles))]
    return [
        "  " + "  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])])
        for row in table
    ]


def adjusted(row: Row) -> str:
    """The adjusted p-value; of one that is only known to be small at most that."""
    if row["p"] is not None and row["p"] <= LEAST_P < row["p_holm"]:
        return f"< {share(row['p_holm'])}"
    return p_value(row["p_holm"])


def name(row: Row) -> str:
    """Gate and setting, as commands take them."""
    return plain(f"{row['gate']}/{row['setting']}")


def _measures(row: Row) -> list[str]:
    return [
        f"{captions.short(name(row))} ({row['basis']})",
        _with_ends(row, "precision"),
        span(row["precision_label_low"], row["precision_label_high"]),
        _with_ends(row, "recall"),
        _with_ends(row, "wrong_per_1000_turns"),
        share(row["write_rate"]),
    ]


def _with_ends(row: Row, measure: str) -> str:
    low, high, write = row[f"{measure}_ci_low"], row[f"{measure}_ci_high"], MEASURES[measure]
    return write(row[measure]) + ("" if low is None else f" ({span(low, high, write)})")


def _counts(row: Row, in_doubt: Mapping[str, int]) -> list[str]:
    judged = (f"{row[f'{s}_records']:,}" for s in ("correct", "wrong", "disputed", "unjudged"))
    return [
        captions.short(name(row)),
        f"{row['records']:,}",
        *judged,
        f"{in_doubt.get(name(row), 0):,}",
        f"{row['captured_facts']:,}/{row['reference_facts']:,}",
        _latency(row),
        f"{row['failures']:,}",
    ]


def _latency(row: Row) -> str:
    p50, p95 = row["latency_p50_ms"], row["latency_p95_ms"]
    return UNDEFINED if p50 is None else f"{rate(p50)}/{rate(p95)} ms"


def _why(rows: Sequence[Row]) -> list[str]:
    """Why a measure or its interval is undefined: a line a reason, with the gates that give it."""
    told: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for measure in MEASURES:
            if missing := _missing(row, measure):
                told.setdefault(missing, []).append(name(row))
    lines = [f"  no {what} of {', '.join(who)}: {why}" for (what, why), who in told.items()]
    return ["", *lines] if lines else []


def _missing(row: Row, measure: str) -> tuple[str, str] | None:
    """What of a measure is undefined, and why: the measure, else its interval."""
    if row[measure] is None:
        return captions.words(measure), captions.reason(row, measure)
    if row[f"{measure}_ci_low"] is None:
        why = captions.reason(row, f"{measure}_ci_low")
        return f"95 % interval for {captions.words(measure)}", why
    return None


def _difference(row: Row) -> str:
    write, what = MEASURES[row["measure"]], captions.words(row["measure"])
    if row["ci_low"] is None:
        return f"{what}: {row['reason']}"
    value, *ends = (signed(row[name], write) for name in ("value", "ci_low", "ci_high"))
    return f"{what}: {value} ({' to '.join(ends)}), p {_p(row)}"


def _p(row: Row) -> str:
    return f"{UNDEFINED} ({row['reason']})" if row["p"] is None else adjusted(row)


def _range(rows: Sequence[Row], measure: str) -> str:
    values = [row[measure] for row in rows if row[measure] is not None]
    return span(min(values), max(values)) if values else UNDEFINED
