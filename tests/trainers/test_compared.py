"""For which versions a twin stands, and that only those are said to be compared that were."""

import json
import tomllib
from pathlib import Path

import pytest

from datacheck.engine.measure import _safe_words
from datacheck.trainers import trainer, trainer_names
from datacheck.trainers.compared import compared_with, differing, version_note

ROOT = Path(__file__).parents[2]


def test_compared_is_what_was_recorded_without_a_difference():
    recorded = json.loads((ROOT / "docs/benchmarks/installed_trainers.json").read_text())
    held = {}
    for release, found in recorded.items():
        family, version = release.split(" ")
        for mode, counts in found["modes"].items():
            if counts.get("different", 0) == 0:
                held.setdefault(family, {}).setdefault(mode.partition(".")[2], []).append(version)
    said = tomllib.loads((ROOT / "datacheck/trainers/compared.toml").read_text())
    assert said == held


def test_what_a_release_does_otherwise_is_said_where_a_difference_was_recorded():
    recorded = json.loads((ROOT / "docs/benchmarks/installed_trainers.json").read_text())
    wrong = {
        (*release.split(" "), mode.partition(".")[2])
        for release, found in recorded.items()
        for mode, counts in found["modes"].items()
        if counts.get("different")
    }
    said = {
        (family, version, mode)
        for family, releases in differing().items()
        for version, found in releases.items()
        for each in found
        for mode in each.modes
    }
    assert wrong <= said
    asked = {*recorded, *json.loads((ROOT / "docs/benchmarks/installed_templates.json").read_text())}
    assert {f"{family} {version}" for family, version, _ in said} <= asked


def test_every_mode_with_a_probe_was_compared():
    assert all(compared_with(name) for name in trainer_names() if trainer(name).probe)


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("trl.sft", "1.16", "trl.sft 1.16: compared with it"),
        ("trl.sft", "1.16.0", "trl.sft 1.16.0: compared with it"),
        ("trl.sft", "1.1", "trl.sft: not compared with 1.1; compared with "),
        (
            "trl.sft",
            "0.29",
            "trl.sft 0.29: compared with it; it does otherwise than said here, which is for 1.15.0, 1.16.0: a",
        ),
        (
            "trl.dpo",
            "1.10.0",
            "trl.dpo 1.10.0: compared with it; it does otherwise than said here, which is for 1.15.0, 1.16.0: an",
        ),
        (
            "llamafactory.kto",
            "0.9.4",
            "llamafactory.kto 0.9.4: compared with it; it does otherwise than said here, which is f",
        ),
        ("llamafactory.kto", "0.9", "llamafactory.kto 0.9: compared with it"),
        ("verl.rl", "0.9.0", "verl.rl 0.9.0: compared with it"),
        ("trl.kto", "1.10.0", "trl.kto: not compared with 1.10.0; compared with "),
        ("trl.sft", "1.20", "trl.sft: not compared with 1.20; compared with "),
        ("trl.sft", None, "trl.sft: compared with "),
        ("fireworks.sft", None, "fireworks.sft: from the documents of the service, which was not asked"),
        ("vertex.sft", "1", "vertex.sft: from the documents of the service, which was not asked"),
        ("openai.sft", None, "openai.sft: read from openai/openai-openapi at f85dbe223d, not run"),
        ("bedrock.nova", None, "bedrock.nova: compared with commit 1e88f2450a, no release"),
        ("together.sft", None, "together.sft: compared with 2.14.0"),
        ("lightrft.sft", "1.0", "lightrft.sft: not compared with 1.0; compared with commit 49e62cb6e1, no release"),
    ],
)
def test_a_version_that_was_not_compared_is_said_so(name, version, said):
    assert version_note(trainer(name), version).said().startswith(said)


def test_a_release_that_is_a_date_is_not_hidden_as_a_number():
    """2026.10.9 has as many digits as what reports mask."""
    note = _safe_words(version_note(trainer("unsloth.sft"), "2026.10.9"), 200)
    assert note.said() == "unsloth.sft 2026.10.9: compared with it"
