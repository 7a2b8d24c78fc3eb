"""What the heuristic gate admits, refuses and stays silent on; golden cases are files."""

import json
from pathlib import Path

import pytest

from analysis.gates import Context, Proposal, Turn, heuristic

GOLDEN = Path(__file__).parents[2] / "golden"


def golden(name: str) -> list[dict[str, str]]:
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def offered(text: str, *, role: str = "user", injected=()) -> list[Proposal]:
    turn = Turn("s", 3, role, text, injected_spans=tuple(injected))
    return heuristic.gate(turn, Context())


@pytest.mark.parametrize("case", golden("patterns.jsonl"), ids=lambda case: case["text"][:40])
def test_a_pattern_writes_its_record(case) -> None:
    (proposal,) = offered(case["text"])
    assert proposal.verdict == "admit"
    said = (proposal.rule_id, proposal.statement, proposal.value, proposal.scope)
    assert said == (case["id"], case["statement"], case["value"], case["scope"])


def test_every_pattern_has_a_golden_case() -> None:
    patterns = [pattern.id for pattern in heuristic.built_in().patterns]
    assert {case["id"] for case in golden("patterns.jsonl")} == set(patterns)
    assert heuristic.built_in().setting == f"{len(patterns)} patterns"


@pytest.mark.parametrize("case", golden("guards.jsonl"), ids=lambda case: case["text"][:40])
def test_a_guard_refuses_with_its_reason(case) -> None:
    proposal = offered(case["text"])[-1]
    expected = {None: ("admit", None), "situational": ("log", None)}
    verdict = expected.get(case["reason"], ("reject", case["reason"]))
    assert (proposal.verdict, proposal.reject_reason) == verdict


@pytest.mark.parametrize("case", golden("silent.jsonl"), ids=lambda case: case["text"][:40])
def test_nothing_is_written(case) -> None:
    assert [p for p in offered(case["text"]) if p.verdict == "admit"] == []


def test_offsets_are_code_points_of_the_original_text() -> None:
    text = "🎉🎉 naïve: we’re\u00a0on Snowflake"
    (proposal,) = offered(text)
    (span,) = proposal.evidence
    assert (span.turn, span.role, text[span.start : span.end]) == (3, "user", proposal.quote)
    assert proposal.quote == "we’re\u00a0on Snowflake"


def test_a_later_match_is_not_hidden_and_equal_ones_are_merged() -> None:
    proposals = offered("We're not on Snowflake. We use BigQuery. Yes, we use BigQuery.")
    assert [(p.verdict, p.value) for p in proposals] == [
        ("reject", "snowflake"),
        ("admit", "bigquery"),
    ]
    assert [span.start for span in proposals[1].evidence] == [24, 46]


def test_of_overlapping_matches_the_first_pattern_speaks() -> None:
    (proposal,) = offered("Always answer in German.")
    assert proposal.rule_id == "answer-language"


def test_other_roles_and_injected_spans() -> None:
    assert offered("We use Snowflake.", role="assistant") == []
    (proposal,) = offered("We use Snowflake.", injected=[(3, 5)])
    assert (proposal.verdict, proposal.reject_reason) == ("reject", "injected")
    (proposal,) = offered("We use Snowflake.", injected=[(16, 17)])
    assert proposal.verdict == "admit"


def test_what_comes_out_is_one_clean_line() -> None:
    (proposal,) = offered("From now on add \x00\u202e<b>rows</b>\t" + "x" * 40 + ", please")
    assert proposal.statement.startswith("Standing instruction: add <b>rows</b> x")
    assert proposal.statement.isprintable()
    assert len(proposal.statement) <= 120


HOSTILE = ["we are on snowflake. ", "a b ", "our rule for a ", "1.", "we ", "'", ">", "a, b and "]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_does_not_hang(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert len(offered(text)) <= 1
