"""Fixtures of the registry's tests: a registry, a signed house, and a disk of 2 MB where one may be mounted."""

from gate_house import built, guarded, house  # noqa: F401 - fixtures
from postgres_server import _one_server, place, server  # noqa: F401 - fixtures
from registry_helpers import site, small_disk  # noqa: F401 - fixtures
