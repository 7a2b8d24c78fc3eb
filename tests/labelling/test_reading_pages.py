"""A session as one text, and the way back: whatever was said, spans come home."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from labelling.reading import page
from labelling.untrusted import visible
from tests.studies import rows, talk

NASTY = st.one_of(
    st.text(max_size=30),
    st.text("a 🙂👩‍👩‍👧‍👦ö\u0308\u202e\u2066\r\n\t■▪\x00\ufeffשלום[U+]", max_size=30),
)
TURNS = st.lists(
    st.tuples(NASTY, st.sampled_from(["user", "assistant", "tool"]), NASTY, st.booleans()),
    min_size=1,
    max_size=6,
)


def turns(given_):
    said = [
        {
            "turn": 2 * number,
            "text": text,
            "role": role,
            "speaker": speaker,
            "hidden": hidden,
            "injected_spans": [{"start": 1, "end": len(text) // 2}] if len(text) > 4 else [],
        }
        for number, (text, role, speaker, hidden) in enumerate(given_)
    ]
    return rows("turns", *said).to_dicts()


def conversation(*texts):
    return rows("turns", *talk(*texts)).to_dicts()


@given(TURNS, st.data())
def test_a_span_comes_back_to_the_words_it_was_drawn_over(spoken, data):
    said = turns(spoken)
    found = page(said)
    start = data.draw(st.integers(0, len(found.text)))
    end = data.draw(st.integers(start, len(found.text)))
    texts = {turn["turn"]: turn["text"] for turn in said}
    pieces = found.pieces(start, end)
    assert [piece["turn"] for piece in pieces] == sorted({piece["turn"] for piece in pieces})
    marked = set(range(start, end))
    places = {(p["turn"], place) for p in pieces for place in range(p["start"], p["end"])}
    for one in found.stretches:
        plain = one.to - one.at == one.end - one.start
        for offset in range(one.end - one.start):
            shown = {one.at + offset} if plain else set(range(one.at, one.to))
            assert ((one.turn, one.start + offset) in places) == bool(shown & marked)
    for piece in pieces:
        assert 0 <= piece["start"] < piece["end"] <= len(texts[piece["turn"]])


@given(TURNS)
def test_every_word_is_there_once_and_nothing_said_is_a_heading(spoken):
    said = turns(spoken)
    found = page(said)
    assert found.text.count("■") == len(said)
    for turn in said:
        shown = "".join(found.text[s.at : s.to] for s in found.stretches if s.turn == turn["turn"])
        assert shown == visible(turn["text"]).replace("■", "▪")
        places = [(s.start, s.end) for s in found.stretches if s.turn == turn["turn"]]
        joined = [place for start, end in places for place in range(start, end)]
        assert joined == list(range(len(turn["text"])))


def test_what_a_reader_sees():
    first, second = conversation("We use BigQuery 🙂\n■ 2 · USER\nNo.", "Noted.")
    first["at"] = datetime(2026, 5, 1, 10, tzinfo=UTC)
    first["injected_spans"] = [{"start": 3, "end": 6}]
    second |= {"speaker": "Sam\n■ 9", "hidden": True}
    assert page([first, second]).text == (
        "■ 1 · USER · 2026-05-01 10:00\n"
        "We [inserted, not typed by the user: use – end of what was inserted] BigQuery 🙂\n"
        "▪ 2 · USER\nNo.\n\n"
        "■ 2 · ASSISTANT (Sam ▪ 9) · not shown to the user\nNoted."
    )


def test_a_span_over_two_turns_is_a_piece_of_each():
    found = page(conversation("We use 𝒫𝓃𝓅𝓂.", "", "Always."))
    assert "(empty)" in found.text
    start, end = found.text.index("𝒫𝓃𝓅𝓂"), found.text.index("ways.")
    assert found.pieces(start, end) == [
        {"turn": 0, "start": 7, "end": 12},
        {"turn": 2, "start": 0, "end": 2},
    ]
    heading = found.text.index("■ 2")
    assert found.pieces(heading, heading + 5) == []


def test_a_turn_of_a_megabyte_is_a_text_like_any_other():
    found = page(conversation("x" * 1_000_000 + "🙂 end\u202e.", "Ok."))
    start = found.text.index("🙂")
    assert found.pieces(start, start + 3) == [{"turn": 0, "start": 1_000_000, "end": 1_000_003}]
