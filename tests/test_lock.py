"""The lock files: what pip of a fresh machine must be able to install."""

import sys
from pathlib import Path

import pytest

LOCKS = Path(__file__).parents[1] / "requirements"
sys.path.insert(0, str(LOCKS))
from order import ordered


@pytest.mark.parametrize("name", ["base.txt", "dev.txt"])
def test_packages_with_extras_come_first(name):
    """Otherwise pip 23 takes the newest release of such a package for what another one asks, and finds no hash."""
    text = (LOCKS / name).read_text("utf-8")
    assert "sqlalchemy[asyncio]==" in text
    assert ordered(text) == text


def test_the_order_is_mended():
    lock = "# head\nalembic==1 \\\n    --hash=a\n    # via x\nsqlalchemy[asyncio]==2 \\\n    --hash=b\n"
    assert (
        ordered(lock) == "# head\nsqlalchemy[asyncio]==2 \\\n    --hash=b\nalembic==1 \\\n    --hash=a\n    # via x\n"
    )
