"""verl's messages one by one: what is trained where they fit together, and what stops the run where they do not.

Held against MultiTurnSFTDataset of verl 0.9.1 on 42 chat templates and 19 conversations.
"""

import pytest
from chat_helpers import CHATML, make_tokenizer, token_run

from datacheck.checks.loss_mask_errors import LossMaskErrors
from datacheck.features.outcomes import RunOf
from datacheck.testing import measure

DEFAULT = (
    "{%- if messages[0]['role'] != 'system' -%}{{ '<|im_start|>system\\nhelp<|im_end|>\\n' }}{%- endif -%}" + CHATML
)
GROUPED = CHATML.replace(
    "{%- for message in messages -%}",
    "{%- for message in messages -%}{%- if message.role == 'tool' and loop.index0 and messages[loop.index0 - 1].role == 'tool'"
    " -%}{{ message.content }}{%- continue -%}{%- endif -%}",
)
THINKS = CHATML.replace(
    "{{ message['content'] + '<|im_end|>' }}{% endgen",
    "{{ '<think></think>' if loop.last else '' }}{{ message['content'] + '<|im_end|>' }}{% endgen",
)
LISTED = CHATML.replace(
    "{%- for message in messages -%}",
    "{%- for message in messages -%}{%- if message.content is not string -%}{{ '<|im_start|>user\\n<|im_end|>\\n' }}"
    "{%- continue -%}{%- endif -%}",
)
ASKED = (
    "{%- if messages | selectattr('role', 'equalto', 'user') | list | length == 0 -%}"
    "{{ raise_exception('no user') }}{%- endif -%}" + LISTED
)
NEVER = (
    "{%- if messages[0]['role'] == 'user' and not messages[0]['content'] -%}{{ raise_exception('x') }}{%- endif -%}"
    + CHATML
)


def said(role, content):
    return {"role": role, "content": content}


CHAT = [said("user", "你好"), said("assistant", "多云"), said("user", "明天"), said("assistant", "天气")]
TOOLED = [*CHAT[:2], said("tool", "1"), said("tool", "2"), said("assistant", "多云")]


def result(folder, template, *rows, **settings):
    run = RunOf(trainer="verl.sft", settings={"data.max_length": 512, **settings})
    check = LossMaskErrors(run=token_run(make_tokenizer(folder, template), trainer=run))
    return measure(check, [{"messages": row} for row in rows])


@pytest.mark.parametrize("template", [CHATML, DEFAULT, ASKED], ids=["plain", "system", "asked"])
def test_turns_that_fit_together(tmp_path, template):
    found = result(tmp_path, template, CHAT, CHAT[:2], [said("system", "简短"), *CHAT], TOOLED)
    assert found.problems == []
    assert found.figures["masks"] == {"mask": ["turns"], "examples": [4]}
    strip = zip(*(found.figures["tokens"][name] for name in ("text", "label")), strict=True)
    trained = [text for text, label in strip if label.lower().startswith("train")]
    assert trained[:7] == ["多云", "<|im_end|>", "⏎", "天", "气", "<|im_end|>", "⏎"]  # the line ends, too


def test_results_of_tools_that_the_template_puts_together(tmp_path):
    found = result(tmp_path, GROUPED, CHAT, TOOLED)
    assert [(row, problem) for row, problem in found.problems] == [(1, "turns_differ")]
    assert found.places[0][1].startswith("messages[3]")


def test_a_template_that_marks_the_last_answer(tmp_path):
    assert result(tmp_path, THINKS, CHAT, CHAT[:2]).problems == [(0, "turns_differ")]
    ignored = {"data.ignore_input_ids_mismatch": True}
    assert "turns_differ" not in {problem for _, problem in result(tmp_path, THINKS, CHAT, **ignored).problems}


def test_a_template_that_refuses_the_probe(tmp_path):
    assert result(tmp_path, NEVER, CHAT).problems == [(0, "turn_refused")]


def test_what_is_put_together_is_trained_where_it_may_differ(tmp_path):
    """An answer that stands first keeps the system prompt that the template writes before a lone message."""
    run = RunOf(trainer="verl.sft", settings={"data.max_length": 512, "data.ignore_input_ids_mismatch": True})
    check = LossMaskErrors(run=token_run(make_tokenizer(tmp_path, DEFAULT), trainer=run))
    found = measure(check, [{"messages": CHAT[1:2]}])
    strip = zip(*(found.figures["tokens"][name] for name in ("text", "label")), strict=True)
    trained = [text for text, label in strip if label.lower().startswith("train")]
    assert "<|im_end|>" in trained[:8]
    assert len(trained) > len(["多云", "<|im_end|>", "⏎"])
