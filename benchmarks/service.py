"""The service as an operator runs it, by the commands of the docs: ten drops and three accidents, then many drops.

Usage: python benchmarks/service.py [DROPS [FOLDER]]: 100 drops in a new folder, with the `datacheck` and `prefect`
beside this Python. It takes about 20 minutes. Ends with 1 where a drop has not exactly one verdict and one fate, or the
memory of `serve` grows by more than 50 MB.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
HOSTILE = "$(touch pwned); rm -rf ~\n👍 ..;"
FATES = ("publish", "quarantine")
INTERVAL = 15  # seconds between two looks
GROWTH = 50  # MB
CONTRACT = """
name: sft
datasets:
  train:
    source: {format: messages}
    checks: [role_errors, empty_turns, exact_duplicates, pii]
"""
BAD = [{"role": "user", "content": "好"}, {"role": "user", "content": "在吗"}]
Process = subprocess.Popen[bytes]


class Site:
    """A folder with keys, a contract and a registry, a server's address, and the commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.incoming = folder, folder / "registry" / "incoming"
        self.staged = self.incoming.with_name("staged")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT", "DATACHECK"))}
        self.env = {
            **kept,
            "PATH": f"{BIN}:{kept['PATH']}",
            "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
            "PREFECT_HOME": str(folder / "home"),
            "PREFECT_API_URL": f"http://127.0.0.1:{self.port}/api",
            "DATACHECK_TRUST": str(folder / "trust.json"),
        }
        self.incoming.mkdir(parents=True)
        (folder / "sft.yaml").write_text(CONTRACT, encoding="utf-8")
        self.run("keys", "new", "validator.pem")
        self.run("keys", "trust", "validator.pub", "--role", "validator")
        self.rules = ["registry", "--contract", "sft.yaml", "--sign", "validator.pem", "--interval", str(INTERVAL)]

    def run(self, *words: object, code: int | None = 0) -> str:
        """What a command prints; another exit code than `code` ends it all."""
        command = ["datacheck", *map(str, words)]
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        if code is not None and done.returncode != code:
            raise SystemExit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, *command: str) -> Process:
        """A process whose output goes to a file."""
        with (self.folder / f"{command[0]}-{command[1]}.log").open("ab") as log:
            return subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def server(self) -> Process:
        """Start the server, and wait until it answers."""
        server = self.start("prefect", "server", "start", "--host", "127.0.0.1", "--port", self.port)
        until(self.healthy, 120)
        return server

    def healthy(self) -> bool:
        """Whether the server answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/health", timeout=5):
                return True
        except OSError:
            return False

    def drop(self, name: str, number: int, *, bad: bool = False) -> Path:
        """Deliver 30 answers to numbered questions; in a bad drop, somebody asks twice."""
        drop = self.incoming / name
        drop.mkdir()
        turns: list[Any] = []
        for n in range(30):
            asked, said = f"{number} 第 {n} 问", f"{number} 第 {n} 答"
            turns.append([{"role": "user", "content": asked}, {"role": "assistant", "content": said}])
        lines = [json.dumps({"messages": messages}, ensure_ascii=False) for messages in turns + [BAD] * bad]
        (drop / "part.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.run("manifest", drop)
        return drop

    def entries(self, *kinds: str) -> list[dict[str, Any]]:
        """The ledger's entries of these kinds."""
        if not (self.incoming.parent / "head.json").exists():  # nobody has looked yet
            return []
        found = json.loads(self.run("history", "--registry", "registry", "--all", "--format", "json"))["entries"]
        return [entry for entry in found if entry["kind"] in kinds]

    def waiting(self) -> list[str]:
        """What lies in incoming/, or is under way."""
        return [path.name for folder in (self.incoming, self.staged) for path in folder.glob("*")]

    def account(self, delivered: int, bad: int) -> bool:
        """Say what became of all drops; whether each has one verdict and one fate, and lies where that says."""
        verdicts, fates = self.entries("verdict"), self.entries(*FATES)
        kinds = Counter(entry["kind"] for entry in verdicts + fates)
        versions = [Counter(entry["version"] for entry in entries) for entries in (verdicts, fates)]
        once = all(set(each.values()) == {1} for each in versions) and versions[0].keys() == versions[1].keys()
        places = {name: len(list((self.incoming.parent / name).glob("*"))) for name in ("versions", "quarantine")}
        print(f"delivered {delivered} ({bad} bad); ledger {dict(kinds)}; folders {places}; waiting {self.waiting()}")
        good = delivered - bad
        expected = {"verdict": delivered, "publish": good, "quarantine": bad}
        return once and kinds == expected and places == {"versions": good, "quarantine": bad}


