"""docs/view.md is run, not believed."""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from http.cookies import SimpleCookie
from subprocess import PIPE, Popen
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from core_helpers import ROOT

TEXT = (ROOT / "docs" / "view.md").read_text(encoding="utf-8")


def lines(block):
    found = re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[block]
    return [[sys.executable, "-m", *line[2:].split()] for line in found.splitlines() if line.startswith("$ ")]


@pytest.mark.slow
def test_the_commands_do_what_the_page_says(tmp_path):
    env = {**os.environ, "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    demo, view = lines(0)
    with suppress(subprocess.CalledProcessError):  # it shows a dataset that fails, too
        subprocess.run(demo, cwd=tmp_path, env=env, check=True, capture_output=True)
    with Popen(view, cwd=tmp_path, env=env, stdout=PIPE, text=True) as process:
        try:
            address = process.stdout.readline().split()[0]
            with urlopen(address, timeout=60) as answer:
                ((name, cookie),) = SimpleCookie(answer.headers["set-cookie"]).items()
            origin = address.rsplit("/", 1)[0]
            head = {"cookie": f"{name}={cookie.value}", "origin": origin}

            def ask(path, **form):
                data = urlencode(form).encode() if form else None
                with urlopen(Request(f"{origin}{cookie['path']}{path}", data, head), timeout=60) as answer:
                    return answer.read().decode("utf-8")

            page = ask("")
            number = next(n for n, entry in enumerate(page.split('class="line flat')[1:]) if "train.pii" in entry)
            ask(f"mark/{number}/0", mark="keep", note="made up")
            (tmp_path / "review.csv").write_text(ask("export/review.csv"), encoding="utf-8")
        finally:
            process.terminate()
        assert process.wait(60) == 0
    (mark,) = json.loads((tmp_path / "marks.json").read_bytes())["marks"]
    assert mark["finding"] == "train.pii"
    for command in lines(1):
        done = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "train.pii (chosen, not drawn)" in done.stdout
    manifest = json.loads((tmp_path / "clean" / "manifest.json").read_bytes())
    assert {each["id"]: each["stay"] for each in manifest["findings"]}["train.pii"] == 1
