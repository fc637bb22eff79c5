"""Every problem that a check can name has an example beside the check (datacheck/checks/plants/), and is found there.

Then each detector is broken in turn, without naming one: what it derives is lost, and its plants are no longer found;
a check that tests itself says that it cannot see.
"""

from dataclasses import replace

import polars as pl
import pytest
import yaml
from breaking import broken, function_at, recompiled

from datacheck.check import Check, Feature, Group, Status, Summary
from datacheck.contract.discover import check_class, check_names
from datacheck.engine import measure as measuring
from datacheck.testing import finding, jsonl, plants

NAMES = check_names()
PLANTS = [(name, plant) for name in NAMES for plant in plants(check_class(name))]
# `make test` plants one problem of each check and every third of the others.
_ALWAYS = {name: at for at, (name, _) in reversed([*enumerate(PLANTS)])}
PLANTED = [
    pytest.param(
        plant, id=f"{name}-{plant.problem}", marks=() if at % 3 == 0 or at == _ALWAYS[name] else pytest.mark.slow
    )
    for at, (name, plant) in enumerate(PLANTS)
]
WITH_PLANTS = sorted({name for name, _ in PLANTS})
# Checks without a place to plant at: they measure a whole dataset, and name no row.
OF_THE_WHOLE = {
    "choice_balance", "knowledge_dump", "length_bias", "low_diversity", "missing_embeddings", "mixture_drift",
    "synthetic_share", "too_few_rows",
}  # fmt: skip
# What only a function of the operator's shows: tests/checks/test_reward_errors.py.
OF_THE_OPERATOR = {"reward_errors"}
# Problems that tests/checks/ sees and that have no plant: they need a tokenizer, a template, the run's config or hundreds
# of rows. The list may only shrink.
WITHOUT = {
    "batch_arithmetic": {"no_batches", "no_rollouts", "rule_of_the_docs"},
    "loss_mask_errors": {
        "assistant_not_trained", "end_missing", "end_not_trained", "no_trained_token", "prefix_not_stable",
        "prompt_not_prefix", "prompt_trained", "template_refused", "trained_lost",
    },
    "near_duplicates": {"boilerplate"},
    "overlong_samples": {"overlong_tokens"},
    "template_errors": {
        "content_dropped", "date_in_text", "end_not_trained", "eos_not_terminator", "generation_prompt_missing",
        "no_template", "not_deterministic", "pad_is_eos", "pad_missing", "prefix_not_stable", "prompt_trained",
        "system_dropped", "system_refused", "template_refused", "terminator_missing", "terminator_only_newlines",
        "thought_dropped",
    },
    "tool_call_errors": {"calls_not_rendered"},
    "trainer_drops": {"kto_in_other_stage", "missing_column", "pair_not_objects"},
    "truncated_samples": {"answer_cut", "answer_lost", "piled", "prompt_cut"},
    "unknown_config_keys": {"dead_key"},
}  # fmt: skip


def test_every_check_that_names_places_has_plants():
    assert set(NAMES) == {*WITH_PLANTS, *WITHOUT, *OF_THE_WHOLE, *OF_THE_OPERATOR}
    assert sum(map(len, WITHOUT.values())) <= 40
    assert {(name, plant.problem) for name, plant in PLANTS if plant.problem in WITHOUT.get(name, ())} == set()
    assert len(PLANTS) >= 200


def test_no_problem_is_planted_twice():
    assert len({(name, plant.problem) for name, plant in PLANTS}) == len(PLANTS)


@pytest.mark.parametrize("plant", PLANTED)
def test_what_is_planted_is_found_at_its_place(plant):
    found = plant.found()
    assert {(line, where) for line, where, problem in found if problem == plant.problem} == plant.places
    assert [place for place in found if place[0] < 0] == []  # nothing in the rows that are good


def derived(check: Check) -> set[type]:
    """The features and summaries that a check looks at, through its needs and theirs."""
    found, waiting = set(), list(check.needs())
    while waiting:
        table = waiting.pop().table
        table = table.of if isinstance(table, Group) else table
        if isinstance(table, Feature | Summary) and type(table) not in found:
            found.add(type(table))
            waiting += table.needs()
    return found


def at_its_place(plant) -> bool:
    named = plant.found()
    places = {(line, where) for line, where, problem in named if problem == plant.problem}
    return places == plant.places and all(line >= 0 for line, _, _ in named)


