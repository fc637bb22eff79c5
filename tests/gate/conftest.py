"""Fixtures of the gate's tests: a signed house, a registry, and a server for ledgers."""

from gate_house import built, guarded, house, wheel  # noqa: F401 - fixtures
from postgres_server import _one_server, place, server  # noqa: F401 - fixtures
from registry_helpers import site, small_disk  # noqa: F401 - fixtures
