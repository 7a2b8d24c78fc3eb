"""The rules of a verdict as a plain loop: what matching is compared with.

A record is held against the candidates of its session one by one; the order of the rules is that of
analysis/match.py. What is doubtful is not looked for, so the loop has less to do. Its answer is a
status, or None where only a whole reading, or nobody, can tell.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labelling.tables import normalise

Row = dict[str, Any]
STATUS = {"accepted": "correct", "rejected": "wrong", "disputed": "disputed"}
FORM = ("scope", "polarity", "kind")


def verdicts(
    records: Sequence[Row],
    candidates: Sequence[Row],
    decided: Mapping[str, str],
    turns: Sequence[Row],
    events: Sequence[Row],
) -> dict[str, str | None]:
    """proposal_id -> status; rows are those of the tables, `decided` maps candidate_id."""
    said = {(row["session_id"], row["turn"]): row for row in turns}
    pressed = {
        (row["session_id"], normalise(row["statement"] or ""))
        for row in events
        if row["event"] == "remember_pressed"
    }
    cards: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(candidates, key=lambda row: (row["turn"], row["candidate_id"])):
        card = _keyed(row) | {"decision": decided[row["candidate_id"]]}
        cards[row["session_id"]].append(card)
    found = {}
    for row in records:
        record = _keyed(row)
        sound = (row["session_id"], record["said"]) in pressed or _supported(record, said)
        status = _verdict(record, cards[row["session_id"]]) if sound else "wrong"
        found[row["proposal_id"]] = status
    return found


def _verdict(record: Row, cards: Sequence[Row]) -> str | None:
    own = _own(record, cards)
    if own and own["decision"] in STATUS:
        return STATUS[own["decision"]]
    for decision, same in (("accepted", _captures), ("rejected", _equal), ("disputed", _equal)):
        if any(card["decision"] == decision and same(record, card) for card in cards):
            return STATUS[decision]
    return None


def _own(record: Row, cards: Sequence[Row]) -> Row | None:
    """The candidate that the record became; by its id, its words, or the sentence it copies."""
    tests: tuple[Callable[[Row], bool], ...] = (
        lambda card: record["proposal_id"] in card["proposal_ids"],
        lambda card: bool(record["filled"]) and _alike(record, card, *FORM, "filled"),
        lambda card: _alike(record, card, *FORM, "said"),
        lambda card: not any(card[x] is not None for x in FORM) and _alike(record, card, "said"),
    )
    return next((card for test in tests for card in cards if test(card)), None)


def _captures(record: Row, card: Row) -> bool:
    if record["filled"] and record["filled"] == card["filled"]:
        return all(_compatible(record, card, column) for column in ("scope", "polarity"))
    known = all(record[column] is not None for column in ("scope", "polarity"))
    return (
        known
        and _alike(record, card, "scope", "polarity")
        and all(_compatible(record, card, column) for column in ("slot", "value"))
        and any(
            _overlap(mine, theirs) for mine in record["evidence"] for theirs in card["evidence"]
        )
    )


def _equal(record: Row, card: Row) -> bool:
    if not _alike(record, card, "scope", "polarity"):
        return False
    return _alike(record, card, "said") or bool(record["filled"] and _alike(record, card, "filled"))


def _overlap(mine: Row, theirs: Row) -> bool:
    """Half of the shorter span, in one turn of the user."""
    if (mine["turn"], mine["role"], theirs["role"]) != (theirs["turn"], "user", "user"):
        return False
    shared = min(mine["end"], theirs["end"]) - max(mine["start"], theirs["start"])
    shorter = min(mine["end"] - mine["start"], theirs["end"] - theirs["start"])
    return bool(shared > 0 and 2 * shared >= shorter)


def _supported(record: Row, said: Mapping[tuple[str, int], Row]) -> bool:
    """Whether a user's words outside injected text stand behind it, or nothing can be checked."""
    if record["quote"] is None and not record["evidence"]:
        return True
    places = [(span, said.get((record["session_id"], span["turn"]))) for span in record["evidence"]]
    return any(
        turn is not None
        and turn["role"] == "user"
        and not any(
            injected["start"] < span["end"] and span["start"] < injected["end"]
            for injected in turn["injected_spans"]
        )
        for span, turn in places
    )


def _keyed(row: Row) -> Row:
    slot, value = (None if row[x] is None else normalise(row[x]) for x in ("slot", "value"))
    filled = None if slot is None or value is None else (slot, value)
    said = normalise(row["statement"])
    return row | {"slot": slot, "value": value, "filled": filled, "said": said}


def _alike(record: Row, card: Row, *columns: str) -> bool:
    return all(record[column] == card[column] for column in columns)


def _compatible(record: Row, card: Row, column: str) -> bool:
    return None in (record[column], card[column]) or record[column] == card[column]
