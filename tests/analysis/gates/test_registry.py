"""A gate is found by its name, or as `module:function` in the working directory."""

import sys
from collections.abc import Iterator

import pytest

from analysis.gates import Context, Turn
from analysis.gates.registry import BASELINES, BUILT_IN, named
from labelling.tables import InputError

ODD = """
import sys

print("NOISE")

class Leaving:
    def __call__(self, turn, context):
        return []

    @property
    def setting(self):
        sys.exit(3)

def gate(setting):
    def run(turn, context):
        return []
    run.setting = setting
    return run

leaves, surrogate, surrogates_free, roleless = Leaving(), gate("\\ud800"), gate("v1"), gate("v1")
roleless.roles = 5

def __getattr__(name):
    raise RuntimeError(f"asked for {name}")
"""


@pytest.fixture
def odd(tmp_path, monkeypatch) -> Iterator[None]:
    """Gates that do what they should not, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd_gates.py").write_text(ODD)
    (tmp_path / "leaving_gate.py").write_text("import sys\nsys.exit(4)\n")
    yield
    sys.modules.pop("odd_gates", None)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_gate_runs(name: str) -> None:
    gate = named(name)
    assert isinstance(gate.run(Turn("s", 0, "user", "We use Snowflake."), Context()), list)
    assert (gate.name, gate.on_path, gate.baseline) == (name, True, name in BASELINES)


def test_the_settings_tell_variants_apart() -> None:
    assert named("heuristic").setting.endswith(" patterns")
    assert named("nothing").setting == "default"


def test_a_function_of_the_working_directory(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate_of_mine.py").write_text(
        "def gate(turn, context):\n    return []\ngate.setting = 'v2'\ngate.on_path = False\n"
    )
    gate = named("gate_of_mine:gate")
    assert (gate.name, gate.setting, gate.on_path, gate.baseline) == (
        "gate_of_mine:gate",
        "v2",
        False,
        False,
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("heuristics", "one of heuristic, nothing"),
        ("random", "there is no gate 'random'"),
        ("no_such_module:gate", "cannot be imported (ModuleNotFoundError"),
        ("json:no_such_function", "has no 'no_such_function'"),
        ("json:__name__", "which cannot be called"),
        ("", "'' is no name for a gate; expected 1-200 printable"),
        (" heuristic", "' heuristic' is no name for a gate"),
        ("x\x1b[31m", r"'x\x1b[31m' is no name"),
        ("\ud800", r"'\ud800' is no name"),
        ("g" * 201, "is no name"),
        ("odd_gates:leaves", "cannot be read (SystemExit: 3)"),
        ("odd_gates:surrogate", r"its setting is '\ud800', which cannot be a name"),
        ("odd_gates:roleless", "roles cannot be read (TypeError: 'int' object is not iterable)"),
        ("odd_gates:no_such", "cannot be imported (RuntimeError: asked for no_such)"),
        ("leaving_gate:gate", "cannot be imported (SystemExit: 4)"),
    ],
)
def test_one_sentence_says_what_is_wrong(name: str, told: str, odd) -> None:
    with pytest.raises(InputError) as error:
        named(name)
    assert told in str(error.value)
    assert "expected" in str(error.value)
    assert str(error.value).isprintable()


def test_what_a_module_prints_goes_aside(odd, capsys) -> None:
    named("odd_gates:surrogates_free")
    assert capsys.readouterr() == ("", "NOISE\n")
