"""What Argilla itself would fail over."""

import pytest
from hosted import Hosted, host

from labelling.services import Services

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def hosted(services: Services) -> Hosted:
    return host(services, records=2)


def test_a_record_is_shown_and_changed_with_its_vectors(hosted: Hosted) -> None:
    owner, path = hosted.clients["owner"], f"/records/{hosted.records['c1']}"
    assert owner.get(path).raise_for_status().json()["vectors"] == {"meaning": [1.0, 1.0]}
    changed = owner.patch(path, json={"metadata": {"turn": 7}}).raise_for_status().json()
    assert (changed["metadata"], changed["vectors"]) == ({"turn": 7}, {"meaning": [1.0, 1.0]})


def test_no_suggestions_are_said_so_and_not_by_null(hosted: Hosted) -> None:
    owner, path = hosted.clients["owner"], f"/records/{hosted.records['c0']}"
    refused = owner.patch(path, json={"suggestions": None})
    assert refused.status_code == 422
    assert "suggestions" in refused.text
