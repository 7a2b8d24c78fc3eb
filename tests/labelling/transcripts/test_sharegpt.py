"""ShareGPT conversations."""

import json

from labelling.transcripts import read


def take(tmp_path, *conversations):
    path = tmp_path / "share.json"
    path.write_text(json.dumps(conversations, indent=1))
    return read(path)


def said(*pairs):
    return [{"from": one, "value": text} for one, text in pairs]


def test_roles_speakers_and_a_leading_assistant(tmp_path):
    names = ("gpt", "human", "bing", "bard", "chatgpt", "system", "tool", "user", "assistant")
    found = take(tmp_path, {"id": "x_1", "conversations": said(*((name, "…") for name in names))})
    assert found.format == "sharegpt"
    assert found.turns["role"].to_list() == [
        *("assistant", "user", "assistant", "assistant", "assistant"),
        *("system", "tool", "user", "assistant"),
    ]
    assert found.turns["speaker"].to_list() == list(names)
    assert found.turns["turn"].to_list() == list(range(9))


def test_names_are_counted_where_there_are_none_and_the_second_of_a_name_is_said(tmp_path):
    one = said(("human", "Hi"))
    found = take(tmp_path, {"conversations": one}, *[{"id": "a", "conversations": one}] * 2)
    assert found.sessions["session_id"].to_list() == ["share-0", "a"]
    (reject,) = found.rejects
    assert (reject.path, reject.text) == ("$[2]", "a")


def test_bad_messages_are_left_out(tmp_path):
    found = take(tmp_path, {"conversations": said(("alien", "x"), ("human", 3), ("human", "Hi"))})
    assert found.turns["text"].to_list() == ["Hi"]
    assert [reject.path for reject in found.rejects] == [
        "$[0].conversations[0]",
        "$[0].conversations[1]",
    ]
