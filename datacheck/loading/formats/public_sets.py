"""Columns as public sets name them, where no other format claims the row.

- one question and one answer: {article, highlights} (abisee/cnn_dailymail), {document, summary} (EdinburghNLP/xsum),
  {content, summary} (AdGen, LCSTS), {inputs, targets} (FLAN, CohereLabs/aya_dataset), {INSTRUCTION, RESPONSE}
  (wangrui6/Zhihu-KOL), {problem, generated_solution} (nvidia/OpenMathReasoning), {指令, 输出}, {input, content,
  reasoning_content} (Congliu/Chinese-DeepSeek-R1-Distill-data-110k) …
- a picture or a sound and what it shows or says: {image_id, caption} (COCO, XrayGLM), {audio, transcription}; there is
  no prompt, trainers put a fixed one before it (as ms-swift does with its sets of captions)
- conversations as a list of strings that alternate: {conversations: [str]} (GAIR/lima), {data: [str]} (UltraChat,
  Huatuo), {dialog: [str]} (DailyDialog); lists of messages under other names ({chat_rounds: [{role, content}]})
- questions with a gold answer or options: {Problem, Answer} (AIME), {question, correct_answer} (allenai/sciq),
  {goal, sol1, sol2, label} (PIQA), {ctx, endings, label} (HellaSwag), {question, opa … opd, cop} (MedMCQA),
  {context, question, answerA … answerC, label} (Social IQa), {sentence, option1, option2, answer} (WinoGrande),
  {premise, choice1, choice2, label} (COPA)
- options of which each has a number, 1 where it is right: {input, target_scores: {…}} (BIG-bench), {question,
  mc1_targets: {choices, labels}} (TruthfulQA)
- problems of mathematics under names of their own: {sQuestion, lSolutions} (MultiArith, AddSub, SingleEq),
  {original_text, ans} (Math23K, Ape210K, MAWPS as MWPToolkit writes it), {text, ans} (Dolphin1878)
- plain text beside its page or file: {content, url | title | …} (SkyPile, StarCoder), {raw_content} (RedPajama)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from datacheck.loading.formats.answers import read_choices, read_qa, with_passage
from datacheck.loading.formats.asked_and_told import read as read_asked
from datacheck.loading.formats.base import Format, first_of
from datacheck.loading.formats.chat import conversation
from datacheck.loading.formats.instruct import read_text
from datacheck.loading.formats.turns import Extract, Styles, Turn, plain_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASKED_TOLD = (
    ("article", "highlights"), ("document", "summary"), ("dialogue", "summary"), ("content", "summary"),
    ("inputs", "targets"), ("input", "targets"), ("inputs", "outputs"), ("input_text", "output_text"),
    ("inputs_pretokenized", "targets_pretokenized"), ("INSTRUCTION", "RESPONSE"), ("Instruction", "Response"),
    ("Instruction", "Output"), ("Patient", "Doctor"), ("human", "bot"), ("user", "bot"), ("post", "reply"),
    ("q", "a"), ("Q", "A"), ("指令", "输出"),
    ("problem", "generated_solution"), ("prompt", "code"), ("instruction", "code"), ("sql_prompt", "sql"),
    ("prompt", "caption"), ("question", "caption"), ("instruction", "caption"),
)  # fmt: skip
_REASONED = ("content", "reasoning_content")  # as an API gives them
_SHOWN = """
    image images image_id image_path image_url img img_path picture url video videos video_id video_path audio audios
    audio_path audio_filepath
""".split()
_SAID_OF_IT = ("caption", "transcription", "transcript", "latex")
_CHATS = ("conversations", "conversation", "messages", "data", "dialog", "dialogue", "chat_rounds", "chat")
_QUESTIONS = (
    "question", "problem", "query", "prompt", "input", "Question", "Problem", "QUESTION", "sQuestion", "original_text",
)  # fmt: skip
_GOLDS = (
    "correct_answer", "expected_answer", "reference_answer", "best_answer", "gold_answer", "gold", "answers_spans",
    "golden", "multiple_choice_answer", "LONG_ANSWER", "Answer", "Solution", "Correct Answer", "lSolutions", "ans",
)  # fmt: skip
_COLUMNS = (
    ("goal", ("sol1", "sol2"), "label"),
    ("question", ("opa", "opb", "opc", "opd"), "cop"),
    ("question", ("answerA", "answerB", "answerC"), "label"),
    ("question", ("option1", "option2", "option3", "option4"), "answer"),
    ("question", ("option_a", "option_b", "option_c", "option_d"), "answer"),
    ("sentence", ("option1", "option2"), "answer"),
    ("premise", ("choice1", "choice2"), "label"),
)
# Beside one of these, a caption or a content is more than itself.
_ASKS = frozenset({"prompt", "question", "query", "instruction", "input", "inputs", "problem"})
_OF_A_PAGE = ("url", "title", "meta", "path", "repo_name", "max_stars_repo_path", "uniqueKey")


def read_shown(record: dict[str, Any], styles: Styles, told: str) -> Extract | None:
    """Read what a picture or a sound beside it shows or says: the answer, turn 1; what it answers is no text."""
    del styles
    if record[told].__class__ is not str:
        return None
    return Extract([plain_turn("response", 1, "assistant", told, record[told])], frozenset({told}))


def read_alternating(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a list of two strings or more: the user speaks first, and the assistant's last text is the response."""
    del styles
    said = record[key]
    if said.__class__ is not list or len(said) < 2 or not all(text.__class__ is str for text in said):
        return None
    turns: list[Turn] = []
    for n, text in enumerate(said):
        part = "response" if n % 2 and n == len(said) - 1 else "prompt"
        turns.append((part, n, ("user", "assistant")[n % 2], f"{key}[{n}]", "string", text, None))
    return Extract(turns, frozenset({key}))


