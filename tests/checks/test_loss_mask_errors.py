import pytest
from chat_helpers import CHATML, UNMARKED, make_tokenizer, token_run

from datacheck.check import Artifact, Ratio, Status
from datacheck.checks.loss_mask_errors import LossMaskErrors
from datacheck.features.outcomes import RunOf
from datacheck.features.tokens import TokenRun
from datacheck.testing import dataset, finding, measure

GOOD = dataset(
    "user: 你好 | assistant: 多云", "system: 简短 | user: 你好 | assistant: 天气 | user: 明天 | assistant: 多云"
)


def check(folder, template=CHATML, **settings):
    return LossMaskErrors(run=token_run(make_tokenizer(folder, template), **settings))


def problems(folder, template, *records, **settings):
    return measure(check(folder, template, **settings), records or GOOD).problems


def test_good_rows_pass(tmp_path):
    result = measure(check(tmp_path), GOOD)
    assert result.value("rate") == Ratio(0, 2)
    assert result.figures["masks"] == {"mask": ["generation"], "examples": [2]}
    assert result.not_checked == ()


def test_the_question_in_the_marks(tmp_path):
    # {% generation %} around every message, as templates are written by mistake
    template = CHATML.replace("message['role'] == 'assistant'", "true")
    assert problems(tmp_path, template) == [(0, "prompt_trained"), (1, "prompt_trained")]


def test_the_answer_outside_the_marks(tmp_path):
    template = CHATML.replace("message['role'] == 'assistant'", "message['role'] == 'user'")
    assert problems(tmp_path, template, GOOD[0]) == [(0, "prompt_trained"), (0, "assistant_not_trained")]


def test_the_end_token_outside_the_marks(tmp_path):
    template = CHATML.replace(" + '<|im_end|>' }}{% endgeneration %}", " }}{% endgeneration %}{{ '<|im_end|>' }}")
    assert problems(tmp_path, template) == [(0, "end_not_trained"), (1, "end_not_trained")]


def test_no_end_token_at_all(tmp_path):
    template = CHATML.replace(" + '<|im_end|>' }}{% endgeneration %}", " }}{% endgeneration %}")
    assert problems(tmp_path, template) == [(0, "end_missing"), (1, "end_missing")]


def test_a_fully_masked_row(tmp_path):
    template = CHATML.replace("message['role'] == 'assistant'", "message['role'] == 'model'")
    assert problems(tmp_path, template, GOOD[0]) == [(0, "no_trained_token")]


def test_a_mask_that_truncation_takes_away(tmp_path):
    record = dataset("user: " + "番茄" * 50 + " | assistant: 好")[0]
    assert problems(tmp_path, CHATML, record) == []
    assert problems(tmp_path, CHATML, record, max_length=20) == [(0, "trained_lost")]
    assert problems(tmp_path, CHATML, record, max_length=20, truncation="left") == []


def test_without_marks_prefixes_are_used_and_it_is_said(tmp_path):
    result = measure(check(tmp_path, UNMARKED), GOOD)
    assert result.value("rate") == Ratio(0, 2)
    assert result.figures["masks"]["mask"] == ["prefix"]
    assert any("prefix" in note for note in result.not_checked)


def test_without_marks_and_without_stable_prefixes_there_is_no_mask(tmp_path):
    # the first answer changes once another follows, as Qwen3 does with <think>
    template = UNMARKED.replace(
        "message['content'] + '<|im_end|>'", "(message['content'] if loop.last else '…') + '<|im_end|>'"
    )
    assert problems(tmp_path, template) == [(0, "prefix_not_stable"), (1, "prefix_not_stable")]


def test_prompt_and_completion_put_together(tmp_path):
    # the tokenizer joins "weather" + " like" at the space, but splits "wea" + "ther" otherwise than "weather"
    fine = {"prompt": "What is the weather\n", "completion": "cloudy"}
    split = {"prompt": "What is the wea", "completion": "ther like in Beijing today?"}
    assert problems(tmp_path, CHATML, fine, split) == [(1, "prompt_not_prefix")]


