"""Whatever dies, is full, is forbidden or happens at the same time: no torn report, nothing lost, never a pass."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from core_helpers import GOOD, alive, children, contract, environment, jsonl, user_check
from registry_helpers import Site, manifest_id

from datacheck.errors import LoadError
from datacheck.files import versions
from datacheck.gate.guard import require_passed
from datacheck.gate.ledger import LedgerError
from datacheck.registry import registry as registries
from datacheck.registry.publish import publish

DRIVER = Path(__file__).with_name("crash_driver.py")
EVERY = int(os.environ.get("DATACHECK_CRASH_EVERY", "0"))  # kill before every Nth change; 1: before each


def driven(folder, *arguments):
    command = [sys.executable, DRIVER, folder, *arguments]
    done = subprocess.run(
        list(map(str, command)), env=environment(), capture_output=True, text=True, check=True, timeout=1500
    )
    attempts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [attempt for attempt in attempts if attempt["wrong"]] == [], done.stderr
    return Counter(attempt["ended"] for attempt in attempts)


@pytest.mark.slow
def test_killed_before_every_change_of_the_file_system(tmp_path):
    """Kill -9 before the first, fourth, … until the call lives to its end. All 135 points take minutes: DATACHECK_CRASH_EVERY=1."""
    ended = driven(tmp_path, "call", 1, 1000, EVERY or 3)
    assert ended[-9] >= 100 // (EVERY or 3)
    assert ended[0] + ended[1] == 1


@pytest.mark.slow
def test_an_erasure_killed_before_every_change_of_the_file_system(tmp_path):
    """It is as if nothing had happened, or the ledger has it, the guard refuses, and the next call finishes it."""
    ended = driven(tmp_path, "erase", 1, 1000, EVERY or 5)
    assert ended[-9] >= 40 // (EVERY or 5)
    assert ended[0] == 1


@pytest.mark.slow
def test_a_lifting_killed_before_every_change_loses_nothing(tmp_path):
    """What was published passes before and after the next call, which finishes it; the ledger has one entry of it."""
    ended = driven(tmp_path, "migrate", 1, 1000)
    assert ended[-9] >= 40
    assert ended[0] == 1


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path):
    assert driven(tmp_path, "time", 0, 30)[-9] >= 3  # a fast machine is done before most of them


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "broken"])
def test_a_disk_that_fails_from_any_change_of_the_file_system_on(tmp_path, kind):
    """ENOSPC, and EIO."""
    ended = driven(tmp_path, kind, 1, 1000, EVERY or 7)
    assert ended[3] >= 100 // (EVERY or 7)  # could not decide: the exit code of an error, never that of a pass


@pytest.mark.slow
def test_a_killed_run_leaves_the_old_report_or_the_new_one(tmp_path):
    """Kill -9 before changes of the file system that a run makes, until it lives to its end."""
    ended = driven(tmp_path, "run", 1, 1000, EVERY or 5)
    assert ended[-9] >= 60 // (EVERY or 5)
    assert ended[0] == 1


@pytest.mark.slow
def test_a_run_killed_at_random_moments_leaves_the_old_report_or_the_new_one(tmp_path):
    ended = driven(tmp_path, "runtime", 0, 150 if EVERY else 8)
    assert ended[-9] + ended[0] == sum(ended.values())
    assert ended[-9] >= (100 if EVERY else 1)


@pytest.mark.slow
def test_no_file_may_grow(tmp_path):
    """RLIMIT_FSIZE, from nothing up to what suffices: published whole, or an error (of ours, or of the machine)."""
    ended = driven(tmp_path, "size", 1, 90_001, 1_500 if EVERY else 22_500)
    assert set(ended) <= {0, 1, 3}
    assert ended[3] >= 2
    ended = driven(tmp_path, "runsize", 1, 60_001, 1_500 if EVERY else 20_000)
    assert set(ended) <= {0, 8}
    assert ended[8] >= 2


# --- many at the same time ---

WORKER = """
import json, sys, time
from pathlib import Path
sys.path[:0] = [{tests!r}, {here!r}]
from registry_helpers import Site
from datacheck.errors import DatacheckError
from datacheck.registry.claims import claim, done
from datacheck.registry.publish import BusyError, publish
site = Site.__new__(Site)
site.__dict__.update(root=Path(sys.argv[2]), reg=Path(sys.argv[2]) / "reg", trust_file=Path(sys.argv[2]) / "trust.json",
                     contract=Path(sys.argv[2]) / "rules" / "contract.yaml")
