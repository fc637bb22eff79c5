"""A question and its answer in one text, as templates of pre-training and of `dataset_text_field` write them."""

from typing import Literal

import polars as pl

from datacheck.text.chinese import all_in_both_scripts

_MARKED = r"(?:(?:\A|\n)[ \t]*(?:\*\*)?|#{2,4} ?)(?i:%s)(?:\*\*)? ?[:：](?:\*\*)?"  # where a line begins, or behind ###
_LABELS = (
    ("Q|Question", "A|Answer"),
    ("Human|User|Instruction|Prompt|Input", "Assistant|AI|Bot|GPT|Response|Output|Answer"),
    ("Problem", "Solution|Answer"),
    ("问题?|提问", "答案?|回答"),
    ("用户|人类|指令|输入", "助手|助理|机器人|回答|回复|输出|答案"),
)
_HEADER = r"<\|(?:start_header_id|header_start)\|>%s<\|[a-z_]+\|>"
_TOKENS = (
    (r"\[INST\]", r"\[/INST\]"),
    (r"<\|im_start\|>user\n", r"<\|im_start\|>assistant\n"),
    (_HEADER % "user", _HEADER % "assistant"),
    (r"<start_of_turn>user\n", r"<start_of_turn>model\n"),
    (r"<\|user\|>", r"<\|assistant\|>"),
)
_ENDED = r"(?:</s>|<\|[a-z_]+\|>|<end_of_turn>|\s)*"
_MARKS = (*_TOKENS, *((_MARKED % asked, _MARKED % told) for asked, told in _LABELS))
# Both sides from the first marks on: later turns are part of what is answered.
_FOUND = all_in_both_scripts(rf"(?s){asked}(.*?){_ENDED}{told}(.*?){_ENDED}\z" for asked, told in _MARKS)


def side_of_text(side: Literal["question", "answer"]) -> pl.Expr:
    """What a text asks (answers), from its first marks on; null where it has no marks of both."""
    group = 1 if side == "question" else 2
    return pl.coalesce(pl.col("text").str.extract(pattern, group) for pattern in _FOUND)
