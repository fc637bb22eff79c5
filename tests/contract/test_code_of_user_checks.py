"""The code of a user's checks is an input of a report: who changes it has measured something else."""

from hashlib import sha256

import pytest
from core_helpers import contract

from datacheck.contract import discover
from datacheck.contract.load import load_contract

CODE = '''"""Rows."""
from typing import ClassVar, Literal
from datacheck.check import Check, Measured, Metric, Value


class Mine(Check):
    """Rows."""

    ZH: ClassVar = "行。"
    check: Literal["mine"] = "mine"
    metrics: ClassVar = {"rows": Metric("rows", "rows")}

    def measure(self, data):
        return Measured((Value("rows", 1),))
'''


@pytest.fixture
def folder(tmp_path):
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "mine.py").write_text(CODE, encoding="utf-8")
    discover.use_folder(own)
    yield own
    discover.use_folder(None)


def test_it_is_among_the_inputs(folder, tmp_path):
    (tmp_path / "data").mkdir()
    path = contract(tmp_path, [{"check": "mine", "limits": {"rows": {"max": 9}}}])
    digests = {name: digest for name, digest in load_contract(path).inputs.items() if "mine" in name}
    assert list(digests.values()) == [sha256(CODE.encode()).hexdigest()]
