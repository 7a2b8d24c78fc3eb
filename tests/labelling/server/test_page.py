"""The page that is served: Argilla's of the pinned release, mended."""

from pathlib import Path

import httpx
import pytest
from services_fixture import ROOT

from labelling import transcript_field
from labelling.server import environment, page
from labelling.services import Services


def built(sign: str) -> list[Path]:
    """The scripts of the installed release that hold the text."""
    static = "lib/python*/site-packages/argilla_server/static/_nuxt/*.js"
    scripts = environment.location(ROOT).glob(static)
    return [path for path in scripts if sign in path.read_text(encoding="utf-8")]


@pytest.mark.server
@pytest.mark.parametrize("sign", page.MENDS)
def test_every_script_that_needs_it_is_served_mended(services: Services, sign: str) -> None:
    # Eight show a record; one is the home page, one keeps the queue
    assert len(built(sign)) == (8 if sign == "#RECORD_OBJECT#" else 1)
    for path in built(sign):
        served = httpx.get(f"{services.argilla_url}/_nuxt/{path.name}").text
        for found, instead in page.MENDS[sign].items():
            assert served.count(instead) == path.read_text(encoding="utf-8").count(found) == 1


@pytest.mark.server
def test_our_fields_script_is_served_as_it_is(services: Services) -> None:
    served = httpx.get(f"{services.argilla_url}/{transcript_field.SCRIPT_NAME}")
    assert served.text == transcript_field.SCRIPT.read_text(encoding="utf-8")
    assert "javascript" in served.headers["Content-Type"]


@pytest.mark.parametrize("script", ["", 'JSON.stringify(this.sdkRecord) "#RECORD_OBJECT#"'])
def test_another_argilla_is_not_served(tmp_path: Path, script: str) -> None:
    (tmp_path / "_nuxt").mkdir()
    (tmp_path / "_nuxt" / "1.js").write_text(script)
    with pytest.raises(RuntimeError, match="cannot be made safe"):
        page.mend(tmp_path)


def test_the_policy_names_each_inline_script_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "_nuxt").mkdir()
    (tmp_path / "index.html").write_text("<script>a</script><script src=b></script>")
    (tmp_path / "_nuxt" / "1.js").write_text(r"""x='\n<script>\nif (parent) {\'a\'}<\/script>\n'""")
    # printf a | openssl dgst -sha256 -binary | base64, and the same of "\nif (parent) {'a'}"
    assert "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='" in page.policy(tmp_path)
    assert "'sha256-+oHleOPaHgNPkyJn0l6FweSRS+vfj5wpcHJHPnh1/S4='" in page.policy(tmp_path)
