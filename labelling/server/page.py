"""Argilla's web page, mended so that no text in it can run as a script.

The page puts text into HTML in many places: a custom field's frame gets the whole record, an
annotator's own answers included, pasted into a script; names, tooltips and messages are set as
HTML. Escaping each place would miss one, so the policy that goes out with the page (`policy`)
allows script files of this server and the few inline scripts that Argilla was built with, each by
its hash, and nothing else: no other inline script, no event handler, no `javascript:`, no `eval`.

For that the record becomes data in its frame (`RECORD_AS_DATA`): JSON that the page of the field
reads. A custom field therefore brings its script as a file; ours is put beside Argilla's files.
Two more mends: the queue shows every record (`QUEUE`), and nothing leads elsewhere (`HOME`).
All of it works on the copy of the built page that Argilla makes at each start and serves.
"""

import hashlib
import re
import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from labelling import transcript_field

Mend = dict[str, str]
"""What a built script holds -> what is served instead."""

RECORD_AS_DATA: Mend = {
    # `<` could end the script; String.replace gives `$` and the page's own marks a meaning
    "JSON.stringify(this.sdkRecord)": (
        "JSON.stringify(this.sdkRecord)"
        r'.replace(/[<$#]/g,(function(c){return"\\u00"+c.charCodeAt(0).toString(16)}))'
    ),
    r"<script>\n  const record = #RECORD_OBJECT#;\n<\/script>\n#TEMPLATE#": (
        r"<script type='application/json' id='record'>#RECORD_OBJECT#<\/script>\n#TEMPLATE#"
    ),
}
HOME: Mend = {
    # Beside the data sets: a demo, guides and others' data sets, all of them elsewhere. Nothing at
    # all would show a text of the program's.
    '"page-sidebar",fn:function fn(){return[t.isAdminOrOwnerRole?[': (
        '"page-sidebar",fn:function fn(){return[e("div")];[t.isAdminOrOwnerRole?['
    ),
}
QUEUE: Mend = {
    # Records read ahead while an answer is stored can hold one that is there already. Argilla
    # moves that one to a later place, and at its own the queue seems to end: let it stay.
    "-1===a?i.records.push(r):i.records[a]=r": (
        "-1!==a?i.records[a].page===r.page&&(i.records[a]=r):"
        "(r.page=Math.min(r.page,i.lastRecord.page+1),i.records.push(r))"
    ),
}
MENDS = {"#RECORD_OBJECT#": RECORD_AS_DATA, '"home.demoLink"': HOME, '"shouldBuffering"': QUEUE}
"""By what tells the scripts that need it."""

FRAME_SCRIPT = re.compile(r"'\\n<script>(\\nif \(parent\) \{.*?)<\\/script>")
"""The script that gives a frame the page's style sheets, as a JavaScript string."""

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def mend(folder: Path) -> None:
    """Rewrite the built page in its folder and add our field's script.

    Raises RuntimeError where what is to be rewritten is not as expected: another Argilla's page.
    """
    built = {path: path.read_text(encoding="utf-8") for path in folder.glob("_nuxt/*.js")}
    for sign, wanted in MENDS.items():
        holding = [path for path, text in built.items() if sign in text]
        if not holding:
            raise RuntimeError(_unknown(folder, sign))
        for path in holding:
            built[path] = _mended(built[path], wanted, path)
            path.write_text(built[path], encoding="utf-8")
    shutil.copyfile(transcript_field.SCRIPT, folder / transcript_field.SCRIPT_NAME)


def policy(folder: Path) -> str:
    """The Content-Security-Policy: all from this server, nothing to another, no foreign script."""
    hashes = " ".join(sorted(map(_source, set(_inline_scripts(folder)))))
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' {hashes}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "frame-ancestors 'self'",
            "form-action 'self'",
            "base-uri 'self'",
        ]
    )


def _mended(text: str, wanted: Mend, path: Path) -> str:
    for found, instead in wanted.items():
        if found not in text:
            raise RuntimeError(_unknown(path, found))
        text = text.replace(found, instead)
    return text


def _unknown(place: Path, found: str) -> str:
    return (
        f"{place} does not hold {found!r}, so Argilla's page cannot be made safe; expected the "
        "release that labelling/server/requirements.txt names: remove .venv-server and start again"
    )


def _inline_scripts(folder: Path) -> Iterator[str]:
    for page in folder.rglob("*.html"):
        yield from INLINE_SCRIPT.findall(page.read_text(encoding="utf-8"))
    for script in folder.glob("_nuxt/*.js"):
        for literal in FRAME_SCRIPT.findall(script.read_text(encoding="utf-8")):
            yield literal.encode().decode("unicode_escape")


def _source(script: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
