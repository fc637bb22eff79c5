"""No space, anywhere: a clear word, the exit code of an error, and never a pass. What the command itself says."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from core_helpers import contract, environment, jsonl
from registry_helpers import rows

FULL = "/dev/full"


def datacheck(*args, **streams):
    return subprocess.run(
        [sys.executable, "-m", "datacheck", *map(str, args)], env=environment(), text=True, check=False, timeout=240,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )  # fmt: skip


def publish(site, drop, *more, **streams):
    keys = ["--sign", site.root / "validator.pem", "--trust", site.trust_file]
    return datacheck("publish", drop, "--contract", site.contract, "--registry", site.reg, *keys, *more, **streams)


@pytest.fixture
def full():
    with Path(FULL).open("w") as stream:
        yield stream


@pytest.mark.parametrize("place", [FULL, f"{FULL}/out"])
def test_a_report_on_a_full_device(tmp_path, place):
    jsonl(tmp_path / "data" / "a.jsonl", *rows("a"))
    done = datacheck("run", contract(tmp_path), "--out", place)
    assert (done.returncode, done.stdout) == (2, "")
    assert "choose" in done.stderr


@pytest.mark.slow
def test_output_that_nobody_can_read_is_no_pass(tmp_path, full):
    """The report is there; that it could not be shown is told, by the exit code at least."""
    jsonl(tmp_path / "data" / "a.jsonl", *rows("a"))
    for options in ([], ["--format", "json"]):
        done = datacheck("run", contract(tmp_path), "--out", tmp_path / "out", *options, stdout=full)
        assert done.returncode == 3
        assert "No space left on device" in done.stderr
        assert "free space and run again" in done.stderr
        assert json.loads((tmp_path / "out" / "report.json").read_bytes())["verdict"] == "pass"


def test_the_guard_without_a_place_for_its_words_starts_nothing(site, full, monkeypatch, here):
    """A version that passes: what the guard must say with it (a waiver, replay not checked) cannot be said."""
    monkeypatch.setenv("DATACHECK_TRUST", str(site.trust_file))
    drop = site.publish(site.drop()).path
    started = site.root / "started"
    code = f"open({str(started)!r}, 'w')"
    for command in (["verify", drop], ["exec", "--require-pass", drop, "--", sys.executable, "-c", code]):
        done = datacheck(*command, stderr=full)
        assert done.returncode == 3
        assert not started.exists()
        assert datacheck(*command).returncode == 0
    assert started.exists()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["named", "linked"])
def test_an_anchor_on_a_full_device(site, how):
    anchor = FULL
    if how == "linked":
        anchor = site.root / "anchor.json"
        anchor.symlink_to(FULL)
    drop = site.drop()
    done = publish(site, drop, "--anchor", anchor)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no regular file; expected a place for a copy of the ledger's head" in done.stderr
    assert drop.exists()
    assert site.tree()["versions"] == site.tree()["staged"] == []
    assert publish(site, drop).returncode == 0
    (version,) = (site.reg / "versions").iterdir()
    assert publish(site, version, "--anchor", anchor).returncode == 3  # a known version is not answered either


def test_a_ledger_on_a_full_device(site):
    drop = site.drop()
    (site.reg / "ledger.sqlite").symlink_to(FULL)
    done = publish(site, drop)
    assert (done.returncode, done.stdout) == (3, "")
    assert "make it a file of its own" in done.stderr
    assert drop.exists()


@pytest.mark.slow
def test_a_report_on_disks_of_any_size(tmp_path):
    """From a disk on which nothing fits to one on which all does: an error, or a whole report."""
    mount = shutil.which("mount")
    jsonl(tmp_path / "data" / "a.jsonl", *rows("a"))
    rules, disk = contract(tmp_path), tmp_path / "disk"
    disk.mkdir()
    ended = []
    for size in (16, 48, 80, 112, 144, 176, 208, 240, 512):
        made = mount and subprocess.run(
            [mount, "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk], capture_output=True, check=False
        )
        if not made or made.returncode:
            pytest.skip("no tmpfs can be mounted here")
        try:
            done = datacheck("run", rules, "--out", disk / "out", "--quiet")
            ended.append(done.returncode)
            assert (disk / "out").exists() == (done.returncode == 0)
            if done.returncode:
                assert done.returncode == 3
                assert "No space left on device" in done.stderr
                assert "free space and run again" in done.stderr
            else:
                faces = {path.name for path in (disk / "out").iterdir()}
                assert {"report.json", "report.html", "report.md", "junit.xml"} <= faces
        finally:
            subprocess.run(["umount", "--lazy", disk], check=True)
    assert ended == sorted(ended, reverse=True)
    assert {ended[0], ended[-1]} == {3, 0}
