"""Sentences are verbatim spans, in order and disjoint, and lose nothing but white space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelling.transcripts.sentences import code_blocks, sentences


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use dbt. And Looker!", ["We use dbt.", "And Looker!"]),
        ("ok. we use dbt", ["ok.", "we use dbt"]),
        ("Ask Dr. Ito, e.g. today. Fine.", ["Ask Dr. Ito, e.g. today.", "Fine."]),
        (
            "At 9 a.m. we ship. It was 9 a.m. We left.",
            ["At 9 a.m. we ship.", "It was 9 a.m.", "We left."],
        ),
        ("J. Smith asked. So did I. Yes.", ["J. Smith asked.", "So did I.", "Yes."]),
        ("Churn is 3.14 in v2.0. Why?", ["Churn is 3.14 in v2.0.", "Why?"]),
        ("See https://x.io/a?b=1. Then go.", ["See https://x.io/a?b=1.", "Then go."]),
        ("Done! 🎉 We’re on ☃. Next", ["Done!", "🎉 We’re on ☃.", "Next"]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ("Wait... what?! No.", ["Wait...", "what?!", "No."]),
        ("one\n- two\n2. three\n(3) four", ["one", "two", "three", "four"]),
        ("使います。はい。", ["使います。", "はい。"]),
        ("a\n```sql\nselect 1. From x.\n```\nb", ["a", "b"]),
        ("a ```never closed. b.", ["a"]),
        ("--- \n 🎉 \n\n ...", []),
        ("", []),
    ],
)
def test_golden(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@given(st.text(alphabet=st.sampled_from("ab.!?… \n`1-é🎉\"'\u00a0。")) | st.text())
def test_spans_are_ordered_and_lose_no_word(text: str) -> None:
    spans = sentences(text)
    flat = [offset for span in spans for offset in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in spans)
    inside = {i for start, end in [*spans, *code_blocks(text)] for i in range(start, end)}
    lost = "".join(char for i, char in enumerate(text) if i not in inside)
    assert not any(char.isalpha() for char in lost)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", [".", "a. ", '."', " ", "`", "- ", "1. ", "\n", "a.b", "etc. b ", "vs. "]
)
def test_a_megabyte_of_anything_is_split(piece: str) -> None:
    text = piece * (1_000_000 // len(piece)) + "x"
    assert all(text[start:end].strip() for start, end in sentences(text))
