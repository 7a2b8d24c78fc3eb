"""The baselines write nothing, every sentence, or every first-person sentence."""

from analysis.gates import Context, Turn, everything, first_person, nothing

TEXT = "Hi. I’m in Oslo! Should we move? Our week starts on Monday. It rains; 100 mm."


def said(gate, role: str = "user") -> list[str]:
    return [p.statement for p in gate(Turn("s", 0, role, TEXT), Context())]


def test_baselines() -> None:
    assert said(nothing.gate) == []
    assert said(everything.gate) == [
        "Hi.",
        "I’m in Oslo!",
        "Should we move?",
        "Our week starts on Monday.",
        "It rains; 100 mm.",
    ]
    assert said(first_person.gate) == ["I’m in Oslo!", "Our week starts on Monday."]


def test_only_users_are_read() -> None:
    assert said(everything.gate, "assistant") == said(first_person.gate, "tool") == []
