"""A pattern file is checked when it is read: one sentence with file, pattern and fault."""

from pathlib import Path

import pytest

from analysis.gates import Context, Turn, heuristic
from analysis.gates.patterns import Template, read_patterns
from labelling.tables import InputError

GOOD = """
[words]
tool = ["jq", "sed"]

[[pattern]]
id = "tool"
pattern = 'i use {tool} (?P<what>[a-z]{1,9})'
kind = "fact"
scope = "tool:{what|slug}"
slot = "tool"
value = "{what|lower}"
statement = "Uses {what}."
polarity = true
added = 2026-01-02
because = "A test."
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_a_gate_with_its_own_setting(tmp_path) -> None:
    gate = heuristic.load(written(tmp_path, GOOD))
    (proposal,) = gate(Turn("s", 0, "user", "I use  sed Daily"), Context())
    assert (proposal.statement, proposal.scope, proposal.value) == (
        "Uses Daily.",
        "tool:daily",
        "daily",
    )
    other = heuristic.load(written(tmp_path, GOOD.replace("A test", "Another")))
    assert gate.setting.startswith("mine ")
    assert gate.setting != other.setting


SPREAD = """
[fragments]
tools = '{tool}(?: and {tool})?'

[[pattern]]"""
LINES = """'''
  i (?:use
  |run) {tools}(?P<what> [a-z]{1,9})'''"""


def test_a_fragment_uses_those_above_it_and_a_pattern_may_take_several_lines(tmp_path) -> None:
    text = GOOD.replace("\n[[pattern]]", SPREAD)
    text = text.replace("'i use {tool} (?P<what>[a-z]{1,9})'", LINES)
    gate = heuristic.load(written(tmp_path, text))
    (proposal,) = gate(Turn("s", 0, "user", "I run jq and sed daily"), Context())
    assert (proposal.quote, proposal.scope) == ("I run jq and sed daily", "tool:daily")


def test_a_scope_whose_group_caught_nothing_is_global(tmp_path) -> None:
    text = GOOD.replace("{1,9})'", "{1,9})?'")
    gate = heuristic.load(written(tmp_path, text))
    (proposal,) = gate(Turn("s", 0, "user", "i use sed 9"), Context())
    assert (proposal.scope, proposal.slot, proposal.value) == ("global", None, None)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('id = "tool"', 'id = ""', "lacks id"),
        ("polarity = true", 'polarity = "yes"', "polarity of type bool"),
        ("added = 2026-01-02\n", "", "lacks added"),
        ('kind = "fact"', 'kind = "trait"', "fact or preference"),
        ('"tool:{what|slug}"', '"everywhere"', "global or <what>:<name>"),
        ('slot = "tool"\n', "", "one of slot and value"),
        ("{what|lower}", "{what|louder}", "normaliser 'louder'"),
        ("Uses {what}.", "Uses {that}.", "no group 'that'"),
        ("i use {tool}", "i use {tols}", "{tols}"),
        ("[a-z]{1,9}", "[a-z]+", "repeats without end (+)"),
        ("[a-z]{1,9}", "[a-z]{1,}", "repeats without end ({1,})"),
        ("[a-z]{1,9})", "[a-z]{1,9}", "no regular expression"),
        ("because =", "why = 1\nbecause =", "unknown why"),
    ],
)
def test_a_fault_is_named(tmp_path, old: str, new: str, told: str) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InputError) as error:
        read_patterns(path)
    assert told in str(error.value)
    assert str(path) in str(error.value)
    assert "pattern '" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [("[[", "no TOML"), ("a = 1", "has ['a']"), (GOOD + GOOD.split("\n\n")[1], "stands twice")],
)
def test_a_fault_of_the_file_is_named(tmp_path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=r"mine\.toml") as error:
        read_patterns(written(tmp_path, text))
    assert told in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_patterns(tmp_path / "none.toml")
    (tmp_path / "mine.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_patterns(tmp_path / "mine.toml")


def test_what_was_said_is_never_a_template() -> None:
    template = Template("Uses {tool}.", {})
    assert template.filled({"tool": "{0.__class__} {tool}"}) == "Uses {0.__class__} {tool}."
