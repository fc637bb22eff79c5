"""The documentation as a site: it builds offline, every page is reached, nothing in it is fetched from elsewhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FETCHED = re.compile(
    r"<(?:script|img|iframe)[^>]*\ssrc=[\"']?(https?:)?//|<link[^>]*\srel=[\"']?stylesheet[^>]*href=[\"']?https?:"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built pages; in strict mode a link that leads nowhere is an error."""
    to = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", to]
    env = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
    }
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return to


@pytest.mark.slow
def test_every_page_is_there_and_fetches_nothing(site):
    pages = {str(page.relative_to(site)): page.read_text("utf-8") for page in site.rglob("*.html")}
    sources = {str(p.relative_to(ROOT / "docs").with_suffix("")) for p in (ROOT / "docs").rglob("*.md")}
    made = {page.removesuffix(".html") for page in pages}
    assert {name.replace("README", "index") for name in sources} <= made
    assert {"quickstart", "quickstart.zh"} <= made
    assert [name for name, text in pages.items() if FETCHED.search(text)] == []


@pytest.mark.slow
def test_the_quick_start_is_the_readme(site):
    text = (site / "quickstart.html").read_text("utf-8")
    assert "Two minutes" in text
    assert 'href="gate.html"' in text
    assert "](docs/" not in text


def test_all_that_the_reference_of_contracts_says_is_translated(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from contract_reference import sentences, translations

    schema = json.loads((ROOT / "contracts" / "contract.schema.json").read_text("utf-8"))
    assert sentences(schema) == translations().keys()


def test_every_check_stands_among_the_symptoms_or_needs_no_training_to_be_seen():
    from datacheck.contract.discover import check_names

    text = (ROOT / "docs" / "symptoms.md").read_text("utf-8")
    told = set(re.findall(r"\(checks/(\w+)\.md\)", text))
    seen_before = set(
        """too_few_rows unjudged_text untidy_files empty_turns leftover_markup broken_references
        similar_texts""".split()
    )
    assert told <= set(check_names())
    assert set(check_names()) - told == seen_before


@pytest.mark.parametrize("page", ["gate-tutorial", "walk"])
def test_tutorials_show_the_same_commands_and_pictures_in_both_languages(page):
    english, chinese = ((ROOT / "docs" / f"{page}{end}.md").read_text("utf-8") for end in ("", ".zh"))
    for what in (r"```\w+\n(.*?)```", r"\]\((pictures/[^)]*)\)", r"^#+ "):
        found = re.findall(what, english, re.DOTALL | re.MULTILINE)
        assert found == re.findall(what, chinese, re.DOTALL | re.MULTILINE)
    assert re.findall(r"```", english)
