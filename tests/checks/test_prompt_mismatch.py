from datacheck.check import Ratio
from datacheck.checks.prompt_mismatch import PromptMismatch
from datacheck.testing import dataset, measure


def talk(*texts):
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


def test_sides_with_different_questions():
    records = [
        {"chosen": talk("天气？", "晴"), "rejected": talk("天气？", "不知道")},
        {"chosen": talk("天气？", "晴"), "rejected": talk("几点？", "三点")},
        {"chosen": talk("天气？", "晴", "明天？", "雨"), "rejected": talk("天气？", "阴", "明天？", "雪")},
        {"chosen": talk("天气？", "晴", "明天？", "雨"), "rejected": talk("天气？", "阴", "后天？", "雪")},
    ]
    result = measure(PromptMismatch(), records)
    assert result.value("rate") == Ratio(2, 4)
    assert result.problems == [(1, "different_prompts"), (3, "different_prompts")]


def test_a_system_prompt_on_one_side_only():
    system = [{"role": "system", "content": "答得短些。"}]
    records = [
        {"chosen": [*system, *talk("天气？", "晴")], "rejected": talk("天气？", "不知道")},
        {"chosen": [*system, *talk("天气？", "晴")], "rejected": [*system, *talk("天气？", "不知道")]},
        {"prompt": "天气？", "chosen": [*system, *talk("天气？", "晴")], "rejected": [*system, *talk("天气？", "阴")]},
    ]
    assert measure(PromptMismatch(), records).problems == [(0, "different_prompts")]


def test_a_prompt_column_that_the_conversations_do_not_begin_with():
    records = [
        {"prompt": "天气？", "chosen": talk("天气？", "晴"), "rejected": talk("天气？", "阴")},
        {"prompt": "天气怎么", "chosen": talk("天气？", "晴"), "rejected": talk("天气？", "阴")},
        *(
            {"prompt": prompt, **{side: talk("天气？", side, "明天？", side) for side in ("chosen", "rejected")}}
            for prompt in ("天气？", "明天？")
        ),
    ]
    result = measure(PromptMismatch(), records)
    assert result.problems == [(1, "prompt_differs"), (3, "prompt_differs")]


def test_plain_answers_have_nothing_to_compare():
    result = measure(PromptMismatch(), dataset("user: 问 | chosen: 好 | rejected: 坏"))
    assert result.value("rate") == Ratio(0, 1)
    assert "nothing to compare" in result.not_checked[0]
    other = measure(PromptMismatch(), dataset("user: 问 | assistant: 好"))
    assert other.value("rate") == Ratio(0, 1)
    assert other.not_checked == ("no row has both a chosen and a rejected answer",)
    assert measure(PromptMismatch(), []).value("rate") is None
