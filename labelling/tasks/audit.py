"""The task *audit*: should a store hold this? The questions are those of *candidates*.

Blind: a record says nothing of the gate that wrote it, the user, or what became of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from labelling import transcript_field
from labelling.tasks.candidates import candidates_task, details
from labelling.tasks.shapes import Field, Record, Task, guidelines
from labelling.tasks.wording import one_form
from labelling.untrusted import for_html

_UNKNOWN = {"slot": None, "value": None, "polarity": None}
"""What a store does not say of its records."""


def audit_task() -> Task:
    """Should a memory hold this? Asked as of candidates."""
    asked = candidates_task()
    first, *others = asked.fields
    fields = (Field(first.name, "Should a memory hold this?"), *others)
    return replace(asked, fields=fields, guidelines=guidelines("audit"))


def audit_record(drawn: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> Record:
    """A drawn record (a row of `audit_records`) beside its conversation, where there is one."""
    shown = {
        "statement": for_html(one_form(drawn["statement"])),
        "details": for_html(_details(drawn)),
        "transcript": _conversation(drawn, turns),
    }
    return Record(drawn["candidate_id"], shown)


def _details(drawn: Mapping[str, Any]) -> str:
    lines = [details({**_UNKNOWN, **drawn})]
    if drawn["created_at"]:
        lines.append(f"Remembered on: {drawn['created_at']:%-d %B %Y}")
    lines.append(f"Words it rests on: {f'“{quote}”' if (quote := drawn['quote']) else 'not known'}")
    return "\n".join(lines)


def _conversation(drawn: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The conversation with the quote marked, where the user's words hold it; else none."""
    if not turns:
        return {"turns": [], "left_out": 0}
    last = turns[-1]["turn"]
    at = last if drawn["turn"] is None else min(drawn["turn"], last)
    evidence = _evidence(drawn["quote"], at, turns)
    return transcript_field.value({"evidence": evidence, "turn": at}, turns)


def _evidence(
    quote: str | None, at: int, turns: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Where a user's turn says the quote: the last one up to where it was written, else the next.

    An assistant's turn with the same words is none.
    """
    said = [one for one in turns if quote and one["role"] == "user" and quote in one["text"]]
    nearest = sorted(said, key=lambda one: (one["turn"] > at, abs(one["turn"] - at)))
    return [
        {"turn": one["turn"], "role": "user", "start": start, "end": start + len(quote or "")}
        for one in nearest[:1]
        for start in (one["text"].index(quote),)
    ]
