"""Columns as public sets name them: what each becomes, and what is left to the contract."""

import pytest

from datacheck.checks.role_errors import RoleErrors
from datacheck.loading.formats import candidates
from datacheck.loading.formats.chat import read_list
from datacheck.loading.formats.turns import Styles, gold_turn
from datacheck.testing import measure

A, B, C = "What is shown here, and what does it do?", "A kettle that boils water for the tea.", "A cup of cold coffee."


def became(record):
    for form in candidates(frozenset(record), "auto"):
        found = form.read(record, Styles.of({}))
        if found is not None:
            return form.name, [(turn[0], turn[3]) for turn in found.turns]
    return None


@pytest.mark.parametrize(
    ("record", "name", "turns"),
    [
        ({"image_id": "1_2", "caption": B}, "prompt_completion", "response caption"),
        ({"audio": "a.wav", "transcription": B}, "prompt_completion", "response transcription"),
        ({"image": "a.png", "prompt": A, "caption": B}, "prompt_completion", "prompt prompt response caption"),
        ({"article": A, "highlights": B, "id": 1}, "prompt_completion", "prompt article response highlights"),
        ({"INSTRUCTION": A, "RESPONSE": B}, "prompt_completion", "prompt INSTRUCTION response RESPONSE"),
        ({"指令": A, "输入": "", "输出": B}, "prompt_completion", "prompt 指令 response 输出"),
        (
            {"problem": A, "generated_solution": B, "expected_answer": "3"},
            "prompt_completion",
            "prompt problem response generated_solution",
        ),
        ({"conversations": [A, B]}, "messages", "prompt conversations[0] response conversations[1]"),
        ({"id": "0", "data": [A, B, A]}, "messages", "prompt data[0] prompt data[1] prompt data[2]"),
        (
            {"chat_rounds": [{"role": "user", "content": A}, {"role": "assistant", "content": B}]},
            "messages",
            "prompt chat_rounds[0].content response chat_rounds[1].content",
        ),
        (
            {"system": A, "user": B, "chosen": C, "rejected": A},
            "preference",
            "prompt system prompt user chosen chosen rejected rejected",
        ),
        ({"prompt": A, "pos_resp": B, "neg_resp": C}, "preference", "prompt prompt chosen pos_resp rejected neg_resp"),
        (
            {"question": A, "response_j": B, "response_k": C},
            "preference",
            "prompt question chosen response_j rejected response_k",
        ),
        (
            {"question": A, "options": [B, C], "ground_truth": "B", "predicted": "A", "correct": False},
            "multiple_choice",
            "prompt question option options[0] option options[1] answer ground_truth",
        ),
        (
            {"conversations": [{"from": "human", "value": A}, {"from": "assistant", "ground_truth": {"value": "3"}}]},
            "rlvr",
            "prompt conversations[0].value answer conversations[1].ground_truth.value",
        ),
        ({"query": A, "expected_answer": B, "provider": "x"}, "qa", "prompt query answer expected_answer"),
        ({"turns": [{"user": A, "bot": B}]}, "messages", "prompt turns[0].user response turns[0].bot"),
        ({"Problem": A, "Answer": "3"}, "qa", "prompt Problem answer Answer"),
        ({"iIndex": 1, "sQuestion": A, "lSolutions": [3.0]}, "qa", "prompt sQuestion answer lSolutions"),
        ({"id": "1", "original_text": A, "equation": "x=3", "ans": "3"}, "qa", "prompt original_text answer ans"),
        ({"question": A, "answer": {"value": "3", "aliases": ["three"]}}, "qa", "prompt question answer answer.value"),
        ({"question": A, "answers": {"text": ["3"], "start": [1]}}, "qa", "prompt question answer answers.text"),
        (
            {
                "problem": A,
                "answer_option_list": [[{"aoVal": "A", "content": B}], [{"aoVal": "B", "content": C}]],
                "answer_value": "A",
            },
            "multiple_choice",
            "prompt problem option answer_option_list[0][0].content option answer_option_list[1][0].content answer answer_value",
        ),
        (
            {"Problem": A, "options": "a ) 38 , b ) 27.5 , c ) none of these", "correct": "b"},
            "multiple_choice",
            "prompt Problem option options option options option options answer correct",
        ),
        ({"Problem": A, "options": "see the picture", "Answer": "3"}, "qa", "prompt Problem answer Answer"),
        (
            {"sentence": A, "option1": B, "option2": C, "answer": "1"},
            "multiple_choice",
            "prompt sentence option option1 option option2 answer answer",
        ),
        ({"goal": A, "sol1": B, "sol2": C}, "multiple_choice", "prompt goal option sol1 option sol2"),
        (
            {"input": A, "target_scores": {"yes": 1, "no": 0}},
            "multiple_choice",
            "prompt input option target_scores.yes option target_scores.no answer target_scores",
        ),
        (
            {"input": A, "target_scores": {"3": 1, "three": 1, "4": 0}},
            "multiple_choice",
            "prompt input option target_scores.3 option target_scores.three option target_scores.4 answer target_scores",
        ),
        (
            {
                "message_id": "a",
                "text": A,
                "role": "prompter",
                "replies": [{"text": B, "rank": 1}, {"text": C, "rank": 0}],
            },
            "preference",
            "prompt text chosen replies[1].text rejected replies[0].text",
        ),
        (
            {"history": A, "human_ref_A": B, "human_ref_B": C, "labels": 0},
            "preference",
            "prompt history chosen human_ref_B rejected human_ref_A",
        ),
        (
            {"prompt": A, "response_1": B, "response_2": C, "preference_strength": 2},
            "preference",
            "prompt prompt chosen response_2 rejected response_1",
        ),
        (
            {"instruction": A, "output_1": B, "output_2": C, "preference": 1.98},
            "preference",
            "prompt instruction chosen output_2 rejected output_1",
        ),
        ({"content": A, "answer": "18", "steps": B}, "qa", "prompt content answer answer"),
        (
            {"context": A, "response1": B, "response2": C, "overall_preference": -1},
            "preference",
            "prompt context chosen response1 rejected response2",
        ),
        (
            {"goal": A, "sol1": B, "sol2": C, "label": 0},
            "multiple_choice",
            "prompt goal option sol1 option sol2 answer label",
        ),
        (
            {"ctx": A, "endings": [B, C], "label": "1"},
            "multiple_choice",
            "prompt ctx option endings[0] option endings[1] answer label",
        ),
        ({"title": "a", "url": "b", "content": B}, "text", "text content"),
        ({"prompt": A, "chosen": B}, "prompt_completion", "prompt prompt response chosen"),
        ({"question": A, "golden": "18", "grade": 1}, "qa", "prompt question answer golden"),
        ({"text": f"<s>Human: {A}\n</s><s>Assistant: {B}\n</s>"}, "messages", "prompt text response text"),
        ({"text": f"<s>Human: {A}\n</s> and <s>Assistant: {B}\n</s>"}, "text", "text text"),
    ],
)
def test_what_public_sets_become(record, name, turns):
    words = turns.split()
    assert became(record) == (name, list(zip(words[::2], words[1::2], strict=True)))


