"""Fixtures of the registry's tests: a registry, a signed house, and a disk of 2 MB where one may be mounted."""

from gate_house import built, guarded, house  # noqa: F401 - fixtures
from registry_helpers import site, small_disk  # noqa: F401 - fixtures
