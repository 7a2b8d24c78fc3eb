"""What the server tells browsers: nothing leaves, and nobody else's page may ask."""

import httpx
import pytest

from labelling.services import Services

pytestmark = pytest.mark.server


@pytest.mark.parametrize("path", ["/", "/api/v1/version", "/no-such-page"])
def test_every_answer_lets_the_page_load_from_here_alone(services: Services, path: str) -> None:
    policy = httpx.get(services.argilla_url + path).headers["Content-Security-Policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert parts["connect-src"] == parts["form-action"] == "'self'"
    assert not [part for part in parts.values() if "*" in part or "http" in part]
    assert not [word for word in ("unsafe-", "data:", "blob:") if word in parts["script-src"]]


@pytest.mark.parametrize(("origin", "allowed"), [("own", True), ("http://elsewhere.test", False)])
def test_only_the_own_origin_may_ask(services: Services, origin: str, allowed: bool) -> None:
    origin = services.argilla_url if origin == "own" else origin
    answer = httpx.get(f"{services.argilla_url}/api/v1/version", headers={"Origin": origin})
    assert (answer.headers.get("Access-Control-Allow-Origin") == origin) is allowed