from datacheck.registry.registry import Registry
site.registry = Registry(site.reg)
names = [site.reg / "incoming" / name for name in sys.argv[3:]]
if sys.argv[1] == "validator":  # is told each drop by name
    for drop in names:
        try:
            found = site.publish(drop)
            print(json.dumps([drop.name, found.status, found.known]), flush=True)
        except DatacheckError as error:
            print(json.dumps([drop.name, type(error).__name__, str(error)]), flush=True)
else:  # sees what is there, takes what nobody has
    end = time.monotonic() + 120
    while time.monotonic() < end and (drops := site.registry.drops()) or any((site.reg / "staged").iterdir()):
        for drop in drops:
            try:
                found = site.publish(drop, wait=False)
                print(json.dumps([drop.name, found.status, found.known]), flush=True)
            except BusyError:
                pass
            except DatacheckError as error:
                print(json.dumps([drop.name, type(error).__name__, str(error)]), flush=True)
        time.sleep(0.05)
"""


@pytest.mark.slow
def test_two_validators_and_four_watchers_each_drop_once(site):
    drops = [site.bad(f"bad{n}") if n % 3 == 0 else site.drop(f"good{n}") for n in range(6)]
    numbers = {drop.name: manifest_id(drop) for drop in drops}
    code = WORKER.format(tests=str(Path(__file__).parents[1]), here=str(Path(__file__).parent))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", code, kind, str(site.root), *numbers],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for kind in ["validator", "validator", *["watcher"] * 4]
    ]  # fmt: skip
    said = [process.communicate(timeout=300) for process in workers]
    assert [err for _, err in said] == [""] * 6
    answers = [json.loads(line) for out, _ in said for line in out.splitlines()]
    fresh = Counter(name for name, _, known in answers if known is False)
    assert fresh == dict.fromkeys(numbers, 1), answers
    right = {name: "quarantined" if name.startswith("bad") else "published" for name in numbers}
    for name, status, known in answers:
        assert status == right[name] or (status == "UsageError" and "no such folder" in known), (name, status, known)
    with site.registry.ledger(readonly=True) as ledger:
        ledger.verified(site.registry.heads())
        verdicts = Counter(entry.version for entry in ledger.entries(kinds=["verdict"]))
    assert verdicts == dict.fromkeys(numbers.values(), 1)
    assert site.tree()["incoming"] == site.tree()["staged"] == []


# --- stopped ---


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stopped_call_says_so_gives_the_drop_back_and_leaves_nobody(site, number, code):
    drop, flag = site.drop(), site.root / "asleep"
    user_check(site.root / "checks", "sleeps", f"import time\nopen({str(flag)!r}, 'w').close()\ntime.sleep(300)")
    contract(site.root / "rules", ["role_errors", "sleeps"], source={})
    command = [
        sys.executable, "-m", "datacheck", "publish", drop, "--contract", site.contract, "--registry", site.reg,
        "--sign", site.root / "validator.pem", "--trust", site.trust_file, "--checks", site.root / "checks",
    ]  # fmt: skip
    process = subprocess.Popen(
        list(map(str, command)), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 120
    while not flag.exists() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    assert flag.exists(), process.communicate()
    family, start = children(process.pid), time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - start
    assert (process.returncode, err) == (code, "")
    assert "interrupted, nothing published" in out
    assert took < 2 * max(1, os.getloadavg()[0] / 2)  # two seconds on a machine that has them
    end = time.monotonic() + 5
    while alive(family) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(family)
    found = json.loads((drop / "_report" / "report.json").read_bytes())
    assert (found["verdict"], found["reason"]["text"]) == ("error", f"interrupted by {number.name}")
    assert site.kinds() == ["claim", "interrupted"]
    assert site.tree()["staged"] == site.tree()["versions"] == []
    contract(site.root / "rules", ["role_errors"], source={})
    assert site.publish(drop).status == "published"  # at once: the claim was given back


@pytest.mark.slow
def test_a_signal_while_a_large_file_is_hashed_is_answered_at_once(site):
    """The file is sparse: 100 GB that take no space, and minutes to hash."""
    drop = site.drop()
    size = 100 * 1024**3
    os.truncate(drop / "data.jsonl", size)
    entry = ["data.jsonl", size, "0" * 64]
    number = hashlib.sha256(json.dumps([entry], separators=(",", ":")).encode()).hexdigest()
    manifest = json.loads((drop / "_MANIFEST.json").read_bytes())
    manifest |= {"version": f"sha256:{number}", "files": [dict(zip(("path", "bytes", "sha256"), entry, strict=True))]}
    (drop / "_MANIFEST.json").write_text(json.dumps(manifest))
    command = [
        sys.executable, "-m", "datacheck", "publish", drop, "--contract", site.contract, "--registry", site.reg,
        "--sign", site.root / "validator.pem", "--trust", site.trust_file,
    ]  # fmt: skip
    process = subprocess.Popen(
        list(map(str, command)), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while not (site.reg / "ledger.sqlite").exists() and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1)
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - start < 2 * max(1, os.getloadavg()[0] / 2)
    assert (process.returncode, out, err) == (143, "", "")
    assert site.tree()["incoming"] == ["a"]
    assert site.kinds() == []


# --- changed while it is read ---


@pytest.mark.parametrize("restored", [False, True])
@pytest.mark.usefixtures("here")
def test_a_file_that_changes_while_it_is_read_is_never_published(site, restored):
    """By somebody who may write in the registry itself; also when size and time are put back."""
    drop = site.drop()

    def execute(session):
        session.run()
        (staged,) = site.reg.glob("staged/*/drop/data.jsonl")
        before = staged.stat()
        with staged.open("r+b") as file:
            file.seek(20)
            file.write(b"X")
        if restored:
            os.utime(staged, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(LoadError, match=r"data\.jsonl: (was changed|is not what the run has read)"):
        publish(drop, site.rules(), site.registry, execute=execute)
    assert site.kinds() == ["claim"]
    assert site.tree()["incoming"] == ["a"]
    assert site.tree()["staged"] == site.tree()["versions"] == site.tree()["quarantine"] == []
    with pytest.raises(LoadError, match=r"data\.jsonl: was changed"):
        site.publish(drop)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("error", [FileNotFoundError(2, "No such file or directory"), LoadError("a file is not there")])
def test_a_drop_that_another_worker_publishes_while_it_is_hashed_is_answered_as_that_one_found(
    site, monkeypatch, error
):
    drop, scan = site.drop(), versions.scan

    def moved_meanwhile(*args, **kwargs):
        monkeypatch.setattr(versions, "scan", scan)
        found.append(site.publish(drop))
        raise error

    found = []
    monkeypatch.setattr(versions, "scan", moved_meanwhile)
    second = site.publish(drop)
    (first,) = found
    assert (first.status, first.known) == ("published", False)
    assert (second.status, second.known, second.path) == ("published", True, first.path)


@pytest.mark.usefixtures("here")
def test_who_lost_the_claim_records_nothing(site, monkeypatch):
    """A worker that slept past its lease: another one has taken the drop, and its answer is the only one."""
    from datacheck.registry import claims

    monkeypatch.setattr(claims, "_namespace", lambda: "")
    monkeypatch.setattr("datacheck.registry.publish.beating", lambda _ledger, _held: contextlib.nullcontext())
    drop = site.drop()

    def slept(session):
        session.run()
        time.sleep(0.4)
        with site.registry.ledger() as ledger:
            site.registry.recover(ledger)  # gives the drop back …
        found.append(site.publish(drop))  # … and another one publishes it

    found = []
    with pytest.raises((LedgerError, LoadError)):
        publish(drop, site.rules(), site.registry, lease=0.3, execute=slept)
    assert [o.status for o in found] == ["published"]
    assert site.kinds() == ["claim", "claim", "verdict", "publish"]
    assert site.tree()["staged"] == site.tree()["incoming"] == []


# --- no space, no rights ---


@pytest.mark.usefixtures("here")
def test_a_full_disk_publishes_nothing_and_loses_nothing(small_disk, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    site = Site(home)
    site.reg = small_disk / "reg"
    site.registry = registries.Registry(site.reg)
    first = site.publish(site.drop("first", at=home / "drops"))
    fill = small_disk / "fill"
    with fill.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    drop = site.drop("second", at=home / "drops")
    with pytest.raises((LoadError, LedgerError), match=r"space|full") as error:
        site.publish(drop)
    assert "free space" in str(error.value)
    with site.registry.ledger(readonly=True) as ledger:
        ledger.verified(site.registry.heads())
    assert (site.reg / "published" / "test").resolve() == first.path
    assert sorted(p.name for p in drop.iterdir()) == ["_MANIFEST.json", "data.jsonl"]
    fill.unlink()
    assert site.publish(drop).status == "published"
    assert drop.exists()  # from another disk a drop is copied


@pytest.mark.usefixtures("here")
def test_across_file_systems_the_copy_is_verified(small_disk, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    site = Site(home)
    site.registry = registries.Registry(small_disk / "reg")
    site.reg = small_disk / "reg"
    drop = site.drop("a", at=home / "drops")
    copy = registries.shutil.copyfile

    def torn(source, target, **more):
        copy(source, target, **more)
        if target.name == "data.jsonl":
            os.truncate(target, 10)

    monkeypatch.setattr(registries.shutil, "copyfile", torn)
    with pytest.raises(LoadError, match="changed while it was copied"):
        site.publish(drop)
    monkeypatch.setattr(registries.shutil, "copyfile", copy)
    found = site.publish(drop)
    assert found.status == "published"
    assert (found.path / "data.jsonl").read_bytes() == (drop / "data.jsonl").read_bytes()


@pytest.mark.usefixtures("here")
def test_a_read_only_registry_lets_training_start_and_takes_nothing_in(small_disk, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    site = Site(home)
    site.reg = small_disk / "reg"
    site.registry = registries.Registry(site.reg)
    found = site.publish(site.drop("first", at=home / "drops"))
    drop = site.drop("second", at=home / "drops")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    passed = require_passed(site.reg / "published" / "test", trust=site.trust_file)
    assert (passed.version, passed.notices) == (found.version, ())  # the ledger was read: replay is checked
    assert site.kinds() == ["claim", "verdict", "publish"]
    with pytest.raises(LedgerError, match="where you may write"):
        site.publish(drop)
    assert sorted(p.name for p in drop.iterdir()) == ["_MANIFEST.json", "data.jsonl"]
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert site.publish(drop).status == "published"


@pytest.mark.usefixtures("here")
def test_nothing_of_the_data_is_in_the_ledger(site):
    """Canaries in a content, a key, a role, a file name and the name of the drop (P6)."""
    canary = "13987654321"
    record = {"messages": [{"role": f"user{canary}", "content": f"call {canary}"}], canary: canary}
    drop = site.reg / "incoming" / f"drop-{canary}"
    jsonl(drop / f"data{canary}.jsonl", record, GOOD)
    from datacheck.files.versions import write_manifest

    write_manifest(drop)
    assert site.publish(drop).status == "quarantined"
    for file in site.reg.glob("ledger.sqlite*"):
        assert canary.encode() not in file.read_bytes()