def read_chat(record: dict[str, Any], styles: Styles, key: str) -> Extract | None:
    """Read a list of messages under another name."""
    style = styles.style_of(record[key])
    said = record[key]
    if style is None or not all(each.__class__ is dict and each.keys() >= {style.role, style.content} for each in said):
        return None
    return conversation(record, key, style)


def read_columns(
    record: dict[str, Any], styles: Styles, question: str, options: Sequence[str], answer: str
) -> Extract | None:
    """Read a question whose options stand in columns of their own; test sets leave out which one is right."""
    del styles
    if any(record[key].__class__ is not str for key in (question, *options)):
        return None
    used = {question, *options}
    turns = [with_passage(record, question, used, 0)]
    turns += [plain_turn("option", n, None, key, record[key]) for n, key in enumerate(options)]
    if record.get(answer) is not None:
        used.add(answer)
        turns.append(plain_turn("answer", 0, None, answer, record[answer]))
    return Extract(turns, frozenset(used))


def read_judged(record: dict[str, Any], styles: Styles, question: str, options: str) -> Extract | None:
    """Read a question whose options have a number each, 1 for the right one: BIG-bench's, and TruthfulQA's MC1."""
    del styles
    told = record[options]
    if record[question].__class__ is not str or told.__class__ is not dict:
        return None
    if told.keys() == {"choices", "labels"}:
        texts, marks = told["choices"], told["labels"]
        paths = [f"{options}.choices[{n}]" for n in range(len(texts))]
    else:
        texts, marks = list(told), list(told.values())
        paths = [f"{options}.{text}" for text in texts]
    if marks.__class__ is not list or len(marks) != len(texts) or any(m.__class__ not in {int, float} for m in marks):
        return None
    right = [n for n, mark in enumerate(marks) if mark == 1]  # several: one answer in several ways (3, three)
    if not 0 < len(right) < len(texts) or any(text.__class__ is not str for text in texts):
        return None
    turns = [plain_turn("prompt", 0, "user", question, record[question])]
    turns += [
        plain_turn("option", n, None, path, text) for n, (path, text) in enumerate(zip(paths, texts, strict=True))
    ]
    turns.append(plain_turn("answer", 0, None, options, texts[right[0]]))
    return Extract(turns, frozenset({question, options}))


FORMATS = (
    *(
        Format(
            "multiple_choice",
            473,
            frozenset({question, options}),
            partial(read_judged, question=question, options=options),
            frozenset({"target"}),  # the text of the answer, which is what is trained
        )
        for question, options in (("input", "target_scores"), ("question", "mc1_targets"))
    ),
    *(
        Format(
            "multiple_choice",
            475,
            frozenset({question, *options}),
            partial(read_columns, question=question, options=options, answer=answer),
        )
        for question, options, answer in _COLUMNS
    ),
    *(
        Format(
            "multiple_choice",
            474,
            frozenset({question, options, gold}),
            partial(read_choices, question=question, options=options, answers=(gold,)),
        )
        for question, options, gold in (("question_stem", "choices", "answerKey"), ("ctx", "endings", "label"))
    ),
    *(Format("messages", 394, frozenset({key}), partial(read_chat, key=key)) for key in _CHATS[3:]),
    *(Format("messages", 393, frozenset({key}), partial(read_alternating, key=key)) for key in _CHATS),
    *(
        Format("prompt_completion", 240, frozenset({asked, told}), partial(read_asked, asked=asked, told=told))
        for asked, told in _ASKED_TOLD
    ),
    *(
        Format(
            "prompt_completion", 240, frozenset({asked, *_REASONED}), partial(read_asked, asked=asked, told="content")
        )
        for asked in _QUESTIONS[:5]
    ),
    *(
        Format("prompt_completion", 235, frozenset({shown, told}), partial(read_shown, told=told), no_told | _ASKS)
        for told, no_told in first_of(_SAID_OF_IT)
        for shown in _SHOWN
    ),
    *(
        Format("qa", 230, frozenset({question, gold}), partial(read_qa, question=question, answer=gold), none | no_gold)
        for question, none in first_of(_QUESTIONS)
        for gold, no_gold in first_of(_GOLDS)
    ),
    Format("qa", 312, frozenset({"text", "ans"}), partial(read_qa, question="text", answer="ans")),
    Format("text", 225, frozenset({"raw_content"}), partial(read_text, key="raw_content"), _ASKS),
    *(Format("text", 225, frozenset({"content", key}), partial(read_text, key="content"), _ASKS) for key in _OF_A_PAGE),
)
