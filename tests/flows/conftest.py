"""One Prefect server for all tests of the flows: it takes 15 seconds to start."""

from collections.abc import Iterator

import pytest
from flow_server import Server, started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("prefect")) as running:
        yield running
