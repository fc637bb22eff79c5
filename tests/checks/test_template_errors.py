import pytest
from chat_helpers import CHATML, UNMARKED, make_tokenizer, token_run

from datacheck.check import Ratio, Status
from datacheck.checks.template_errors import TemplateErrors
from datacheck.features.outcomes import RunOf
from datacheck.testing import dataset, finding, measure

GOOD = dataset("user: 你好 | assistant: 多云", "user: 你好 | assistant: 天气 | user: 明天 | assistant: 多云")
SYSTEM = dataset("user: 你好 | assistant: 多云", "system: 简短 | user: 你好 | assistant: 多云")


def check(folder, template=CHATML, **config):
    return TemplateErrors(run=token_run(make_tokenizer(folder, template, **config)))


def seen(folder, template, records=GOOD, **config):
    """(slugs of the template's faults, of its oddities, rows that it fails on)."""
    result = measure(check(folder, template, **config), records)
    lint = [problem for row, problem in result.problems if row is None]
    rows = [row for row, _ in result.problems if row is not None]
    assert result.value("count") + result.value("warnings") == len(lint)
    assert result.value("rate") == Ratio(len(set(rows)), len(records))
    return sorted(lint), result.value("count"), rows


def test_a_good_template_passes(tmp_path):
    found = finding(check(tmp_path), SYSTEM)
    assert found.status is Status.PASS
    assert found.not_checked == ()


# What each of them does to the probe was worked out by hand.
WRONG = {
    "terminator_missing": CHATML.replace(
        "{{ '\\n' }}{%- endfor -%}", "{{ '\\n' if not loop.last }}{%- endfor -%}"
    ).replace(
        "message['content'] + '<|im_end|>' }}{% end",
        "message['content'] + ('' if loop.last else '<|im_end|>') }}{% end",
    ),
    "terminator_only_newlines": CHATML.replace(
        "message['content'] + '<|im_end|>' }}{% end", "message['content'] }}{% end"
    ),
    "generation_prompt_missing": CHATML.replace("{{ '<|im_start|>assistant\\n' }}", ""),
    "not_deterministic": CHATML + "{{ range(99999) | random }}",
    "end_not_trained": CHATML.replace(
        " + '<|im_end|>' }}{% endgeneration %}", " }}{% endgeneration %}{{ '<|im_end|>' }}"
    ),
    "prompt_trained": CHATML.replace("message['role'] == 'assistant'", "true"),
}


@pytest.mark.parametrize("name", WRONG)
def test_faults_of_a_template(tmp_path, name):
    lint, count, rows = seen(tmp_path, WRONG[name])
    assert name in lint
    assert count >= 1
    assert rows == []


def test_one_fault_is_one_fault(tmp_path):
    assert seen(tmp_path, WRONG["generation_prompt_missing"])[:2] == (["generation_prompt_missing"], 1)


@pytest.mark.parametrize(
    ("config", "slug"),
    [
        ({"pad_token": "<|im_end|>"}, "pad_is_eos"),
        ({"pad_token": None}, "pad_missing"),
        ({"eos_token": "<|endoftext|>", "pad_token": "<|im_start|>"}, "eos_not_terminator"),
    ],
)
def test_special_tokens_that_are_odd_warn(tmp_path, config, slug):
    assert seen(tmp_path, CHATML, **config) == ([slug], 0, [])
    assert finding(check(tmp_path, CHATML, **config), GOOD).status is Status.WARN


def test_thoughts_that_are_dropped_matter_where_there_are_some(tmp_path):
    template = CHATML.replace(
        "message['content'] + '<|im_end|>' }}{% end", "message['content'].split('</think>')[-1] + '<|im_end|>' }}{% end"
    )
    assert seen(tmp_path, template) == ([], 0, [])
    thoughts = dataset("user: 你好 | assistant: <think>天气</think>多云")
    assert seen(tmp_path, template, thoughts) == (["thought_dropped"], 0, [])


def test_a_template_that_rewrites_earlier_turns(tmp_path):
    template = CHATML.replace(
        "message['content'] + '<|im_end|>' }}{% end",
        "(message['content'] if loop.last else message['content'] + '!') + '<|im_end|>' }}{% end",
    )
    assert "prefix_not_stable" in seen(tmp_path, template)[0]


def test_the_date_is_told(tmp_path):
    assert seen(tmp_path, "{{ strftime_now('%d') }}" + CHATML)[0] == ["date_in_text"]


def test_a_system_prompt_that_is_dropped_matters_where_there_is_one(tmp_path):
    template = CHATML.replace(
        "{%- for message in messages -%}", "{%- for message in messages if message.role != 'system' -%}"
    )
    assert seen(tmp_path, template) == ([], 0, [])
    assert any("system_dropped" in note for note in measure(check(tmp_path, template), GOOD).not_checked)
    lint, count, rows = seen(tmp_path, template, SYSTEM)
    assert (lint, count, rows) == (["system_dropped"], 1, [1])  # and the row whose words are lost


def test_a_system_prompt_that_is_refused(tmp_path):
    template = (
        "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + CHATML
    )
    result = measure(check(tmp_path, template), SYSTEM)
    assert sorted(problem for _, problem in result.problems) == ["system_refused", "template_refused"]
    assert any("System role not supported" in place["detail"] for place in result.first)


def test_content_in_parts_that_is_dropped(tmp_path):
    rows = [
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "你好"}]},
                {"role": "assistant", "content": "多云"},
            ]
        }
    ]
    template = CHATML.replace(
        "message['content'] + '<|im_end|>' }}{%- endif",
        "(message['content'] if message['content'] is string) + '<|im_end|>' }}{%- endif",
    )
    assert seen(tmp_path, template, rows)[2] == [0]


def test_without_marks_it_is_said(tmp_path):
    result = measure(check(tmp_path, UNMARKED), GOOD)
    assert result.value("warnings") == 0
    assert any("no_generation_marks" in note for note in result.not_checked)


def test_no_template_at_all(tmp_path):
    found = finding(check(tmp_path, None), GOOD)
    assert found.status is Status.FAIL
    assert set(found.evidence.problems) == {"no_template"}


def test_a_template_that_is_none(tmp_path):
    assert finding(check(tmp_path, "{% for"), GOOD).status is Status.FAIL


@pytest.mark.slow
def test_a_bomb_is_an_error(tmp_path, monkeypatch):
    import datacheck.chat.child as module

    few = module.RenderLimits(seconds=1)
    usual = module.Renderer.__init__

    def limited(self, *args, **kwargs):
        usual(self, *args, **{**kwargs, "limits": few})

    monkeypatch.setattr(module.Renderer, "__init__", limited)
    found = finding(
        check(tmp_path, "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"), GOOD
    )
    assert found.status is Status.ERROR
    assert "within the limits" in found.not_checked[0].text


def test_no_tokenizer_is_an_error():
    assert finding(TemplateErrors(), GOOD).status is Status.ERROR


def test_that_only_rows_were_looked_at_is_said(tmp_path):
    """LLaMA-Factory renders by a template of its own, whatever stands beside the tokenizer."""
    run = token_run(make_tokenizer(tmp_path), trainer=RunOf(trainer="llamafactory.sft", settings={"template": "qwen"}))
    assert any("template of its own" in note for note in measure(TemplateErrors(run=run), GOOD).not_checked)
