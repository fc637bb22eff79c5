"""The lock files: what pip of a fresh machine must be able to install."""

import importlib
from pathlib import Path

import pytest

LOCKS = Path(__file__).parents[1] / "requirements"


@pytest.fixture
def ordered(monkeypatch):
    monkeypatch.syspath_prepend(LOCKS)
    return importlib.import_module("order").ordered


@pytest.mark.parametrize("name", ["base.txt", "dev.txt"])
def test_packages_with_extras_come_first(ordered, name):
    """Otherwise pip 23 takes the newest release of such a package for what another one asks, and finds no hash."""
    text = (LOCKS / name).read_text("utf-8")
    assert "sqlalchemy[asyncio]==" in text
    assert ordered(text) == text


def test_the_order_is_mended(ordered):
    lock = "# head\nalembic==1 \\\n    --hash=a\n    # via x\nsqlalchemy[asyncio, x]==2 \\\n    --hash=b\n"
    assert (
        ordered(lock)
        == "# head\nsqlalchemy[asyncio, x]==2 \\\n    --hash=b\nalembic==1 \\\n    --hash=a\n    # via x\n"
    )
