"""Which flows the commands run: in a checkout those of the tree, whatever copy an editable install has left."""

from pathlib import Path

from core_helpers import ROOT

from datacheck.cli import flows


def test_a_checkout_runs_its_own_flows():
    for name in ("announce", "serve", "watch", "doctor"):
        assert Path(flows._flows(name).__file__) == ROOT / "flows" / f"{name}.py"
