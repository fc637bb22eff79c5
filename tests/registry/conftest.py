"""Fixtures of the registry's tests: a registry, a signed house, a server, and a disk of 2 MB where one may be mounted."""

from gate_house import built, guarded, house  # noqa: F401 - fixtures
from postgres_server import _one_server, place, server  # noqa: F401 - fixtures
from registry_helpers import site, small_disk  # noqa: F401 - fixtures

# Asked of a ledger in a file and of one on a server; `file_ledger` marks what is not.
ON_BOTH = {"test_publish", "test_rescan", "test_retention", "test_registry_cli"}


def pytest_generate_tests(metafunc):
    if "site" in metafunc.fixturenames and metafunc.module.__name__.rpartition(".")[2] in ON_BOTH:
        here = metafunc.definition.get_closest_marker("file_ledger") is not None
        metafunc.parametrize("site", ["file"] if here else ["file", "server"], indirect=True)
