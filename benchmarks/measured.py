"""What a call takes: seconds of the clock and of the cores, and the peak of its memory.

A row of the printed table is one contender or one step. Every contender starts in a fresh process,
so that none warms up the next one or hides its memory; the peak (VmHWM, hence Linux) includes the
interpreter, the libraries and the input. Ratios are of CPU seconds, all threads together: they
hold on a machine that has other things to do, too. Of repeated calls the cheapest counts.
"""

import multiprocessing
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


@dataclass(frozen=True)
class Measured:
    """`result` of the last call; `cpu` and `seconds` of the cheapest; `peak_mb` of the process."""

    result: Any
    cpu: float
    seconds: float
    peak_mb: float


def measured(call: Call, *arguments: Any, repeat: int = 1) -> Measured:
    """Call a module's function in a fresh process; what it raises is raised here."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=_answer, args=(there, call, repeat))
    child.start()
    there.close()
    try:
        here.send(arguments)  # not with the start, which waits for ever where a child dies early
        answer = here.recv()
    except (EOFError, OSError) as error:
        raise RuntimeError(f"{call.__name__} ended without a result (out of memory?)") from error
    finally:
        child.join()
    if isinstance(answer, Exception):
        raise answer
    return Measured(*answer)


def _answer(there: Connection, call: Call, repeat: int) -> None:
    try:
        answer = (*_best(call, there.recv(), repeat), _peak_mb())
        there.send(answer)
    except Exception as error:  # it is raised on the other side
        there.send(error)


def _best(call: Call, arguments: tuple[Any, ...], repeat: int) -> tuple[Any, float, float]:
    result, best = None, (float("inf"), 0.0)
    for _ in range(repeat):
        result = None  # its memory is used again: first touches of new pages are not ours to time
        began, worked = time.perf_counter(), time.process_time()
        result = call(*arguments)
        best = min(best, (time.process_time() - worked, time.perf_counter() - began))
    return result, *best


def _peak_mb() -> float:
    # not getrusage: its peak begins with that of the parent at the fork
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


def table(*rows: tuple[str, ...]) -> str:
    """A table for README and terminal alike; the first row is its head."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = (" | ".join(map(str.ljust, row, wide)) for row in rows)
    rule = " | ".join("-" * width for width in wide)
    return "\n".join(f"| {line} |" for line in (head, rule, *body))


def shown(seconds: float) -> str:
    """Seconds with three figures, or whole ones.

    >>> shown(0.01234), shown(1234.5)
    ('0.0123', '1,234')
    """
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:,.0f}"
