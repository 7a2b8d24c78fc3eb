"""Our search engine answers as Argilla's own does over OpenSearch, on random datasets and queries.

Two thousand queries are asked in `tests/long/test_search_differential.py`. What differs, and why,
is the list in `search_exceptions`.
"""

import pytest
from search_exceptions import DIFFERENCES, Difference, fill
from search_queries import check_queries
from search_servers import opensearched, searched  # noqa: F401
from search_study import Side, publish, sides

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("search")]


def test_fifty_random_queries(searched: Services, opensearched: Services) -> None:  # noqa: F811
    check_queries(*sides([searched, opensearched], seed=1), seed=1, queries=50)


@pytest.fixture(scope="module")
def exceptional(searched: Services, opensearched: Services) -> list[Side]:  # noqa: F811
    """Ours and Argilla's own, with the records of the exceptions."""
    made = [publish(searched), publish(opensearched)]
    for side in made:
        fill(side)
    return made


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.why)
def test_what_differs_does_so_for_a_reason(exceptional: list[Side], one: Difference) -> None:
    for side, expected in zip(exceptional, (one.ours, one.theirs), strict=True):
        path = f"/datasets/{side.dataset}/records/search"
        items = side.call("owner", "POST", path, one.body)["items"]
        found = [item["record"]["external_id"] for item in items]
        assert (found if one.ordered else sorted(found)) == (
            expected if one.ordered else sorted(expected)
        )


def test_progress_is_the_annotators_own(exceptional: list[Side]) -> None:
    """One record, drafted by a, submitted by b: a submitted none."""
    for side, submitted in zip(exceptional, (0, 1), strict=True):
        for user, status in (("annotator_a", "draft"), ("annotator_b", "submitted")):
            body = {"status": status, "values": {"label": {"value": "no"}}}
            side.call(user, "POST", f"/records/{side.records['street']}/responses", body)
        mine = side.call("annotator_a", "GET", f"/me/datasets/{side.dataset}/metrics")
        assert mine["responses"]["submitted"] == submitted
