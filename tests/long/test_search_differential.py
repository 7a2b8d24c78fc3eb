"""Two thousand random queries: our search engine answers as Argilla's own does over OpenSearch."""

import pytest
from search_queries import check_queries
from search_servers import opensearched, searched  # noqa: F401
from search_study import sides
from services_fixture import services  # noqa: F401

from labelling.services import Services

pytestmark = [pytest.mark.server, pytest.mark.long]


@pytest.mark.parametrize("seed", range(100, 105))
@pytest.mark.timeout(900)
def test_two_hundred_queries(
    searched: Services,  # noqa: F811
    opensearched: Services,  # noqa: F811
    seed: int,
) -> None:
    check_queries(*sides([searched, opensearched], seed), seed=seed, queries=200)
