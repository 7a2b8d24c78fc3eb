import html
from urllib.parse import unquote

from hypothesis import example, given
from hypothesis import strategies as st
from round_study import HOSTILE

from labelling.untrusted import for_frame, for_html, visible

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
@example(HOSTILE)
def test_html_shows_the_text_and_holds_no_markup(text: str) -> None:
    assert html.unescape(for_html(text)) == visible(text)
    assert not set(for_html(text)) & set("<>\"'$")
    assert "#TEMPLATE#" not in for_html(text)


@given(TEXTS)
@example(HOSTILE)
def test_the_frame_decodes_the_text_and_gets_no_replacement_pattern(text: str) -> None:
    assert unquote(for_frame(text)) == visible(text)
    assert not set(for_frame(text)) & set("<>$#")


def test_what_nobody_could_see_is_shown_as_its_code() -> None:
    assert visible("a\u202eb\x00c\r\nd\te") == "a[U+202E]b[U+0000]c\nd\te"


def test_marks_that_right_to_left_text_needs_stay() -> None:
    assert visible("שלום\u200f!") == "שלום\u200f!"