def test_rows_that_train_nothing_are_no_fault_but_said(tmp_path):
    result = measure(check(tmp_path), [{"prompt": "你好"}, {"a": 1}])
    assert result.value("rate") == Ratio(0, 2)
    assert result.figures["masks"] == {"mask": ["sampled"], "examples": [1]}
    assert result.not_checked == (
        "2 rows have no answer to train (prompts, no conversation, or lost to the named trainer)",
    )


def test_what_the_template_refuses_is_no_pass(tmp_path):
    template = "{{ raise_exception('roles must alternate') }}"
    found = finding(check(tmp_path, template), GOOD)
    assert found.status is Status.FAIL
    assert found.evidence.problems == {"template_refused": 2}


def test_weights_of_zero_are_not_trained(tmp_path):
    messages = [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "稍等", "weight": 0},
                {"role": "user", "content": "好"}, {"role": "assistant", "content": "晴"}]  # fmt: skip
    result = measure(check(tmp_path), [{"messages": messages}])
    assert result.problems == []
    trained = "".join(
        t
        for t, label in zip(*(result.figures["tokens"][k] for k in ("text", "label")), strict=True)
        if label == "train"
    )
    assert trained == "晴<|im_end|>"


def test_personal_data_is_masked_in_strips_however_tokens_cut_it(tmp_path):
    record = dataset("user: 电话 13800138000 邮箱 zhangsan@example.com | assistant: 好")
    shown = "".join(measure(check(tmp_path), record).figures["tokens"]["text"])
    assert "1380" not in shown
    assert "zhangsan" not in shown
    assert "电话" in shown


@pytest.mark.parametrize("run", [None, TokenRun(), TokenRun(tokenizer=Artifact(named="lost"))])
def test_no_tokenizer_is_an_error_with_a_hint(run):
    found = finding(LossMaskErrors(run=run), GOOD)
    assert found.status is Status.ERROR
    assert "--run tokenizer=DIR" in str(found.not_checked[0])


def test_the_default_of_trl_trains_the_question(tmp_path):
    """assistant_only_loss is False: TRL's messages data is trained from the first token to the last."""
    result = measure(check(tmp_path, trainer=RunOf(trainer="trl.sft")), GOOD)
    assert {problem for _, problem in result.problems} == {"prompt_trained"}
    assert result.value("rate") == Ratio(2, 2)
    only = RunOf(trainer="trl.sft", settings={"assistant_only_loss": True})
    assert measure(check(tmp_path, trainer=only), GOOD).problems == []


@pytest.mark.slow
def test_a_limit_that_is_hit_is_an_error(tmp_path, monkeypatch):
    import datacheck.chat.child as module

    few, usual = module.RenderLimits(seconds=1), module.Renderer.__init__
    monkeypatch.setattr(module.Renderer, "__init__", lambda self, *a, **k: usual(self, *a, **{**k, "limits": few}))
    bomb = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    found = finding(check(tmp_path, bomb), GOOD)
    assert found.status is Status.ERROR
    assert "limits" in str(found.not_checked[0])


def test_a_trainer_that_adds_no_end_token(tmp_path):
    """pplmx/llm trains `output` as it stands (its sft.py:118); LightRFT's SFT dataset ends it (sft_dataset.py:190)."""
    rows = [{"instruction": "你好", "input": "", "output": text} for text in ("多云", "多云<|im_end|>")]
    run = RunOf(trainer="pplmx_llm.sft", settings={"data.tokenizer_type": "hf"})
    assert measure(check(tmp_path, trainer=run), rows).problems == [(0, "end_missing")]
    ended = RunOf(trainer="lightrft.sft", settings={"input_key": "instruction", "output_key": "output"})
    assert measure(check(tmp_path, trainer=ended), rows).problems == []
