"""What holds for every reader, and for the choice among them."""

import io
import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelling.tables import InputError, check
from labelling.transcripts import FORMATS, jsonl, read
from labelling.transcripts.build import Defaults, build
from labelling.transcripts.source import Source

TEST_DATA = os.environ.get("GATES_TEST_DATA", "")
needs_data = pytest.mark.skipif(not TEST_DATA, reason="GATES_TEST_DATA names no real transcripts")

calm = settings(deadline=None)  # the time of one example says nothing on a busy machine

NAMES = [
    *("session_id", "role", "text", "turn", "event", "statement", "user_id", "partner", "at"),
    *("started_at", "hidden", "tokens", "injected_spans", "messages", "content", "type", "id"),
    *("conversations", "from", "value", "number", "turns", "utterance", "response", "tool_calls"),
]
WORDS = ["user", "assistant", "gpt", "human", "text", "remember_pressed", "s", "t", "2026-01-01"]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(st.characters(exclude_categories=()), max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=12,
)
TURNS = st.fixed_dictionaries(
    {"session_id": st.sampled_from("st"), "role": st.sampled_from(WORDS), "text": LEAVES},
    optional={"turn": st.integers(0, 5), "at": LEAVES, "hidden": LEAVES, "user_id": LEAVES},
)
EVENTS = st.fixed_dictionaries(
    {"session_id": st.sampled_from("st"), "event": st.sampled_from(WORDS)},
    optional={"turn": st.integers(0, 5), "statement": LEAVES},
)


def given_bytes(data, name):
    source = Source("x.jsonl", lambda: io.BytesIO(data))
    source.check_text()
    one = next(one for one in FORMATS if one.name == name)
    pieces = one.conversations(source)
    return build(pieces, source_format=name, because="", defaults=Defaults())


def assert_in_schema(found):
    for name in ("sessions", "turns", "events"):
        assert not check(name, getattr(found, name)).bad.height


@pytest.mark.parametrize("name", [one.name for one in FORMATS])
@calm
@given(data=st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_input_gives_tables_or_one_sentence(name, data):
    try:
        found = given_bytes(data, name)
    except InputError:
        return
    assert_in_schema(found)
    assert found.turns.height or found.rejects or data.strip() == b"[]"


@calm
@given(st.lists(TURNS | EVENTS | VALUES.filter(lambda value: isinstance(value, dict)), min_size=1))
def test_every_line_of_ours_is_a_turn_an_event_or_a_reject(values):
    found = given_bytes("\n".join(map(json.dumps, values)).encode(), "jsonl")
    assert_in_schema(found)
    rejected = [reject for reject in found.rejects if reject.path is None]
    assert found.turns.height + found.events.height + len(rejected) == len(values)


@pytest.mark.parametrize(
    ("name", "key"), [("openai", "messages"), ("sharegpt", "conversations"), ("ikat", "turns")]
)
@calm
@given(data=st.data())
def test_every_message_is_a_turn_or_a_reject(name, key, data):
    message = {
        "openai": {"role": LEAVES, "content": VALUES},
        "sharegpt": {"from": LEAVES, "value": LEAVES},
        "ikat": {"utterance": LEAVES, "turn_id": LEAVES},
    }[name]
    messages = st.lists(st.fixed_dictionaries(message) | VALUES, min_size=1)
    raw = data.draw(messages.map(lambda raw: {key: raw, "number": 1}))
    found = given_bytes(json.dumps(raw).encode(), name)
    whole = re.compile(rf"\$\.{key}\[\d+\]")
    rejected = {reject.path for reject in found.rejects if whole.fullmatch(reject.path)}
    numbers = {re.search(r"\[\d+\]", ref).group() for ref in found.turns["source_ref"]}
    assert len(numbers) + len(rejected) == len(raw[key])


@calm
@given(st.lists(TURNS | EVENTS, min_size=1))
def test_what_was_read_is_written_and_read_again(values):
    once = given_bytes("\n".join(map(json.dumps, values)).encode(), "jsonl")
    if once.sessions.height:
        again = given_bytes("\n".join(jsonl.lines(once)).encode(), "jsonl")
        assert not again.rejects
        for name in ("sessions", "turns", "events"):
            first, second = (
                getattr(x, name).drop("source_ref", strict=False) for x in (once, again)
            )
            keys = [c for c in ("session_id", "turn", "event", "statement") if c in first.columns]
            assert first.sort(keys).equals(second.sort(keys))


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "x.json is empty"),
        (b" \n\n", "x.json is empty"),
        ("[]".encode("utf-16"), "x.json is UTF-16"),
        (b"[{},\n\xff]", "not UTF-8 (line 2)"),
        (b'[{"a": 1},\n', "not JSON: Expecting value at line 2 column 1"),
        (b"name,text\na,b\n", "not JSON"),
        (b"3", "holds no objects"),
        (b'{"foo": 1}', "objects of no known format (foo)"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_in_a_sentence(tmp_path, content, part):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read(path)
    assert part in str(error.value)
    assert error.value.expected


def test_missing_files_folders_formats_and_partners(tmp_path):
    (tmp_path / "x").write_text("{}")
    calls = {
        "there is no file": lambda: read(tmp_path / "y"),
        "is a folder": lambda: read(tmp_path),
        "there is no format 'pdf'": lambda: read(tmp_path / "x", "pdf"),
        "there is no partner 'robot'": lambda: read(tmp_path / "x", partner="robot"),
    }
    for sentence, call in calls.items():
        with pytest.raises(InputError, match=sentence):
            call()


def test_a_pretty_document_with_objects_on_lines_of_their_own_stays_a_document(tmp_path):
    message = json.dumps({"from": "human", "value": "Hi"})
    path = tmp_path / "x.json"
    path.write_text(f'[{{"conversations": [\n{message}\n]}}\n]')
    assert read(path).turns.height == 1


def test_standard_input(monkeypatch):
    line = b'{"session_id": "s", "role": "user", "text": "Hi"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line)))
    assert read("-").sessions["source_ref"].to_list() == ["stdin#1"]


@needs_data
@pytest.mark.parametrize(
    ("file", "name", "sessions", "user_turns"),
    [
        ("ikat/2024_test_topics.json", "ikat", 17, 218),
        ("ikat/2023_train_topics.json", "ikat", 11, 95),
        ("fastchat/dummy_conversation.json", "sharegpt", 500, 1000),
    ],
)
def test_real_files(file, name, sessions, user_turns):
    found = read(Path(TEST_DATA) / file)
    assert (found.format, found.sessions.height, found.rejects) == (name, sessions, [])
    assert found.turns["role"].to_list().count("user") == user_turns
