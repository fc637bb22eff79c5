"""Kill a process at chosen moments, again and again, and look each time at what it has left.

A process of its own: it imports everything once and forks, so that an attempt costs a tenth of a second. A child works
without workers of its own. Usage: crash_driver.py FOLDER KIND FROM TO [STEP]
KIND `time`: SIGKILL at a random moment, for the seeds FROM to TO.
KIND `call`: SIGKILL just before the Nth call that changes the file system, for N from FROM to TO.
KIND `run`: as `call`, but of a run with --out over an earlier report.
KIND `runtime`: as `time`, but of a run.
KIND `full`: the Nth such call fails with ENOSPC, and so do all after it. KIND `broken`: the same with EIO.
KIND `erase`: as `call`, but of taking a published version and one in quarantine away for good.
KIND `migrate`: as `call`, and before every statement of SQL, of lifting a registry that 0.1.0 left.
KIND `sql`: SIGKILL before or after the Nth statement that publishing asks of a server (DATACHECK_TEST_SERVER, its URL).
KIND `size`: no file may grow beyond N bytes (RLIMIT_FSIZE), the ledger's neither. KIND `runsize`: the same for a run.
Prints one line of JSON per attempt: what was found wrong (nothing), how the child ended, what the next call said.
"""

import contextlib
import errno
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from types import SimpleNamespace

from core_helpers import in_this_process
from registry_helpers import Site, manifest_id
from test_migrate import left_by_0_1

from datacheck.engine import run
from datacheck.errors import DatacheckError
from datacheck.files.versions import scan
from datacheck.gate.guard import require_passed
from datacheck.gate.ledger import LedgerError
from datacheck.gate.outcomes import erased
from datacheck.gate.standing import has_ledger, hexed
from datacheck.registry.erasure import EXPIRED, erase
from datacheck.registry.migrate import migrate
from datacheck.session.session import Options, Session

CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.symlink", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def strike_at(number, act, *, sql=False):
    """Call `act` at the Nth change of the file system (or statement of SQL), before it is done."""
    left = [number]

    def count():
        left[0] -= 1
        if left[0] <= 0:
            act()

    def hook(event, args):
        if event in CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & WRITES):
            count()

    def called(_, event, what):
        if event == "c_call" and isinstance(getattr(what, "__self__", None), sqlite3.Connection | sqlite3.Cursor):
            count()

    sys.addaudithook(hook)
    if sql:
        sys.setprofile(called)


