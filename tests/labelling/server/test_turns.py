"""Many people at once: none waits for a database connection that another one holds."""

import threading

import pytest
from hosted import host

from labelling.services import Services

pytestmark = pytest.mark.server
A = "annotator_a"
AT_ONCE = 24  # more than SQLite's pool has connections


def test_all_are_answered(services: Services) -> None:
    """Where each request kept its connection and waited for a second, all would fail."""
    hosted = host(services, records=6, members=(A,))
    statuses: list[int] = []

    def search() -> None:
        path = f"/me/datasets/{hosted.dataset}/records/search"
        for _ in range(3):
            statuses.append(hosted.clients[A].post(path, json={}).status_code)

    threads = [threading.Thread(target=search) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * (3 * AT_ONCE)
