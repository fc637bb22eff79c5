"""A persistent Prefect server on loopback, for the tests of the flows."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BUSY, _TRIES = 503, 15


@dataclass(frozen=True)
class Server:
    """A persistent Prefect server on a loopback port, with its own home."""

    home: Path
    log: Path
    env: dict[str, str]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """GET, or POST with a body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.env["PREFECT_API_URL"] + path, data, headers={"Content-Type": "application/json"}
        )
        with opened(request) as answer:
            return json.load(answer)

    def change(self, path: str, body: dict[str, Any]) -> None:
        """PATCH."""
        request = urllib.request.Request(
            self.env["PREFECT_API_URL"] + path,
            json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method="PATCH",
        )
        opened(request).close()

    def forget_deployments(self) -> None:
        """Remove each deployment, and with it the looks that it still has due: the next test makes its own."""
        for one in self.ask("/deployments/filter", {}):
            request = urllib.request.Request(f"{self.env['PREFECT_API_URL']}/deployments/{one['id']}", method="DELETE")
            opened(request).close()


def opened(request: urllib.request.Request) -> Any:
    """The answer; a server whose SQLite is busy says 503, or nothing for a minute where ten flows start at once.
    Prefect's own client asks again, too; what makes something new is asked once."""
    for _ in range(_TRIES):
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            if error.code != _BUSY:
                raise
        except TimeoutError:
            if request.get_method() != "GET" and not request.full_url.endswith("/filter"):
                raise
        time.sleep(2)
    return urllib.request.urlopen(request, timeout=60)


def environment(**more: str) -> dict[str, str]:
    """This process's environment without any setting of Prefect."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT_", "DATACHECK_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "DO_NOT_TRACK": "1", "PREFECT_SERVER_EPHEMERAL_ENABLED": "false", **more}


@contextlib.contextmanager
def started(folder: Path) -> Iterator[Server]:
    """Start a server with its home in `folder`; in the end nothing of it is left running."""
    folder.mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    api = f"http://127.0.0.1:{port}/api"
    env = environment(PREFECT_HOME=str(folder / "home"), PREFECT_API_URL=api, PREFECT_SERVER_ANALYTICS_ENABLED="false")
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", port]
    known = Server(folder / "home", folder / "server.log", env)
    with known.log.open("wb") as log:
        process = subprocess.Popen(
            command, env=env, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_until_healthy(known, process)
        yield known
    finally:
        stop(process)


def wait_until_healthy(server: Server, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(240):
        assert process.poll() is None, server.log.read_text()
        try:
            assert server.ask("/health") is True
        except OSError:
            time.sleep(0.5)
        else:
            return
    pytest.fail("the server did not come up:\n" + server.log.read_text())


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End the server and every process that it started; its session is its own process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=30)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    process.wait(timeout=10)
    assert living(process.pid) == []


def living(session: int) -> list[str]:
    """Command lines of the processes of a session that still run after ten seconds (the dead may wait for init)."""
    running: list[str] = []
    for _ in range(20):
        running = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                state, _, _, own = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(own) == session and state != "Z":
                    running.append((folder / "cmdline").read_text())
        if not running:
            break
        time.sleep(0.5)
    return running
