"""Plans: what runs, once, in an order in which it can."""

from typing import ClassVar, Literal

import polars as pl
import pytest
from core_helpers import contract

from datacheck.check import Check, Feature, Group, Limit, Measured, Metric, Need, Summary
from datacheck.contract.load import load_contract
from datacheck.contract.model import Contract, Dataset, Source
from datacheck.engine.plan import make_plan
from datacheck.errors import CheckAuthorError


class Letters(Feature):
    of: str = "x"

    def compute(self, part):
        return pl.DataFrame()


class Common(Summary):
    def needs(self):
        return (Need(Letters()),)

    def compute(self, data):
        return pl.DataFrame()


class Loop(Feature):
    def needs(self):
        return (Need(Group(of=Loop(), by="key")),)

    def compute(self, part):
        return pl.DataFrame()


class Wants(Check):
    """Has the needs that it is given."""

    metrics: ClassVar = {"n": Metric("n", "rows", limit=Limit(max=0))}
    check: Literal["wants"] = "wants"
    wanted: tuple[Need, ...] = ()

    def needs(self):
        return self.wanted

    def measure(self, data):
        return Measured(())


def made(tmp_path, **datasets) -> Contract:
    sets = {
        name: Dataset(name, Source(), tmp_path, ".", tuple(Wants(id=f"w{i}", wanted=w) for i, w in enumerate(wants)))
        for name, wants in datasets.items()
    }
    return Contract("t", 1, "t.yaml", sets)


def test_equal_features_are_computed_once_and_others_apart(tmp_path):
    needs = [(Need(Letters()),), (Need(Letters()), Need(Common())), (Need(Letters(of="y")),)]
    plan = make_plan(made(tmp_path, train=needs))
    kinds = [step.key.split()[0] for step in plan]
    assert (kinds.count("derive"), kinds.count("summarise"), kinds.count("measure")) == (2, 1, 3)
    assert len({step.key for step in plan}) == len(plan)


def test_every_step_comes_after_what_it_waits_for(tmp_path):
    needs = [(Need(Group(of=Letters(), by="key")), Need(Common(), of="eval"), Need("rows", of="eval"))]
    plan = make_plan(made(tmp_path, train=needs, eval=[]))
    done: set[str] = set()
    for step in plan:
        assert set(step.after) <= done, step
        done.add(step.key)
    (measure,) = [step for step in plan if isinstance(step.work, Check)]
    (group,) = [step for step in plan if isinstance(step.work, Group)]
    assert set(measure.after) == {
        "load train",
        "load eval",
        group.key,
        *(k for k in done if k.startswith("summarise eval")),
    }


def test_a_plan_opens_no_file(tmp_path, monkeypatch):
    path = contract(
        tmp_path / "c",
        ["near_duplicates", {"check": "leakage", "against": ["eval"]}],
        eval=({"path": "nowhere"}, ["role_errors"]),
    )
    loaded = load_contract(path)
    monkeypatch.setattr("builtins.open", lambda *_, **__: pytest.fail("a file was opened"))
    monkeypatch.setattr("io.open", lambda *_, **__: pytest.fail("a file was opened"))
    assert make_plan(loaded) == make_plan(loaded)


@pytest.mark.parametrize("need", [Need(Loop()), Need(Group(of=Loop(), by="key"))])
def test_a_feature_that_needs_itself_is_its_authors_error(tmp_path, need):
    with pytest.raises(CheckAuthorError, match="Loop: needs itself"):
        make_plan(made(tmp_path, train=[(need,)]))


def test_a_need_of_a_dataset_that_is_not_there_never_becomes_a_step(tmp_path):
    with pytest.raises(CheckAuthorError, match="'nowhere'"):
        make_plan(made(tmp_path, train=[(Need("rows", of="nowhere"),)]))