def test_a_list_whose_last_message_holds_the_gold():
    name, extract = read_list(
        [{"role": "user", "content": A}, {"role": "assistant", "ground_truth": "3"}], Styles.of({})
    )
    assert (name, [turn[0] for turn in extract.turns]) == ("rlvr", ["prompt", "answer"])
    told = [{"role": "user", "content": A}, {"role": "assistant", "content": B, "ground_truth": "3"}]
    assert read_list(told, Styles.of({}))[0] == "messages"  # it is answered


@pytest.mark.parametrize(
    ("gold", "role"),
    [
        ("She sold 24.\n#### 24", "assistant"), (r"2 + 2 = 4, \boxed{4}", "assistant"), (B, "assistant"),
        ("因为三加四等于七，所以还剩七个。", "assistant"), ("Error: 429 Too Many Requests, rate limit reached.", "assistant"),
        ("18", None), (r"\frac{\sqrt{3}}{2}", None), ("B", None), (r"\boxed{4}", None), ("#### 4", None), ("Paris", None),
        ('[{"name": "find a way to the next town"}]', None), ({"one": B}, None), (18, None), (None, None), ("", None),
        ("4" * 100_000, None), ("a" * 100_000, None),
    ],
)  # fmt: skip
def test_a_gold_that_says_something_is_said_by_the_assistant(gold, role):
    assert gold_turn("answer", gold)[:3] == ("answer", 0, role)


def test_names_that_say_less_give_way():
    """A judged answer beside the response, a page beside a prompt, and the questions of one chat stay what they were."""
    assert became({"question": A, "response": B, "reference_answer": C})[0] == "prompt_completion"
    assert became({"prompt": A, "content": B, "url": "c"}) == ("prompt_only", [("prompt", "prompt")])
    assert became({"turns": [A, B]})[0] == "prompt_only"
    assert became({"caption": B}) is None
    assert became({"image": "a.png", "caption": [B, C]}) is None
    assert became({"data": [1, 2]}) is None


def test_what_a_picture_shows_needs_no_question():
    rows = [{"image": "1.png", "caption": B}, {"image": "2.png", "caption": C}]
    assert measure(RoleErrors(), rows, source={"format": "prompt_completion"}).places == []


def test_options_in_one_text_are_told_apart_by_their_letters():
    record = {"question": A, "options": "A) 3 (or 4) B) 5, C) b) and c) D) none", "answer": "B"}
    form = next(each for each in candidates(frozenset(record), "auto") if each.name == "multiple_choice")
    texts = [turn[5] for turn in form.read(record, Styles.of({})).turns if turn[0] == "option"]
    assert texts == ["3 (or 4)", "5", "b) and c)", "none"]
