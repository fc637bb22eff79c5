"""The rule passed_over of the comparison with OpenRLHF says which rows it leaves open."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from passed_over import fate_of, writes_nothing

Q, A = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
MUTE = {"role": "assistant", "content": None}
PRINTS = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
JOINS = "{% for m in messages %}{{ '[' + m.role + ']' + m.content }}{% endfor %}"
SKIPS = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}"


@pytest.mark.parametrize(
    ("template", "mode", "row", "fate"),
    [
        (PRINTS, "sft", {"x": [Q, MUTE]}, "kept"),
        (JOINS, "sft", {"x": [Q, MUTE]}, "failed"),
        (JOINS, "sft", {"x": [Q, A]}, "kept"),
        (SKIPS, "sft", {"x": [Q, A]}, "dropped"),
        (PRINTS, "sft", {"x": []}, "failed"),
        (PRINTS, "rl", {"x": 1}, "failed"),
        (PRINTS, "rl", {"x": "q"}, "kept"),
        (PRINTS, "rm", {"chosen": "letters", "rejected": [Q, A]}, "kept"),
        (JOINS, "rm", {"chosen": "letters", "rejected": [Q, A]}, "failed"),
        (PRINTS, "sft", {"x": [[Q], [Q]]}, None),
    ],
)
def test_a_row_becomes_what_the_template_makes_of_it(tmp_path, template, mode, row, fate):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}), encoding="utf-8")
    settings = {"data.input_key": "x", "data.apply_chat_template": True}
    assert fate_of(f"openrlhf.{mode}", settings, row, tmp_path) == fate


def test_an_answer_that_is_nothing_is_told(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": SKIPS}), encoding="utf-8")
    row = {"p": [Q], "chosen": [A], "rejected": [Q]}
    assert writes_nothing("openrlhf.rm", {"data.prompt_key": "p"}, row, tmp_path)
    assert not writes_nothing("openrlhf.rm", {"data.prompt_key": "p"}, {**row, "chosen": [Q]}, tmp_path)
