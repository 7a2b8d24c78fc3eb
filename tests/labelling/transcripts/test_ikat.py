"""iKAT topics."""

import json

from labelling.transcripts import read


def test_a_turn_is_an_utterance_and_a_response(tmp_path):
    turns = [
        {"turn_id": 1, "utterance": "Hi", "response": "Hello"},
        {"turn_id": 2, "utterance": 5},
        {"turn_id": 3, "utterance": "Bye"},
    ]
    path = tmp_path / "topics.json"
    path.write_text(json.dumps([{"number": "1-2", "turns": turns}, {"turns": turns}]))
    found = read(path)
    assert found.format == "ikat"
    assert found.sessions["session_id"].to_list() == ["topics-1-2"]
    assert found.turns.select("role", "text").rows() == [
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Bye"),
    ]
    assert found.turns["source_ref"][2] == "topics.json#$[0].turns[2];turn=3"
    assert [reject.path for reject in found.rejects] == ["$[0].turns[1]", "$[1]"]
