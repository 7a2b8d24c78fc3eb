"""Which gate a name means: one that comes with the project, or `module:function` of one's own."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.gates import Gate, everything, first_person, heuristic, nothing
from labelling.tables import InputError

BASELINES = ("nothing", "everything", "random", "first_person")
"""Gates that no candidate is pooled from."""


@dataclass(frozen=True)
class NamedGate:
    """A gate ready to run; `on_path`: a user waits for it; `setting` tells its variants apart."""

    name: str
    setting: str
    run: Gate
    on_path: bool
    baseline: bool


_GATES: dict[str, Callable[[], Gate]] = {
    "heuristic": heuristic.built_in,
    "nothing": lambda: nothing.gate,
    "everything": lambda: everything.gate,
    "first_person": lambda: first_person.gate,
}
BUILT_IN = tuple(_GATES)


def named(name: str) -> NamedGate:
    """The gate of a name; InputError where there is none or it cannot be called.

    A gate may carry `setting` (text, "default" without) and `on_path` (True without) of its own.
    """
    run: Any = _GATES[name]() if name in _GATES else _imported(name)
    setting = str(getattr(run, "setting", "default"))
    on_path = bool(getattr(run, "on_path", True))
    return NamedGate(name, setting, run, on_path, baseline=name in BASELINES)


def _imported(name: str) -> Gate:
    module_name, _, attribute = name.partition(":")
    if not (module_name and attribute):
        expected = f"one of {', '.join(BUILT_IN)}, or module:function"
        raise InputError(f"there is no gate {name!r}", expected=expected)
    found: Any = getattr(_module(name, module_name), attribute, None)
    if found is None:
        raise _unusable(name, f"module {module_name!r} has no {attribute!r}")
    if not callable(found):
        raise _unusable(name, f"it is a {type(found).__name__}, which cannot be called")
    return found  # type: ignore[no-any-return]


def _module(name: str, module_name: str) -> Any:
    """The module, looked for in the working directory first."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    except Exception as error:
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        raise _unusable(name, f"module {module_name!r} cannot be imported ({told})") from error
    finally:
        sys.path.remove(here)


def _unusable(name: str, why: str) -> InputError:
    expected = "a function that takes a turn and a context and returns a list of proposals"
    return InputError(
        f"gate {name!r}: {why}", expected=expected, then="name it module:function, as in `my:gate`"
    )
