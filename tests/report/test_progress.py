"""The bar of a long publication says what is done, in both languages, and leaves nothing behind."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from datacheck.report.progress import Display, step_name
from datacheck.run import Progress


@pytest.mark.parametrize(
    ("lang", "phases"),
    [
        ("en", ["hashing", "checking load train", "hashing again, signing"]),
        ("zh", ["计算哈希", "检查 load train", "复核哈希并签名"]),
    ],
)
def test_phases_are_shown_in_their_order(lang, phases):
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    sealer = SimpleNamespace(tell=None)

    def run(tell):
        tell(Progress("load train", 1, 4))
        display._progress.refresh()

    session = SimpleNamespace(plan=[1, 2, 3, 4], run=run, sealer=sealer, files={"train": SimpleNamespace(size=10)})
    with Display(lang, screen) as display:
        display.hashed(5, 10)
        display._progress.refresh()
        display.run(session)
        sealer.tell(10)
        display._progress.refresh()
    said = screen.file.getvalue()
    places = [said.index(phase) for phase in phases]
    assert places == sorted(places)
    assert said.index(" 50%") < said.index(" 25%") < said.rindex("100%")


def test_nothing_of_the_bar_is_left():
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    with Display("en", screen) as display:
        display.hashed(5, 10)
    assert screen.file.getvalue().endswith("\x1b[2K")


def test_a_step_is_named_without_its_digest():
    assert step_name("group train TextKey-ccd0e9c7 by key/16") == "group train TextKey"
    assert step_name("measure my-data.near_duplicates") == "measure my-data.near_duplicates"
