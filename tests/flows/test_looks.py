"""What a look says of drops: names as one line each, links that are never taken; and an event that nobody took."""

from pathlib import Path

import pytest
from core_helpers import jsonl
from prefect.settings import PREFECT_API_URL, temporary_settings

from datacheck.errors import DatacheckError
from datacheck.files.versions import write_manifest
from flows import announce, look
from flows.rules import Rulebook

ROW = {
    "messages": [{"role": "user", "content": "海水为什么是咸的？"}, {"role": "assistant", "content": "盐来自岩石。"}]
}


def rules_for(root: Path) -> Rulebook:
    return Rulebook(registry=root, contract=root / "sft.yaml", sign="env:KEY")


def delivered(folder: Path) -> Path:
    jsonl(folder / "part.jsonl", ROW)
    write_manifest(folder)
    return folder


def test_a_drop_whose_name_holds_a_line_end_forges_no_line(tmp_path: Path) -> None:
    delivered(tmp_path / "incoming" / "a\nmonday: Published")
    states = look.look(rules_for(tmp_path), lambda *_: "Quarantined")
    _, told = look.summary(states)
    assert str(told) == r"a\u{a}monday: Published: Quarantined"


def test_a_link_to_a_drop_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    delivered(tmp_path / "elsewhere")
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "monday").symlink_to("../elsewhere")
    name, told = look.summary(look.look(rules_for(tmp_path), lambda *_: "Published"))
    assert (name, str(told)) == (
        look.NOT_PUBLISHED,
        "monday: a link, which is never taken; move the drop itself, or copy it",
    )


def test_an_event_that_no_server_took_is_no_success() -> None:
    dead = temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"})
    with dead, pytest.raises(DatacheckError, match="does not answer; start it") as refused:
        announce.main(["registry"])
    assert refused.value.exit_code == 3
