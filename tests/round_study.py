"""A study of one conversation with a candidate per user turn: enough to push, label and pull."""

from typing import Any

from labelling.tables import content_id, frame, write

HOSTILE = (
    "</script><script>parent.pwned = 1</script><img src=x onerror='parent.pwned = 2'>"
    "<svg onload='parent.pwned = 3'></svg> {{record}} #TEMPLATE# #RECORD_OBJECT# "
    "$& $' $` $$ [link](javascript:parent.pwned=4) %3Cb%3E \u202edesrever\u202c <!--<script> \x00"
)
"""Markup, handlers, braces, replacement patterns, Markdown, percent codes, direction overrides."""

SAID = (
    "Our warehouse is BigQuery 🙂 since May.",
    "The import fails this morning.",
    "Call me Sam.",
)


def write_study(study: str, said: tuple[str, ...] = SAID, *, round_: int = 1) -> list[str]:
    """Write sessions, turns and candidates; returns the candidate ids in the order of the turns."""
    write(study, "sessions", frame("sessions", [_session()]))
    write(study, "turns", frame("turns", _turns(said)))
    rows = [candidate(2 * n, text, round_=round_) for n, text in enumerate(said)]
    write(study, "candidates", frame("candidates", rows), made_from=("turns",))
    return [row["candidate_id"] for row in rows]


def candidate(turn: int, text: str, **changes: Any) -> dict[str, Any]:
    """A candidate that rests on the whole of a user turn."""
    round_ = changes.pop("round_", 1)
    row = {
        "candidate_id": content_id("c1", turn, text),
        "session_id": "c1",
        "turn": turn,
        "evidence": [{"turn": turn, "role": "user", "start": 0, "end": len(text)}],
        "quote": text,
        "statement": text,
        "kind": None,
        "scope": None,
        "slot": None,
        "value": None,
        "polarity": None,
        "expires_at": None,
        "strata": ["sampled"],
        "inclusion_probability": 1.0,
        "round": round_,
        "proposal_ids": [],
    }
    return {**row, **changes}


def turn(number: int, text: str, **changes: Any) -> dict[str, Any]:
    """A turn: even ones are the user's."""
    role = "assistant" if number % 2 else "user"
    row = {
        "session_id": "c1",
        "turn": number,
        "role": role,
        "speaker": role,
        "text": text,
        "at": None,
        "hidden": False,
        "injected_spans": [],
        "source_ref": str(number),
    }
    return {**row, **changes}


def _turns(said: tuple[str, ...]) -> list[dict[str, Any]]:
    texts = [text for one in said for text in (one, "I see. What else can I do for you?")]
    return [turn(number, text) for number, text in enumerate(texts)]


def _session() -> dict[str, Any]:
    return {
        "session_id": "c1",
        "user_id": "u1",
        "partner": "assistant",
        "split": "test",
        "source_format": "jsonl",
        "source_ref": "hand made",
    }
