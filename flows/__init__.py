"""Prefect flows around datacheck. Only this package imports prefect; `datacheck` itself never does."""
