"""What every test may use: the folder of real public data, and one hypothesis profile."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a function may build a table; that says nothing about the algorithm's speed.
settings.register_profile("datacheck", deadline=None)
settings.load_profile("datacheck")


@pytest.fixture(scope="session")
def realdata() -> Path:
    """Real public data beside the repository, or where DATACHECK_REALDATA says; never part of the project."""
    beside = Path(__file__).parents[2] / "shared" / "realdata"
    folder = Path(os.environ.get("DATACHECK_REALDATA") or beside)
    if not folder.is_dir():
        pytest.skip("realdata is absent")
    return folder
