"""What a look says of drops: names as one line each, links that are never taken; and an event that nobody took."""

import fcntl
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from core_helpers import contract, jsonl
from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.states import Completed, Failed
from registry_helpers import Site, site  # noqa: F401 - a fixture

from datacheck.errors import DatacheckError, LoadError, UsageError
from datacheck.files.versions import write_manifest
from datacheck.session.session import Options
from flows import announce, look
from flows import validate as validating
from flows import watch as watching
from flows.by_hand import _asked
from flows.lookout import Lookout
from flows.rules import Rulebook
from flows.turns import Turns

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


def test_a_channel_is_called_by_its_name_where_its_drops_lie_in_its_own_folder(tmp_path: Path) -> None:
    one = rules_for(tmp_path)
    assert (one.name, one.model_copy(update={"channel": "sft"}).name) == ("registry", "registry")
    assert one.model_copy(update={"channel": "sft", "folder": True}).name == "sft"


def test_a_look_that_is_under_way_is_no_silence_and_is_not_waited_for(tmp_path: Path) -> None:
    lookout = Lookout(tmp_path, "registry", 60)
    seen: list[int | None] = []
    with (tmp_path / "registry").open("r+b") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        asked = threading.Thread(target=lambda: seen.append(lookout._seen()), daemon=True)
        asked.start()
        asked.join(5)
        assert seen == [None]
    assert lookout._seen() is not None


def test_a_validation_by_hand_begins_as_publishing_would(site: Site) -> None:  # noqa: F811
    """Where no version is published yet, the dataset that stands for it is left out."""
    own = contract(site.root / "rules", source={}, before=({}, ["too_few_rows"]))
    rules = Rulebook(
        registry=site.reg, contract=own, sign=str(site.root / "validator.pem"), trust=site.trust_file,
        dataset="train", data={"before": "published:"},
    )  # fmt: skip
    drop = site.drop()
    data, options = _asked(rules, drop)
    assert (data, options.nothing_yet) == ({"train": str(drop)}, ("before",))


def test_time_is_counted_to_the_next_look(tmp_path: Path) -> None:
    often, rarely = (rules_for(tmp_path).model_copy(update={"interval": seconds}) for seconds in (60.0, 600.0))
    turns = Turns([often, rarely])
    assert turns.wait() == 0
    assert turns.due() == [often, rarely]
    assert turns.due() == []
    assert 50 < turns.wait() <= 60


def test_a_link_alone_is_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delivered(tmp_path / "elsewhere")
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "monday").symlink_to("../elsewhere")
    asked: list[Rulebook] = []
    ends = SimpleNamespace(is_set=lambda: False, wait=lambda _: True, set=lambda: None)
    monkeypatch.setattr(watching, "_look", lambda one, _lang: asked.append(one))
    monkeypatch.setattr(watching, "threading", SimpleNamespace(Event=lambda: ends))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert watching._watch([rules_for(tmp_path)], "en", once=False) == 0
    assert len(asked) == 1


@pytest.mark.parametrize(("state", "code"), [(Completed(name="Published"), 0), (Failed(name="Quarantined"), 1)])
def test_a_look_that_published_not_all_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: State[None], code: int
) -> None:
    monkeypatch.setattr(watching, "watch", lambda *_, **__: state)
    assert watching._watch([rules_for(tmp_path)], "en", once=True) == code


@pytest.mark.parametrize(("error", "name"), [(UsageError("no"), "InvalidRequest"), (LoadError("no"), "CouldNotDecide")])
def test_what_cannot_be_read_is_undecided_and_what_is_asked_wrongly_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: DatacheckError, name: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(validating, "Session", fails)
    assert validating.validated(tmp_path / "c.yaml", {}, Options(out=tmp_path / "out")).name == name
    assert validating.undone(error).name == name


def test_an_event_that_no_server_took_is_no_success() -> None:
    dead = temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"})
    with dead, pytest.raises(DatacheckError, match="does not answer; start it") as refused:
        announce.main(["registry"])
    assert refused.value.exit_code == 3
