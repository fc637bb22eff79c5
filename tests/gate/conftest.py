"""Fixtures of the gate's tests: a signed house and a registry."""

from gate_house import built, guarded, house, wheel  # noqa: F401 - fixtures
from registry_helpers import site, small_disk  # noqa: F401 - fixtures