def strike_at_statement(number):
    """SIGKILL before the statement of this number, or after it: what a server has done, and nobody was told of."""
    import psycopg

    asked, left = psycopg.Connection.execute, [number // 2]

    def execute(connection, *words):
        left[0] -= 1
        last = left[0] < 0
        if last and number % 2 == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        done = asked(connection, *words)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    psycopg.Connection.execute = execute


def no_file_beyond(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


FAILS = {"full": errno.ENOSPC, "broken": errno.EIO}


def fail(number):
    raise OSError(number, os.strerror(number))


def child(site, drop, kind, number):
    """Publish `drop`; exit code 0, 1 or 3 as the command's."""
    code = 9
    try:
        if kind == "call":
            strike_at(number, lambda: os.kill(os.getpid(), signal.SIGKILL))
        elif kind == "sql":
            strike_at_statement(number)
        elif kind in FAILS:
            strike_at(number, lambda: fail(FAILS[kind]))
        elif kind == "size":
            no_file_beyond(number)
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


def run_over(site, kind, number):
    """Kill a run whose --out holds an earlier report; returns how it ended and what is wrong."""
    out = site.root / "out"

    def go(drop):
        options = Options(out=out, workers=1)
        with Session(site.contract, {"train": str(drop)}, options) as session:
            session.run()
            session.finish()

    first, second = site.drop("good"), site.bad("bad")
    start = time.monotonic()
    told = ["the first run failed"] if in_child(lambda: go(first)) else []
    kill_after = random.Random(number).random() * (time.monotonic() - start)  # a moment of the run, whatever it takes
    old = (out / "report.json").read_bytes()
    ended = in_child(lambda: (STRIKES[kind](number), go(second)), kill_after if kind == "runtime" else None)
    new = out.exists() and (out / "report.json").read_bytes() != old
    if out.exists() and not whole(out):
        told.append("a torn report")
    if new and json.loads((out / "report.json").read_bytes())["verdict"] != "fail":
        told.append("a report of neither run")
    if in_child(lambda: go(second)) or not whole(out):
        told.append("the next run failed")
    left = [path.name for path in site.root.iterdir() if path.name.startswith(".out")]
    return ended, told + [f"left: {name}" for name in left if not name.endswith(".old")]


def erase_over(site, _, number):
    """Kill an erasure; returns how it ended and what is wrong."""
    good, bad = site.drop("good"), site.bad("bad")
    number_of_good, folders = (
        manifest_id(good),
        [f"versions/{hexed(manifest_id(good))}", f"quarantine/{hexed(manifest_id(bad))}"],
    )
    told = ["nothing was published"] if in_child(lambda: (site.publish(good), site.publish(bad))) else []
    ended = in_child(lambda: (STRIKES["run"](number), erase_all(site, folders)))
    recorded = erased_places(site)
    told += [f"erased, and not refused: {version}" for version in passing(site) if folders[0] in recorded]
    if folders[0] not in recorded and passing(site) != {number_of_good}:
        told.append("not erased, and refused")
    told += wrong(site, number_of_good)
    if in_child(lambda: go_on(site)) or {place for place in folders if (site.reg / place).exists()} & erased_places(
        site
    ):
        told.append("what is recorded was not finished")
    left = [place for place in folders if place not in erased_places(site)]
    if in_child(lambda: erase_all(site, left)) or any(site.tree().values()):
        told.append(f"the next call left {site.tree()}")
    return ended, told + wrong(site, number_of_good)


def erase_all(site, folders):
    with site.registry.ledger() as ledger:
        for folder in folders:
            erase(site.registry, ledger, folder, EXPIRED, {"days": 1})


def erased_places(site):
    with site.registry.ledger(readonly=True) as ledger:
        return erased(ledger.verified(site.registry.heads()))


def migrate_over(site, _, number):
    """Kill a lifting; returns how it ended and what is wrong."""
    left_by_0_1(site)
    (folder,) = (site.reg / "versions").iterdir()
    version, before = manifest_id(folder), site.kinds()
    ended = in_child(lambda: (STRIKES["migrate"](number), migrate(site.registry)))
    told = [] if site.kinds() in (before, [*before, "migrate"]) else [f"the ledger says {site.kinds()}"]
    told += [] if passing(site) == {version} else ["what was published is refused"]
    if in_child(lambda: migrate(site.registry)):
        told.append("the next call failed")
    told += [] if site.kinds() == [*before, "migrate"] else [f"the ledger says {site.kinds()}"]
    told += [] if passing(site) == {version} else ["what was published is refused"]
    folders = [path.name for path in (site.reg / "versions").iterdir()]
    told += [] if folders == [folder.name] and scan(folder).id == version else [f"other versions: {folders}"]
    if any((file.stat().st_nlink, file.stat().st_mode & 0o777) != (1, 0o444) for file in folder.glob("*.jsonl")):
        told.append("published files are not the registry's own")
    return ended, told + [f"left: {path.name}" for path in site.reg.iterdir() if path.name.startswith(".")]


STRIKES = {
    "run": lambda number: strike_at(number, lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "migrate": lambda number: strike_at(number, lambda: os.kill(os.getpid(), signal.SIGKILL), sql=True),
    "runtime": lambda _: None,
    "runsize": no_file_beyond,
}


def in_child(act, kill_after=None):
    """Polars starts threads, and who forks later has none of them: nothing runs in the parent."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except DatacheckError as error:
            os._exit(error.exit_code)
        except OSError:
            os._exit(8)
        except BaseException as error:  # noqa: BLE001 - told by the exit code
            print(type(error).__name__, error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def go_on(site):
    """What a watcher does next."""
    with site.registry.ledger() as ledger:
        site.registry.recover(ledger)
    for path in site.registry.drops():
        site.publish(path)


def wrong(site, good):
    """What must never be, whatever was killed."""
    if not has_ledger(site.reg):
        return []
    try:
        with site.registry.ledger(readonly=True) as ledger:
            ledger.verified(site.registry.heads())
            published = {entry.version for entry in ledger.entries(kinds=["publish"])}
    except LedgerError as error:
        return [] if "no such table" in str(error) else [str(error)]
    found = ["a bad version is published"] if published - {good} else []
    known = {number.removeprefix("sha256:") for number in published}
    if {folder.name for folder in (site.reg / "versions").iterdir()} - known:
        found.append("a folder in versions/ that the ledger does not know")
    if passing(site) - {good}:
        found.append("the guard lets a bad version pass")
    if not all(whole(report) for report in site.reg.rglob("_report") if ".erased/" not in str(report)):
        found.append("a torn report")
    return found


def passing(site):
    """The versions that the guard lets pass, wherever they lie."""
    folders = [folder for place in ("published", "versions", "quarantine", "incoming", "staged/*/drop")
               for folder in site.reg.glob(place if "*" in place else f"{place}/*")]  # fmt: skip
    allowed = set()
    for folder in folders:
        with contextlib.suppress(DatacheckError):
            allowed.add(require_passed(folder, trust=site.trust_file).version)
    return allowed


def whole(report):
    """Whether a report folder has all that its report.json speaks of."""
    findings = json.loads((report / "report.json").read_bytes())["findings"]
    files = [finding["evidence"].get("file") for finding in findings]
    return all((report / file).exists() for file in [*files, "report.html", "report.md", "junit.xml"] if file)


def publish_over(site, kind, number):
    """Kill a call of publish; returns how it ended and what is wrong."""
    good, bad = site.drop("good"), site.bad("bad")
    number_of_good = manifest_id(good)
    expected = {"versions": [hexed(number_of_good)], "quarantine": [hexed(manifest_id(bad))]}
    ended = attempt(site, good if number % 2 else bad, kind, number)
    told = wrong(site, number_of_good)
    if len([path for path in site.reg.rglob("data.jsonl") if "published" not in path.parts]) != 2:
        told.append("a drop is lost, or there twice")
    if ended == 0 and not (site.reg / "published" / "test").exists():
        told.append("acknowledged, and not there")
    if in_child(lambda: go_on(site)):
        told.append("the next call failed")
    told += wrong(site, number_of_good)
    tree = site.tree()
    if tree != {"incoming": [], "staged": [], "published": ["test"], **expected}:
        told.append(f"not mended: {tree}")
    return ended, told


def main():
    folder, kind, first, last, step = Path(sys.argv[1]), sys.argv[2], *map(int, [*sys.argv[3:], "1"][:3])
    run.Workers = in_this_process
    server = SimpleNamespace(url=os.environ["DATACHECK_TEST_SERVER"]) if "DATACHECK_TEST_SERVER" in os.environ else None
    for number in range(first, last, step):
        root = folder / f"{kind}{number}"
        root.mkdir()
        over = {"erase": erase_over, "migrate": migrate_over}.get(kind, run_over if kind in STRIKES else publish_over)
        ended, told = over(Site(root, server), kind, number)
        print(json.dumps({"number": number, "ended": ended, "wrong": told}), flush=True)
        if not told:
            shutil.rmtree(root)
        if kind in ("call", "sql", "run", "erase", "migrate", *FAILS) and ended in (0, 1) and number > 20:
            break  # it came to its end: there is no call of this number


if __name__ == "__main__":
    main()
