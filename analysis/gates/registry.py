"""Which gate a name means: one that comes with the project, or `module:function` of one's own."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.gates import Gate, everything, first_person, foreign, heuristic, nothing
from labelling.tables import InputError

MOST = 200
"""Characters of the name of a gate or a setting."""
BASELINES = ("nothing", "everything", "random", "first_person")
"""Gates that no candidate is pooled from."""


@dataclass(frozen=True)
class NamedGate:
    """A gate ready to run; `on_path`: a user waits for it; `setting` tells its variants apart.

    `roles` are those of the turns it runs on.
    """

    name: str
    setting: str
    run: Gate
    on_path: bool
    baseline: bool
    roles: frozenset[str] = frozenset({"user"})


_GATES: dict[str, Callable[[], Gate]] = {
    "heuristic": heuristic.built_in,
    "nothing": lambda: nothing.gate,
    "everything": lambda: everything.gate,
    "first_person": lambda: first_person.gate,
}
BUILT_IN = tuple(_GATES)


def named(name: str) -> NamedGate:
    """The gate of a name; InputError where there is none or it cannot be called.

    A gate may carry `setting` (text, "default" without), `on_path` (True without) and `roles`
    (("user",) without) of its own.
    """
    check_name(name)
    with foreign.aside():
        return _described(name, _GATES[name]() if name in _GATES else _imported(name))


def is_name(text: str) -> bool:
    """Whether a text can stand for a gate or a setting: printable, and seen to its ends."""
    return text.isprintable() and 0 < len(text.strip()) == len(text) <= MOST


def check_name(name: str) -> None:
    """Raise InputError for a text that cannot stand for a gate."""
    if not is_name(name):
        raise InputError(
            f"{name[:MOST]!r} is no name for a gate",
            expected=f"1-{MOST} printable characters without spaces at the ends",
            then="choose another --gate",
        )


def _described(name: str, run: Gate) -> NamedGate:
    """The gate with what it says of itself."""
    try:
        with foreign.held():
            setting = str(getattr(run, "setting", "default"))
            on_path = bool(getattr(run, "on_path", True))
            roles = frozenset(map(str, getattr(run, "roles", ("user",))))
    except foreign.Failure as failure:
        raise _unusable(name, f"its setting, on_path or roles cannot be read ({failure})") from None
    if not is_name(setting):
        raise _unusable(name, f"its setting is {setting[:MOST]!r}, which cannot be a name")
    return NamedGate(name, setting, run, on_path, name in BASELINES, roles)


def _imported(name: str) -> Gate:
    module_name, _, attribute = name.partition(":")
    if not (module_name and attribute):
        expected = f"one of {', '.join(BUILT_IN)}, or module:function"
        raise InputError(f"there is no gate {name!r}", expected=expected)
    try:
        with foreign.held():
            found: Any = getattr(_module(module_name), attribute, None)
    except foreign.Failure as failure:
        why = f"module {module_name!r} cannot be imported ({failure})"
        raise _unusable(name, why) from failure
    if found is None:
        raise _unusable(name, f"module {module_name!r} has no {attribute!r}")
    if not callable(found):
        raise _unusable(name, f"it is a {type(found).__name__}, which cannot be called")
    return found  # type: ignore[no-any-return]


def _module(module_name: str) -> Any:
    """The module, looked for in the working directory first."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    finally:
        if here in sys.path:
            sys.path.remove(here)


def _unusable(name: str, why: str) -> InputError:
    expected = "a function that takes a turn and a context and returns a list of proposals"
    return InputError(
        f"gate {name!r}: {why}", expected=expected, then="name it module:function, as in `my:gate`"
    )
