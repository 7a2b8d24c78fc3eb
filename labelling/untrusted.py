"""Text of a transcript on its way to the annotators' page, where it must stay text.

Argilla's page sets a text field as HTML, and copies the whole record into the page of a custom
field's frame by `String.replace`. So in a record `<` could open a tag or end the script, `$'` could
paste the page's own source, and `#TEMPLATE#` could draw our template in the wrong place. Both
functions below leave none of these characters; neither loses any text. What annotators type does
not pass here: for that, and behind this, our server mends the page (`labelling/server/page.py`).
"""

import re

_HTML = re.compile(r"""[&<>"'$#]""")
_FRAME = re.compile(r"[%<>$#]")
UNSEEN = re.compile("\r\n?|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
"""What `visible` shows as something else."""


def for_html(text: str) -> str:
    """Text as HTML that shows it: what could be markup or a replacement pattern is an entity."""
    return _HTML.sub(lambda found: f"&#{ord(found[0])};", visible(text))


def for_frame(text: str) -> str:
    """Text for the transcript's frame, which undoes it by `decodeURIComponent`."""
    return _FRAME.sub(lambda found: f"%{ord(found[0]):02X}", visible(text))


def visible(text: str) -> str:
    """Control characters and overrides of writing direction as their code, e.g. `[U+202E]`.

    Invisible, they would make an annotator read something other than what is there; line feeds and
    tabs stay, and so do the marks that right-to-left text needs.
    """
    return UNSEEN.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    return "\n" if found[0][0] == "\r" else f"[U+{ord(found[0]):04X}]"
