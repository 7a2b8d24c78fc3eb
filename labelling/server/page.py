"""Argilla's web page, mended so that no text in it can run as a script, or is anything but text.

The page puts text into HTML in many places: a custom field's frame gets the whole record, an
annotator's own answers included, pasted into a script; names, tooltips and messages are set as
HTML. Escaping each place would miss one, so the policy that goes out with the page (`policy`)
allows script files of this server and the few inline scripts that Argilla was built with, each by
its hash, and nothing else: no other inline script, no event handler, no `javascript:`, no `eval`.

For that the record becomes data in its frame: JSON that the page of the field reads. A custom
field therefore brings its script as a file; ours is put beside Argilla's files. What else is
mended, in the page's look and in what it sends, is in `mends.py`. All of it works on the copy of
the built page that Argilla makes at each start and serves.
"""

import hashlib
import re
import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from labelling import transcript_field
from labelling.server.mends import MENDS, Mend

HERE = Path(__file__).parent
SCRIPTS = {"gates_page.js": HERE / "page.js", "gates_annotating.js": HERE / "annotating.js"}
"""Our scripts for the whole page, by what they are called as they are served."""

FRAME_SCRIPT = re.compile(r"'\\n<script>(\\nif \(parent\) \{.*?)<\\/script>")
"""The script that gives a frame the page's style sheets, as a JavaScript string."""

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
FIRST_SCRIPT = re.compile(r'<script src="([^"]*)/_nuxt/')


def mend(folder: Path) -> None:
    """Rewrite the built page in its folder and add our scripts.

    Raises RuntimeError where what is to be rewritten is not as expected: another Argilla's page.
    """
    built = {path: path.read_text(encoding="utf-8") for path in folder.glob("_nuxt/*.js")}
    mended = built
    for one in MENDS:
        mended = _mended(mended, one, folder)
    for path in built:
        if mended[path] != built[path]:
            path.write_text(mended[path], encoding="utf-8")
    for page in folder.rglob("*.html"):
        page.write_text(_with_script(page), encoding="utf-8")
    for name, script in SCRIPTS.items():
        shutil.copyfile(script, folder / name)
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


def _mended(scripts: dict[Path, str], one: Mend, folder: Path) -> dict[Path, str]:
    mended = {path: one.found.sub(one.instead, text) for path, text in scripts.items()}
    changed = sum(mended[path] != scripts[path] for path in scripts)
    if changed != one.scripts:
        raise RuntimeError(_unknown(folder, one.found.pattern))
    return mended


def _with_script(page: Path) -> str:
    """The page with our scripts before its own, at the same address."""
    ours = "".join(rf'<script src="\1/{name}"></script>' for name in SCRIPTS)
    text, times = FIRST_SCRIPT.subn(rf"{ours}\g<0>", page.read_text(encoding="utf-8"), count=1)
    if not times:
        raise RuntimeError(_unknown(page, FIRST_SCRIPT.pattern))
    return text


def _unknown(place: Path, found: str) -> str:
    return (
        f"{place} does not hold {found!r} where it is expected, so Argilla's page cannot be made "
        "safe; expected the release that labelling/server/requirements.txt names: remove "
        ".venv-server and start again"
    )


def _inline_scripts(folder: Path) -> Iterator[str]:
    for page in folder.rglob("*.html"):
        yield from INLINE_SCRIPT.findall(page.read_text(encoding="utf-8"))
    for script in folder.glob("_nuxt/*.js"):
        for literal in FRAME_SCRIPT.findall(script.read_text(encoding="utf-8")):
            yield literal.encode().decode("unicode_escape")


def _source(script: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
