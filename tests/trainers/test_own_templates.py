"""LLaMA-Factory's own templates: the twin gives what the installed package gave, token by token.

The answers of llamafactory 0.9.5 are recorded as digests (benchmarks/installed_templates.py), over conversations that a
grammar draws; each digest is of fates, token ids and labels of twelve rows.
"""

import datetime as dt
import json
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from chat_helpers import make_tokenizer

from datacheck.contract.artifacts import hashed
from datacheck.features import agreement
from datacheck.features.agreement import expected
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.trainers import trainer
from datacheck.trainers.base import Seen
from datacheck.trainers.llamafactory_templates import known_templates

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "docs/benchmarks/installed_templates.json").read_text("utf-8"))
OWN = RECORD["llamafactory 0.9.5"]
SHARE = {"formatting": "sharegpt", "columns.messages": "m", "tags.role_tag": "role", "tags.content_tag": "content",
         "tags.user_tag": "user", "tags.assistant_tag": "assistant"}  # fmt: skip
Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}


@cache
def benchmark():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import installed_templates
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return installed_templates


@pytest.mark.parametrize("name", sorted(OWN))
def test_tokens_and_labels_are_those_of_the_package(name, monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        benchmark().base_folder(scratch / "base")
        made = benchmark().llamafactory(name, scratch, 12)
        artifact = hashed("tokenizer", "tok", made.folder)
        for case, rows in made.cases:
            told = OWN[name][benchmark().key_of(case)]
            if told.get("named"):  # a row that a rule leaves open (labels_shifted) is in the digest
                assert name == "fewshot"
                continue
            day = dt.datetime.fromisoformat(told.get("day", "2026-01-01"))
            monkeypatch.setattr(agreement, "_now", lambda day=day: day)
            run = TokenRun(tokenizer=artifact, trainer=RunOf(trainer=case.mode, settings=case.settings))
            found = [expected(run, [row], Seen.of([row], typed=run.trainer.mode.typed))[0] for row in rows]
            assert benchmark().digest(found) == told["digest"], case


def test_what_was_recorded_is_every_template_of_texts_without_a_difference():
    counts = [told for ways in OWN.values() for told in ways.values()]
    assert not any(told.get("different") for told in counts)
    mode = trainer("llamafactory.sft")
    media = {
        name for name in known_templates()
        if any(fate.reason == "media_template" for fate in mode.before(mode.configured(None, {"template": name}), Seen()))
    }  # fmt: skip
    assert OWN.keys() == known_templates() - media


def rows(folder, **settings):
    run = TokenRun(
        tokenizer=hashed("tokenizer", "tok", folder),
        trainer=RunOf(trainer="llamafactory.sft", settings={**SHARE, **settings}),
    )
    return expected(run, [{"m": [Q, A, Q, A]}], Seen.of([{"m": [Q, A]}], typed=None))


def test_an_end_that_comes_late_is_the_label_of_the_next_question(tmp_path):
    """efficient_eos of glm4, by hand from supervised.py:66."""
    folder = make_tokenizer(tmp_path, None, added_tokens_decoder={})
    ((fate, (example,), *_),) = rows(folder, template="glm4")
    user, end = (example.ids[at] for at in (_second(example.ids), -1))
    assert (fate, example.ids.count(user)) == ("kept", 2)
    assert example.labels[_second(example.ids)] == end
    assert example.labels[-1] == end


def _second(ids):
    """Where the question begins that follows an answer: the token of the first one stands there again."""
    user = next(token for token in ids if ids.count(token) == 2)
    return len(ids) - 1 - ids[::-1].index(user)


def test_a_template_needs_none_of_the_tokenizer(tmp_path):
    (row,) = rows(make_tokenizer(tmp_path, None), template="chatml")
    assert row.fate == "kept"
    (other,) = rows(make_tokenizer(tmp_path, None), template="chatml", default_system="s")
    assert len(other.examples[0].ids) > len(row.examples[0].ids)
