"""The two READMEs say the same, and nothing in them points to where there is nothing."""

import re
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ENGLISH, CHINESE = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh.md"))


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def first_cells(text):
    return [cell for cell in re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE) if cell.startswith("`")]


def test_both_show_the_same_contract():
    assert blocks(ENGLISH, "yaml") == blocks(CHINESE, "yaml")
    (contract,) = blocks(ENGLISH, "yaml")
    assert set(yaml.safe_load(contract)["datasets"]) == {"train", "eval"}


def test_both_list_the_same_checks_as_the_changelog():
    checks = [cell.strip("`") for cell in first_cells(ENGLISH)]
    assert checks == [cell.strip("`") for cell in first_cells(CHINESE)]
    entry = re.search(r"checks: (.*?)\.\n", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.DOTALL)
    assert checks == re.findall(r"`(\w+)`", entry.group(1))


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_links_lead_somewhere(text):
    links = re.findall(r"\]\(([^)#]+)\)", text)
    here = [link for link in links if not link.startswith("http")]
    assert [link for link in here if not (ROOT / link).exists()] == []
    assert len(here) >= 5


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_short_enough_to_be_read(text):
    assert len(text.splitlines()) <= 250


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_the_size_of_an_installation_is_stated(text):
    """The files of what the lock of a run-time installation names, as they lie here; ourselves are 20 MB."""
    lock = (ROOT / "requirements" / "base.txt").read_text("utf-8")
    names = re.findall(r"^([A-Za-z0-9._-]+)(?:\[.*\])?==", lock, re.MULTILINE)
    files = [Path(str(each.locate())) for name in names for each in distribution(name).files or ()]
    size = sum(file.stat().st_size for file in files if file.is_file())
    assert len(names) > 100
    (stated,) = re.findall(r"datacheck-llm .*?([0-9.]+) GB", text)
    assert abs(size / 1e9 - float(stated)) < 0.06
