"""A path that was listed is never followed out of its folder later on, and nothing but a regular file is read."""

import os
import threading

import pytest
from core_helpers import GOOD, contract, jsonl, report

from datacheck.contract.load import load_contract
from datacheck.engine import ingest
from datacheck.files.inventory import inventory
from datacheck.loading import files

SECRET = b'{"text": "outside"}\n'


@pytest.fixture
def folders(tmp_path):
    """data/deep/a.jsonl is the dataset; outside/deep/a.jsonl and outside/a.jsonl are not."""
    jsonl(tmp_path / "data" / "deep" / "a.jsonl", GOOD)
    for place in ("outside", "outside/deep"):
        jsonl(tmp_path / place / "a.jsonl", SECRET.strip())
    return tmp_path


def swap(path, target):
    path.rename(path.with_name(path.name + ".away"))
    path.symlink_to(target)


def deep(folders):
    swap(folders / "data" / "deep", folders / "outside")


def root(folders):
    swap(folders / "data", folders / "outside")


def last(folders):
    swap(folders / "data" / "deep" / "a.jsonl", folders / "outside" / "a.jsonl")


def pipe(folders):
    (folders / "data" / "deep" / "a.jsonl").unlink()
    os.mkfifo(folders / "data" / "deep" / "a.jsonl")


def device(folders):
    swap(folders / "data" / "deep" / "a.jsonl", "/dev/zero")


@pytest.mark.parametrize("change", [deep, root, last, pipe, device])
def test_what_is_swapped_after_it_was_listed_is_not_read(folders, here, command, monkeypatch, change):
    real = ingest.read

    def late(path, reading):
        change(folders)
        return real(path, reading)

    monkeypatch.setattr(ingest, "read", late)
    code, _, err = command("run", contract(folders, ["empty_turns"]), "--out", folders / "out")
    assert (code, err) == (3, "")  # nothing was read, so nothing can be said
    found = next(f for f in report(folders / "out")["findings"] if f["check"] == "unreadable_lines")
    assert found["status"] == "error"
    places = [(place["problem"], place["at"]) for place in found["evidence"]["first"]]
    assert places == [("unreadable_file", "train/deep/a.jsonl")]
    assert report(folders / "out")["datasets"]["train"]["rows"] == 0


def test_a_folder_that_is_swapped_all_the_time_never_gives_what_is_outside(folders):
    (entry,) = inventory(load_contract(contract(folders)))["train"].read
    own = entry.path.read_bytes()
    away, place = folders / "data" / "away", folders / "data" / "deep"
    link = folders / "data" / "link"
    link.symlink_to(folders / "outside")
    done = threading.Event()

    def juggle():
        while not done.is_set():
            place.rename(away)
            link.rename(place)
            place.rename(link)
            away.rename(place)

    juggler = threading.Thread(target=juggle)
    juggler.start()
    read, refused = [], 0
    try:
        while (refused < 20 or len(read) < 20) and len(read) + refused < 200_000:
            try:
                with files.open_regular(entry.path) as file:
                    read.append(file.read())
            except OSError:
                refused += 1
    finally:
        done.set()
        juggler.join()
    assert set(read) == {own}
    assert refused >= 20


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/", "/proc/self/fd/0/x"])
def test_devices_and_folders_are_no_files(path):
    from pathlib import Path

    with pytest.raises(OSError, match=r".+"):
        files.open_regular(Path(path))


def test_a_listed_name_is_not_resolved_out_of_the_folder(folders, monkeypatch):
    """The link is made between the look at the name and its resolution."""
    from datacheck.errors import LoadError
    from datacheck.files import inventory as module

    def look(root, name, glob):
        last(folders)

    monkeypatch.setattr(module, "_reason_to_skip", look)
    with pytest.raises(LoadError, match="changes while it is listed"):
        inventory(load_contract(contract(folders)))
