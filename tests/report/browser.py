"""A real Chromium without a window, driven by its own protocol; the `websockets` of the lock is all that it needs."""

import json
import os
import shutil
import subprocess
import time
import urllib.request
from base64 import b64decode
from contextlib import contextmanager
from pathlib import Path

from websockets.sync.client import connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-quic", "--remote-debugging-port=0",
)  # fmt: skip
START = 60  # seconds


def chromium():
    """The path of a Chromium, or None: DATACHECK_CHROMIUM, else what is installed."""
    named = os.environ.get("DATACHECK_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page. `ask` sends a command of the protocol, `run` a JavaScript expression; `requests`: what it asked for."""

    def __init__(self, socket):
        self.socket, self.number, self.requests, self.console = socket, 0, [], []

    def ask(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            said = json.loads(self.socket.recv(timeout=START))
            if said.get("id") == self.number:
                assert "error" not in said, said
                return said["result"]
            self._heard(said)

    def _heard(self, said):
        name, params = said.get("method"), said.get("params", {})
        if name == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif name in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
            self.console.append(json.dumps(params))

    def run(self, expression):
        said = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def open(self, path, width=1280, height=800, scheme="light", fragment="", *, scripts=True):
        """Open a file and wait until it is drawn; returns seconds. Without `scripts`, as long as it is this page."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Page.navigate", url="about:blank")
        self.requests.clear()
        began = time.monotonic()
        self.ask("Page.navigate", url=Path(path).as_uri() + fragment)
        while self.run("document.readyState") != "complete" or self.run("location.href") == "about:blank":
            time.sleep(0.01)
        if scripts:
            self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - began

    def key(self, name):
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, "Space": 32}
        text = {"Enter": "\r", "Space": " "}.get(name)
        key = " " if name == "Space" else name
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown", key=key, code=name, windowsVirtualKeyCode=codes[name],
            **({"text": text} if text else {}),
        )  # fmt: skip
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=name, windowsVirtualKeyCode=codes[name])

    def pdf(self):
        """The page as it is printed on A4."""
        return b64decode(self.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)["data"])


@contextmanager
def tab(path, profile):
    """A tab of the Chromium at `path`, with an empty profile in `profile`."""
    process = subprocess.Popen([path, *FLAGS, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.DEVNULL)
    try:
        port = _port(Path(profile) / "DevToolsActivePort")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=START) as answer:
            (page,) = (each for each in json.load(answer) if each["type"] == "page")
        with connect(page["webSocketDebuggerUrl"], max_size=None, proxy=None) as socket:
            yield Tab(socket)
    finally:
        process.kill()
        process.wait()


def _port(file):
    end = time.monotonic() + START
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, "Chromium did not start"
        time.sleep(0.05)
    return int(file.read_text().splitlines()[0])