def until(true: Callable[[], bool], seconds: float) -> None:
    """Wait for something."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise SystemExit("nothing came of it")
        time.sleep(0.1)


def stop(process: Process) -> None:
    """As a service manager does."""
    process.terminate()
    process.wait(timeout=60)


def memory(process: Process) -> float:
    """MB of the process itself, without what it shares with others twice (PSS)."""
    text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
    return int(text.partition("\nPss:")[2].split()[0]) / 1024


def accidents(site: Site, server: Process) -> tuple[bool, Process, Process]:
    """Ten drops at once; `serve` is killed at work, then the server started again; `watch` works beside."""
    half = site.drop("half", 0)
    whole = (half / "part.jsonl").read_bytes()
    (half / "part.jsonl").write_bytes(whole[:1000])  # still on its way: the manifest names more bytes
    for number, name in enumerate(["a", "b", "c", "d", "e", HOSTILE, "x", "y", "z"], start=1):
        site.drop(name, number, bad=number > 6)
    serve = site.start("datacheck", "serve", *site.rules)
    until(lambda: len(site.waiting()) < 10 or any(site.staged.glob("*")), 180)
    os.killpg(serve.pid, signal.SIGKILL)
    serve.wait()
    print(f"serve was killed with {len(list(site.staged.glob('*')))} drop at work")
    serve, second = site.start("datacheck", "serve", *site.rules), site.start("datacheck", "watch", *site.rules)
    until(lambda: len(site.entries("verdict")) >= 2, 180)
    stop(server)
    server = site.server()
    until(lambda: site.waiting() == ["half"], 600)
    fine = site.account(9, 3)
    (half / "part.jsonl").write_bytes(whole)
    until(lambda: not site.waiting(), 180)
    fine = site.account(10, 3) and fine and not (site.folder / "pwned").exists()
    claims = site.entries("claim")
    watched = sum(claim["payload"]["owner"].endswith(f":{second.pid}") for claim in claims)
    print(f"claims: {len(claims)}, of watch: {watched}; serve runs: {serve.poll() is None}")
    stop(second)
    return fine and watched > 0, serve, server


def many(site: Site, serve: Process, count: int) -> bool:
    """`count` drops, each fifth bad, by the schedule of `serve` alone; its memory from the first to the last."""
    begun, measured, made = time.monotonic(), [memory(serve)], 0
    while made < count or site.waiting():
        if serve.poll() is not None:
            raise SystemExit(f"serve ended with {serve.returncode}")
        if made < count and len(site.waiting()) < 10:
            site.drop(f"n{made}", 1000 + made, bad=made % 5 == 4)
            made += 1
            continue
        time.sleep(1)
        measured.append(memory(serve))
    seconds = time.monotonic() - begun
    print(f"{count} drops in {seconds:.0f} s; memory of serve: {measured[0]:.0f} MB at first, {min(measured):.0f} to "
          f"{max(measured):.0f}, {measured[-1]:.0f} at last")  # fmt: skip
    return site.account(10 + count, 3 + count // 5) and max(measured) - measured[0] <= GROWTH


def main() -> None:
    """Print what came of it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="service-"))
    site = Site(folder.absolute())
    print(f"in {site.folder}")
    server = site.server()
    print(site.run("doctor", *site.rules, code=None))
    fine, serve, server = accidents(site, server)
    fine = many(site, serve, count) and fine
    print(site.run("doctor", *site.rules, code=None))
    stop(serve)
    stop(server)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
