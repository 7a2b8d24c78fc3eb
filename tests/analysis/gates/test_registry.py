"""A gate is found by its name, or as `module:function` in the working directory."""

import pytest

from analysis.gates import Context, Turn
from analysis.gates.registry import BASELINES, BUILT_IN, named
from labelling.tables import InputError


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
    ],
)
def test_one_sentence_says_what_is_wrong(name: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        named(name)
    assert told in str(error.value)
    assert "expected" in str(error.value)
