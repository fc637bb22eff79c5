import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).parents[3] / "shared" / "realdata"


@pytest.fixture
def realdata():
    """Real public data; see the README for how to get them."""
    root = Path(os.environ.get("DATACHECK_REALDATA") or _BESIDE)
    if not root.is_dir():
        pytest.skip("realdata is absent")
    return root
