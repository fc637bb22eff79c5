"""Kill a process at chosen moments, again and again, and look each time at what it has left.

A process of its own: it imports everything once and forks, so that an attempt costs a tenth of a second. A child works
without workers of its own. Usage: crash_driver.py FOLDER KIND FROM TO [STEP]
KIND `time`: SIGKILL at a random moment, for the seeds FROM to TO.
KIND `call`: SIGKILL just before the Nth call that changes the file system, for N from FROM to TO.
KIND `full`: the Nth such call fails with ENOSPC, and so do all after it.
Prints one line of JSON per attempt: what was found wrong (nothing), how the child ended, what the next call said.
"""

import errno
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from core_helpers import InProcess
from registry_helpers import Site, manifest_id

from datacheck import run
from datacheck.errors import DatacheckError, RefusedError
from datacheck.gate.guard import require_passed
from datacheck.gate.ledger import LedgerError
from datacheck.gate.registry import LEDGER

CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.symlink", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def strike_at(number, act):
    """Call `act` at the Nth change of the file system, before it is done."""
    left = [number]

    def hook(event, args):
        if event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITES):
            left[0] -= 1
            if left[0] <= 0:
                act()

    sys.addaudithook(hook)


def full():
    raise OSError(errno.ENOSPC, "No space left on device")


def child(site, drop, kind, number):
    """Publish `drop`; exit code 0, 1 or 3 as the command's."""
    code = 9
    try:
        if kind == "call":
            strike_at(number, lambda: os.kill(os.getpid(), signal.SIGKILL))
        elif kind == "full":
            strike_at(number, full)
        code = site.publish(drop).exit_code
    except DatacheckError as error:
        code = error.exit_code
    except OSError:
        code = 8
    finally:
        os._exit(code)


def attempt(site, drop, kind, number):
    pid = os.fork()
    if pid == 0:
        child(site, drop, kind, number)
    if kind == "time":
        time.sleep(random.Random(number).random() * 0.5)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def in_child(act):
    """Polars starts threads, and who forks later has none of them: nothing runs in the parent."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - told by the exit code
            print(type(error).__name__, error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def go_on(site):
    """What a watcher does next."""
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    for path in site.registry.drops():
        site.publish(path)


def wrong(site, good):
    """What must never be, whatever was killed."""
    found = []
    if not (site.reg / LEDGER).exists():
        return found
    published, allowed = {}, set()
    try:
        with site.registry.ledger(readonly=True) as ledger:
            ledger.verify_chain(site.registry.heads())
            entries = list(ledger.entries())
    except LedgerError as error:
        return [] if "no such table" in str(error) else [str(error)]
    for entry in entries:
        if entry.kind == "publish":
            published[entry.version] = entry
    if set(published) - {good}:
        found.append("a bad version is published")
    for folder in (site.reg / "versions").iterdir():
        if f"sha256:{folder.name}" not in published:
            found.append("a folder in versions/ that the ledger does not know")
    for folder in [*(site.reg / "published").iterdir(), *(site.reg / "versions").iterdir(),
                   *(site.reg / "staged").glob("*/drop"), *(site.reg / "quarantine").iterdir()]:  # fmt: skip
        try:
            allowed.add(require_passed(folder, trust=site.trust_file).version)
        except (RefusedError, DatacheckError):
            pass
    if allowed - {good}:
        found.append("the guard lets a bad version pass")
    for report in site.reg.rglob("_report"):
        text = (report / "report.json").read_bytes()
        files = [f["evidence"].get("file") for f in json.loads(text)["findings"]]
        if not all((report / file).exists() for file in files if file) or not (report / "report.html").exists():
            found.append("a torn report")
    return found


def main():
    folder, kind, first, last, step = Path(sys.argv[1]), sys.argv[2], *map(int, [*sys.argv[3:], "1"][:3])
    run.Workers = InProcess
    for number in range(first, last, step):
        root = folder / f"{kind}{number}"
        root.mkdir()
        site = Site(root)
        good, bad = site.drop("good"), site.bad("bad")
        numbers = {manifest_id(good): "versions", manifest_id(bad): "quarantine"}
        number_of_good = manifest_id(good)
        drop = good if number % 2 else bad
        ended = attempt(site, drop, kind, number)
        told = wrong(site, number_of_good)
        places = [p for p in site.reg.rglob("data.jsonl") if p.is_file() and not p.is_symlink()]
        if len(places) != 2:
            told.append(f"{len(places)} drops instead of 2")
        if ended == 0 and not (site.reg / "published" / "test").exists():
            told.append("acknowledged, and not there")
        if in_child(lambda: go_on(site)):  # noqa: B023 - called at once
            told.append("the next call failed")
        told += wrong(site, number_of_good)
        tree = site.tree()
        expected = {place: [n.removeprefix("sha256:")] for n, place in numbers.items()}
        if tree != {"incoming": [], "staged": [], "published": ["test"], **expected}:
            told.append(f"not mended: {tree}")
        print(json.dumps({"number": number, "ended": ended, "wrong": told}), flush=True)
        if not told:
            shutil.rmtree(root)
        if kind != "time" and ended not in (-9, 3, 8) and number > 20:
            break  # it came to its end: there is no call of this number


if __name__ == "__main__":
    main()
