"""A build in isolation (`pip install .`, pre-commit) has what pyproject.toml asks for it, and nothing else."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ASKED = [
    *PYPROJECT["build-system"]["requires"],
    *PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["dependencies"],
]

# What compiling imports runs where a module of any other distribution cannot be found; nothing is written.
PROGRAM = """
import sys
from importlib.abc import MetaPathFinder
barred = set(sys.argv[1].split())
class Barred(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in barred:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Barred())
from datacheck.pii import canaries
from datacheck.report import listing, pages
from datacheck.session import compiling
from datacheck.text import built_tables
written = []
compiling.write = lambda found, tried: written.append(len(found) and len(tried))
canaries.json.dumps = lambda made, **_: written.append(len(made)) or "{}"
canaries.Path.write_text = lambda self, text, *args, **kwargs: len(text)
canaries.Path.unlink = lambda self, **kwargs: None
built_tables.write = lambda tables, arrays: written.append(len(tables) + len(arrays))
pages.write = lambda: written.append(pages.environment)
listing.json.dumps = canaries.json.dumps
compiling.compile_expressions()
assert len(written) == 5 and all(written), written
"""


def closure(names):
    """The distributions that installing some brings along, by their normalised names."""
    found, open_ = set(), list(names)
    while open_:
        name = re.match(r"[A-Za-z0-9._-]+", open_.pop())[0].lower().replace("_", "-")
        if name in found:
            continue
        found.add(name)
        try:
            requires = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        open_ += [each for each in requires if "extra ==" not in each]
    return found


@pytest.mark.slow
def test_what_compiling_imports_is_asked_for():
    allowed = closure(ASKED) | {"datacheck-llm"}
    barred = {
        module
        for module, owners in metadata.packages_distributions().items()
        if not {owner.lower().replace("_", "-") for owner in owners} & allowed and module.isidentifier()
    } - set(sys.stdlib_module_names)
    assert {"prefect", "presidio_analyzer", "scipy", "jieba"} <= barred
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, " ".join(barred)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
