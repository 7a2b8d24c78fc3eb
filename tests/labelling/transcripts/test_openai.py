"""OpenAI chat JSON Lines."""

import json

from labelling.transcripts import read


def take(tmp_path, *objects):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in objects))
    return read(path)


def test_ids_users_roles_and_names(tmp_path):
    developer = {"role": "developer", "content": "Be brief."}
    user = {"role": "user", "content": "Hi", "name": "Ann"}
    result = {"role": "tool", "content": "42", "tool_call_id": "c"}
    found = take(
        tmp_path,
        {"messages": [developer, user, result]},
        {"messages": [user], "id": "chat-7", "user": "u1", "created": 1767225600},
    )
    assert found.format == "openai"
    assert found.sessions["session_id"].to_list() == ["log-0", "chat-7"]
    assert found.sessions["user_id"].to_list() == ["log-0", "u1"]
    assert str(found.sessions["started_at"][1]) == "2026-01-01 00:00:00+00:00"
    assert found.turns["role"].to_list() == ["system", "user", "tool", "user"]
    assert found.turns["speaker"].to_list() == ["system", "Ann", "tool", "Ann"]
    assert found.turns["source_ref"][1] == "log.jsonl#1$.messages[1]"


def test_text_parts_are_joined_and_other_parts_said(tmp_path):
    image = {"type": "image_url", "image_url": {"url": "data:…"}}
    parts = [{"type": "text", "text": "Look:"}, image, {"type": "text", "text": "nice?"}]
    found = take(tmp_path, {"messages": [{"role": "user", "content": parts}]})
    assert found.turns["text"].to_list() == ["Look:\nnice?"]
    assert [(r.line, r.path) for r in found.rejects] == [(1, "$.messages[0].content[1]")]


def test_a_turn_that_only_calls_a_tool_is_hidden(tmp_path):
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}
    answer = {"role": "assistant", "content": "42"}
    found = take(tmp_path, {"messages": [call, answer]})
    assert found.turns.select("text", "hidden").rows() == [("", True), ("42", False)]
    assert [reject.path for reject in found.rejects] == ["$.messages[0].tool_calls"]


def test_bad_messages_are_left_out_one_by_one(tmp_path):
    messages = [{"role": "user", "content": None}, 3, {"content": "x"}]
    good = {"role": "user", "content": "Hi"}
    found = take(tmp_path, {"messages": [*messages, good]}, {"messages": []}, {"messages": "x"})
    assert found.turns["text"].to_list() == ["Hi"]
    assert [(r.line, r.path, r.reason) for r in found.rejects] == [
        (1, "$.messages[0]", "content is missing"),
        (1, "$.messages[1]", "not a JSON object"),
        (1, "$.messages[2]", "role is missing"),
        (2, None, "a conversation without messages"),
        (3, None, "messages is a text, expected a list"),
    ]
