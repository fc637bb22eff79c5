"""Fixtures of the examples' tests: a signed house and the guard's wheel."""

from gate_house import built, house, wheel  # noqa: F401 - fixtures
