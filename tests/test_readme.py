"""The two READMEs say the same, and nothing in them points to where there is nothing."""

import re
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