@pytest.mark.parametrize(
    "name", [name for name in WITH_PLANTS if any(derived(p.check) for n, p in PLANTS if n == name)]
)
def test_a_check_whose_features_are_empty_finds_none_of_its_plants(name, monkeypatch):
    """The plants hang on what is derived, so they notice when it is lost."""
    of_features = [plant for n, plant in PLANTS if n == name and derived(plant.check) and not exact(plant.check)][:3]
    for kind in {kind for plant in of_features for kind in derived(plant.check)}:
        monkeypatch.setattr(kind, "compute", lambda self, part, whole=kind.compute: whole(self, part).clear())
    assert [plant.problem for plant in of_features if still_found(plant)] == []


def exact(check: Check) -> bool:
    """Compared completely, from the texts themselves."""
    return getattr(check, "exact", False)


def still_found(plant) -> bool:
    try:
        return at_its_place(plant)
    except (pl.exceptions.PolarsError, ValueError, IndexError):
        return False  # an exception is an error of the finding


@pytest.mark.parametrize("name", WITH_PLANTS)
def test_a_check_that_names_no_place_finds_none_of_its_plants(name, monkeypatch):
    first = next(plant for n, plant in PLANTS if n == name)
    whole = type(first.check).measure
    monkeypatch.setattr(type(first.check), "measure", lambda self, data: replace(whole(self, data), evidence=None))
    assert not at_its_place(first)


# What both the check and its test of itself search by, and how to make it find nothing.
BLINDED = {
    "leakage": ("datacheck.features.leaks.Search.scan", "for (_, items), found in every])", "for (_, items), found in every]).clear()"),
    "near_duplicates": (
        "datacheck.text.sketches.sketch",
        "Signatures(keys,",
        "Signatures(np.random.default_rng().integers(0, 1 << 60, (len(texts), scheme[1]), np.uint64),",
    ),
    "pii": ("datacheck.pii.prefilter.candidates", "pl.DataFrame(out)", "pl.DataFrame(out).select(pl.all() & False)"),
    "similar_texts": ("datacheck.text.tfidf.cosines", "asarray(common /", "asarray(0 * common /"),
}  # fmt: skip


def test_every_check_that_tests_itself_is_blinded_here():
    assert {n for n in NAMES if any(metric.self_test for metric in check_class(n).metrics.values())} == set(BLINDED)


@pytest.mark.parametrize("name", sorted(BLINDED))
def test_a_blind_detector_is_an_error(name, monkeypatch):
    monkeypatch.setattr(measuring, "unseen", lambda *_: ())  # the canaries would say so, too
    plant = next(plant for n, plant in PLANTS if n == name and not exact(plant.check))
    records = jsonl(plant.good) + plant.lines
    path, old, new = BLINDED[name]
    function = function_at(path)
    assert at_its_place(plant)
    assert finding(plant.check, records, source=plant.source, others=plant.others).status is not Status.ERROR
    with broken(function, recompiled(function, old, new)):
        assert not at_its_place(plant)
        assert finding(plant.check, records, source=plant.source, others=plant.others).status is Status.ERROR


@pytest.mark.slow
def test_the_command_finds_what_is_planted(tmp_path, command, here):
    """One contract with a dataset for a plant of every check, through the front door."""
    first = {name: plant for name, plant in reversed(PLANTS) if not plant.others}
    datasets = {}
    for name, plant in first.items():
        (tmp_path / f"{name}.jsonl").write_bytes(jsonl(plant.good) + plant.lines)
        settings = plant.check.model_dump(mode="json", exclude_unset=True)
        source = {"path": f"{name}.jsonl", **plant.source}
        datasets[name] = {"source": source, "checks": [settings]}
    contract = tmp_path / "contract.yaml"
    contract.write_text(yaml.safe_dump({"name": "plants", "datasets": datasets}, allow_unicode=True), encoding="utf-8")
    out = tmp_path / "out"
    code, _, said = command("run", contract, "--out", out, "--quiet")
    assert code in (1, 3), said
    for name, plant in first.items():
        table = pl.read_parquet(out / "evidence" / f"{name}.{plant.check.name}.parquet")
        named = table.filter(problem=plant.problem).select(pl.col("line").fill_null(0), pl.col("where").fill_null(""))
        here_ = {(line - len(plant.good) if line else 0, where) for line, where in named.iter_rows()}
        assert here_ == plant.places, name
