"""What checks find in simplified Chinese they find in traditional Chinese: as Taiwan and Hong Kong write it."""

import pytest

from datacheck.checks.error_as_answer import ErrorAsAnswer
from datacheck.checks.leaked_reasoning import LeakedReasoning
from datacheck.checks.placeholder_text import PlaceholderText
from datacheck.checks.prompt_echo import PromptEcho
from datacheck.checks.refusals import Refusals
from datacheck.checks.run_on_answers import RunOnAnswers
from datacheck.checks.unverifiable_answers import UnverifiableAnswers
from datacheck.testing import dataset, measure


@pytest.mark.parametrize(
    ("check", "answer", "problem"),
    [
        (Refusals(), "很抱歉，我無法回答這個問題。", "refusal"),
        (Refusals(), "作為一個AI語言模型，我沒有個人喜好，不過可以給出幾點建議。", "self_description"),
        (Refusals(), "作爲由OpenAI訓練的語言助理，可以這樣做。", "model_identity"),
        (ErrorAsAnswer(), "請求過於頻繁，請稍後再試。", "api_error"),
        (LeakedReasoning(), "嗯，用戶問的是澆水。早晨澆透一次即可。", "scratchpad"),
        (PlaceholderText(), "作為 <NAME>，我可以回答問題。", "identity_field"),
        (RunOnAnswers(), "早晨澆透一次即可。\n用戶：那夏天呢？\n助手：早晚各一次。", "user_turn"),
    ],
)
def test_an_answer_in_traditional_chinese(check, answer, problem):
    assert [found for _, found in measure(check, dataset(f"user: 夏天何時澆水？ | assistant: {answer}")).problems] == [
        problem
    ]


def test_a_question_behind_its_label_is_an_echo():
    question = "請問在夏天的時候應該怎樣給陽台上的花澆水才比較好？"
    rows = dataset(f"user: {question} | assistant: 用戶：{question}\n早晨澆透一次即可。")
    assert measure(PromptEcho(), rows).problems != []


def test_a_gold_that_says_that_there_is_none():
    rows = [{"prompt": "1+1=?", "ground_truth": "證明見解析。"}]
    assert [found for _, found in measure(UnverifiableAnswers(grader="exact"), rows).problems] == ["no_answer"]
