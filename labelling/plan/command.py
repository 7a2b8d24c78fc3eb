"""`gates plan`: assumptions and a ladder of sizes -> a table, and one sentence."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from labelling.console import Outcome, progress
from labelling.plan.assumptions import Assumptions
from labelling.plan.widths import COMPARED, DRAWS, power_error, row
from labelling.tables import InputError

LADDER = (60, 125, 250, 500, 1000, 2000)
MOST_SESSIONS = 20_000
SHOWN = {
    "sessions": "sessions",
    "users": "users",
    "candidates": "candidates",
    "answers": "answers",
    "hours": "hours",
    "precision_width": "precision",
    "recall_width": "recall",
    "wrong_per_1000_turns_width": "wrong/1,000",
    "cohen_kappa_width": "kappa",
    "precision_power": "precision",
    "recall_power": "recall",
    "wrong_per_1000_turns_power": "wrong/1,000",
}
"""Column of the table -> its head; widths of 95 % intervals, then powers."""
WORDS = {"precision": "precision", "recall": "recall", "wrong_per_1000_turns": "wrong records"}


def plan(
    given: Assumptions,
    sessions: Sequence[int] = (),
    *,
    supposed: str,
    width: float = 0.1,
    power: float = 0.8,
    seed: int = 7,
) -> Outcome:
    """What each number of sessions gives, and which is the first that gives enough.

    Enough: precision and recall no wider than `width`, and, where there is a gate to compare with,
    a difference of precision seen with `power`. `supposed` says where the assumptions come from.
    """
    ladder = sorted(set(sessions or LADDER))
    _check(ladder, width, power)
    steps = progress(ladder, total=len(ladder), what="plan")
    rows = [row(given, n, seed=seed) for n in steps]
    enough = next((one for one in rows if _enough(one, width, power)), None)
    return Outcome(
        sentence(enough or rows[-1], given, width, power, enough=enough is not None),
        text=f"{table(rows)}\n{assumed(given, supposed)}",
        details={
            "assumptions": {**asdict(given), "from": supposed},
            "rows": rows,
            "enough": enough and enough["sessions"],
            "width": width,
            "power": power,
            "draws": DRAWS,
            "seed": seed,
        },
    )


def _check(ladder: Sequence[int], width: float, power: float) -> None:
    for n in ladder:
        if not 2 <= n <= MOST_SESSIONS:
            raise InputError(f"--sessions is {n}", expected=f"2 to {MOST_SESSIONS:,}")
    for name, found in (("width", width), ("power", power)):
        if not 0 < found < 1:
            raise InputError(f"--{name} is {found:g}", expected="between 0 and 1")


def _enough(found: dict[str, Any], width: float, power: float) -> bool:
    widths = [found["precision_width"], found["recall_width"]]
    narrow = all(one is not None and one <= width for one in widths)
    return narrow and found.get("precision_power", 1.0) >= power


def sentence(
    found: dict[str, Any], given: Assumptions, width: float, power: float, *, enough: bool
) -> str:
    """One row in plain words."""
    wanted = f"{width:g} wide for precision and recall"
    wanted += f" with power {power:g}" if given.other else ""
    begin = f"{found['sessions']:,} sessions are enough for intervals {wanted}"
    if not enough:
        begin = f"not even {found['sessions']:,} sessions give intervals {wanted}"
    return (
        f"{begin}: {found['users']:,} users, {found['assistant_turns']:,} assistant turns and "
        f"about {found['candidates']:,} candidates with {given.annotators} answers each (some "
        f"{found['hours']:,.0f} hours) give 95 % intervals {_shown(found['precision_width'])} wide "
        f"for precision, {_shown(found['recall_width'])} for recall, "
        f"{_shown(found['wrong_per_1000_turns_width'])} for wrong records per 1,000 turns and "
        f"{_shown(found['cohen_kappa_width'])} for kappa{_power(found, given)}"
    )


def _power(found: dict[str, Any], given: Assumptions) -> str:
    if given.other is None:
        return ""
    told = ", ".join(
        f"of {WORDS[name]} in {100 * found[f'{name}_power']:.0f} %"
        for name in COMPARED
        if found[f"{name}_power"] is not None
    )
    error = max(power_error(found[f"{name}_power"] or 0.5) for name in COMPARED)
    return (
        f"; a difference between the two gates is seen {told} of such studies "
        f"(± {100 * error:.0f} points of simulation)"
    )


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows for a reader; `-` where a study often has no such interval."""
    names = [name for name in SHOWN if name in rows[0]]
    cells = [[SHOWN[name] for name in names]]
    cells += [[_shown(one[name]) for name in names] for one in rows]
    wide = [max(len(line[i]) for line in cells) for i in range(len(names))]
    lines = ["  ".join(cell.rjust(n) for cell, n in zip(line, wide, strict=True)) for line in cells]
    return "\n".join(f"  {line}" for line in (_over(names, wide), *lines))


def _over(names: Sequence[str], wide: Sequence[int]) -> str:
    """A line that says which columns are widths and which are powers."""
    begun: dict[str, int] = {}
    at = 0
    for name, n in zip(names, wide, strict=True):
        begun.setdefault(name.rpartition("_")[2], at)
        at += n + 2
    text = " " * begun["width"] + "width of the 95 % interval"
    return text if "power" not in begun else text.ljust(begun["power"]) + "power"


def assumed(given: Assumptions, supposed: str) -> str:
    """What was supposed, on two lines."""
    told = [
        f"write rate {gate.write_rate:.3g}, precision {gate.precision:.3g}, "
        f"recall {gate.recall:.3g}"
        for gate in given.gates
    ]
    effects = ", ".join(f"{n.replace('_', ' ')} {e:.3g}" for n, e in vars(given.effects).items())
    return (
        f"  supposed ({supposed}): {' against '.join(told)}\n"
        f"  {given.base_rate:.3g} facts a turn, {given.turns_per_session:.3g} turns a session, "
        f"{given.sessions_per_user:.3g} sessions a user, {100 * given.disputed_share:.3g} % of "
        f"candidates disputed by two; design effects: {effects}"
    )


def _shown(found: Any) -> str:
    if found is None:
        return "-"
    if isinstance(found, int):
        return f"{found:,}"
    return f"{found:.3f}" if found <= 1 else f"{found:,.1f}"
