"""The wheel of the guard alone: what is in it, and that it verifies and refuses where nothing else is installed."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from core_helpers import ROOT

from datacheck.gate.cosign import cosign
from datacheck.gate.trust import read_trust, set_threshold

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


def interpreter(version: str) -> str | None:
    """A Python of this version that starts: on PATH, or among those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    found = [*sorted(map(str, pyenv.glob(f"{version}.*/bin/python3"))), shutil.which(f"python{version}")]
    starts = (p for p in found if p and not subprocess.run([p, "-c", ""], capture_output=True, check=False).returncode)
    return next(starts, None)


def guard(python, house, *args, **env):
    words = [*map(str, python), *map(str, args)]
    env = {"PATH": os.environ["PATH"], "DATACHECK_TRUST": str(house.root / "trust.json"), **env}
    return subprocess.run(words, env=env, cwd="/", capture_output=True, text=True, check=False, timeout=60)


def verifies_and_refuses(python, house):
    """What both kinds of place must do: `python` starts the guard."""
    started = house.root / "started"
    touch = ("--", "touch", started)
    done = guard(python, house, "exec", "--require-pass", house.bad, *touch)
    assert (done.returncode, started.exists()) == (10, False), done.stderr
    done = guard(python, house, "exec", "--require-pass", house.good, *touch)
    assert (done.returncode, started.exists()) == (0, True), done.stderr
    assert guard(python, house, "verify", house.root / "checks").returncode == 11
    assert guard(python, house, "verify", house.good, "--contract", "0" * 64).returncode == 14
    set_threshold(house.root / "trust.json", 2)
    done = guard(python, house, "verify", house.good, LANG="zh_CN.UTF-8")
    assert (done.returncode, "还缺 1 个" in done.stderr) == (14, True), done.stderr
    cosign(house.good, house.key("colleague"), read_trust(house.root / "trust.json"))
    assert guard(python, house, "verify", house.good).returncode == 0
    (house.good / "a.jsonl").write_text("{}")
    done = guard(python, house, "verify", house.good, LANG="zh_CN.UTF-8")
    assert done.returncode == 12
    assert "a.jsonl: 被修改（在检查之后）" in done.stderr
    assert "datacheck-guard exec" in guard(python, house, "exec", "--help").stdout


def test_it_is_small_and_needs_cryptography_alone(wheel):
    assert wheel.stat().st_size <= 100_000
    with zipfile.ZipFile(wheel) as inside:
        texts = {name: inside.read(name).decode() for name in inside.namelist() if name.endswith((".py", "METADATA"))}
    (metadata,) = [text for name, text in texts.items() if name.endswith("METADATA")]
    assert [line for line in metadata.splitlines() if line.startswith("Requires-")] == [
        "Requires-Python: >=3.10", "Requires-Dist: cryptography>=41",
    ]  # fmt: skip
    assert "datacheck_guard/gate/guard.py" in texts
    assert not [name for name, text in texts.items() if "from datacheck." in text or "import datacheck\n" in text]


def test_its_code_is_datachecks_own(wheel):
    """One copy: but for the name, every module is the file of that name in datacheck/."""
    with zipfile.ZipFile(wheel) as inside:
        names = [name for name in inside.namelist() if name.count("/") > 1 and name.endswith(".py")]
        assert len(names) >= 15
        for name in names:
            source = ROOT / "datacheck" / name.removeprefix("datacheck_guard/")
            text = inside.read(name).decode()
            assert text.replace(" datacheck_guard.", " datacheck.") == source.read_text("utf-8"), name


def by_checkpoint(python, house, site):
    """A copy of a registry without its database, as a training image has it."""
    site.publish(site.drop("good"))
    with site.registry.ledger() as ledger:
        site.registry.write_checkpoint(ledger, 1, [site.key("validator")])
    image, trust = site.root / "image", {"DATACHECK_TRUST": str(site.trust_file)}
    shutil.copytree(site.reg, image, symlinks=True, ignore=shutil.ignore_patterns("ledger.sqlite*"))
    (pointer,) = (image / "published").iterdir()
    done = guard(python, house, "verify", pointer, **trust)
    assert (done.returncode, "replay not checked" in done.stderr) == (0, False), done.stderr
    file = image / "checkpoint.dsse.json"
    file.write_bytes(file.read_bytes().replace(b'"sig": "', b'"sig": "A'))
    assert guard(python, house, "verify", pointer, **trust).returncode == 12


def test_it_verifies_and_refuses_alone(wheel, house, site, here, tmp_path):
    """Isolated mode: the standard library, cryptography, and what is unpacked here; there is no datacheck."""
    import _cffi_backend
    import cryptography

    for place in (Path(cryptography.__file__).parent, Path(_cffi_backend.__file__)):
        (tmp_path / place.name).symlink_to(place)
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = f"import sys; sys.path.append({str(tmp_path)!r}); from datacheck_guard.__main__ import run; run()"
    verifies_and_refuses([sys.executable, "-I", "-S", "-c", code], house)
    by_checkpoint([sys.executable, "-I", "-S", "-c", code], house, site)


@pytest.mark.slow
@pytest.mark.parametrize("version", PYTHONS)
def test_it_installs_with_nothing_else_on_every_python(wheel, house, site, tmp_path, version):
    """A venv of its own; also the ledger of a registry: published, revoked, a pointer that leads elsewhere."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    bin_ = tmp_path / "venv" / "bin"
    pip = [bin_ / "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, wheel], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no package index with cryptography within reach")
    verifies_and_refuses([bin_ / "datacheck-guard"], house)
    old, new = (site.publish(site.drop(name)).path for name in ("one", "two"))
    pointer = next((site.reg / "published").iterdir())
    trust = {"DATACHECK_TRUST": str(site.trust_file)}
    asks = f"from datacheck_guard import require_passed; print(require_passed({str(pointer)!r}).version)"
    done = guard([bin_ / "python", "-c", asks], house, **trust)
    assert done.stdout == f"sha256:{new.name}\n", done.stderr
    pointer.unlink()
    pointer.symlink_to(f"../versions/{old.name}")
    done = guard([bin_ / "datacheck-guard"], house, "verify", pointer, **trust)
    assert (done.returncode, "newest publication" in done.stderr) == (12, True), done.stderr
    by_checkpoint([bin_ / "datacheck-guard"], house, site)
