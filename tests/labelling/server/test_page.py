"""The page that is served: Argilla's of the pinned release, mended."""

import re
from pathlib import Path

import httpx
import pytest
from services_fixture import ROOT

from labelling import transcript_field
from labelling.server import environment, page
from labelling.server.mends import AS_TEXT, HOME, MENDS, QUEUE, Mend
from labelling.services import Services

OURS = {**page.SCRIPTS, transcript_field.SCRIPT_NAME: transcript_field.SCRIPT}


def built() -> dict[str, str]:
    """The scripts of the installed release by their name."""
    static = "lib/python*/site-packages/argilla_server/static/_nuxt/*.js"
    paths = environment.location(ROOT).glob(static)
    return {path.name: path.read_text("utf-8").replace("@@baseUrl@@", "") for path in paths}


@pytest.mark.server
def test_every_script_that_needs_it_is_served_mended(services: Services) -> None:
    mended = before = built()
    for one in MENDS:
        mended = {name: one.found.sub(one.instead, text) for name, text in mended.items()}
    changed = {name: text for name, text in mended.items() if text != before[name]}
    assert len(changed) > 50
    for name, text in changed.items():
        assert httpx.get(f"{services.argilla_url}/_nuxt/{name}").text == text


@pytest.mark.server
@pytest.mark.parametrize("name", OURS)
def test_our_scripts_are_served_as_they_are(services: Services, name: str) -> None:
    served = httpx.get(f"{services.argilla_url}/{name}")
    assert served.text == OURS[name].read_text(encoding="utf-8")
    assert "javascript" in served.headers["Content-Type"]


@pytest.mark.server
@pytest.mark.parametrize("path", ["/", "/sign-in", "/dataset/x/annotation-mode"])
def test_every_page_brings_our_script_first(services: Services, path: str) -> None:
    served = httpx.get(f"{services.argilla_url}{path}").text
    argillas = served.index('<script src="/_nuxt')
    assert all(served.index(f'<script src="/{name}">') < argillas for name in page.SCRIPTS)


def test_only_icons_and_what_markdown_made_are_set_as_html() -> None:
    for name, text in built().items():
        for one in MENDS:
            text = one.found.sub(one.instead, text)
        left = re.findall(r"innerHTML:(?!gates\.text\()(.{30})", text)
        other = [
            part for part in left if not re.match(r"(\w)\._s\(\1\.(path|markdownToHtml)", part)
        ]
        assert other == [], name


@pytest.mark.parametrize("missing", [MENDS[0], AS_TEXT[0], HOME, QUEUE])
def test_another_argilla_is_not_served(tmp_path: Path, missing: Mend) -> None:
    (tmp_path / "_nuxt").mkdir()
    for name, text in built().items():
        (tmp_path / "_nuxt" / name).write_text(missing.found.sub("", text), encoding="utf-8")
    with pytest.raises(RuntimeError, match="cannot be made safe"):
        page.mend(tmp_path)


def test_the_policy_names_each_inline_script_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "_nuxt").mkdir()
    (tmp_path / "index.html").write_text("<script>a</script><script src=b></script>")
    (tmp_path / "_nuxt" / "1.js").write_text(r"""x='\n<script>\nif (parent) {\'a\'}<\/script>\n'""")
    # printf a | openssl dgst -sha256 -binary | base64, and the same of "\nif (parent) {'a'}"
    assert "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='" in page.policy(tmp_path)
    assert "'sha256-+oHleOPaHgNPkyJn0l6FweSRS+vfj5wpcHJHPnh1/S4='" in page.policy(tmp_path)
