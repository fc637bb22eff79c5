"""Which flows the commands run: in a checkout those of the tree, whatever copy an editable install has left."""

import sys
from pathlib import Path

import pytest
from core_helpers import ROOT

from datacheck.cli import flows


def test_a_checkout_runs_its_own_flows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "datacheck_flows"
    old.mkdir()
    for name in ("__init__", "announce", "serve", "watch", "doctor"):
        (old / f"{name}.py").touch()
        monkeypatch.delitem(sys.modules, f"datacheck_flows.{name}", raising=False)
    monkeypatch.delitem(sys.modules, "datacheck_flows", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("announce", "serve", "watch", "doctor"):
        assert Path(str(flows._flows(name).__file__)) == ROOT / "flows" / f"{name}.py"
