"""Whether a prompt says what its answer is: "The answer is 18.", "答案：18", "#### 18", "… How many? 18".

A number, a letter or a yes may stand in any question by chance, so that it stands there says nothing. It does where it
is told as the answer, at the end: what a question mark follows was an example, or the question itself.
"""

import re

from datacheck.text.chinese import in_both_scripts
from datacheck.text.graders import number

_MARK = re.compile(
    in_both_scripts(
        r"#{4}|\\f?boxed\s*\{"
        r"|(?:\b(?:answer|solution|ground[ _]truth)(?![0-9a-z_])|答案|正解|正确选项)"
        r"\s*(?:\b(?:is|was|equals)\b|是|为|等于)?\s*[:=]?"
    )
)
_OPENING = " \t\r\n*_`$([{"
_NUMBER = re.compile(r"[-+]?[$€£¥]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:/\d+)?")
_MORE = re.compile(r"\s*(?:[/,|、]|or\b|或|and\b|和)\s*[\w(]|[\"'”’」]")  # "A or B", "yes/no"; a quoted form to keep to
_MEANS = re.compile(r"\s*(?:for|if|when|means|stands)\b|\s*(?:表示|代表)")  # "answer 1 for yes and 0 for no"
# Behind the last sentence; "d. 125" is an option to choose.
_ALONE = re.compile(r"(?:[?!。\n]|(?<!\b[a-h])\.)\W*?([-+]?[$€£¥]?\d[\d,]*(?:\.\d+)?)\W*$")
_NUMBERS = re.compile(r"(?<![0-9a-z.,])[-+]?[$€£¥]?\d[\d,]*(?:\.\d+)?")
_NEAR = 60  # characters behind a mark in which the answer begins


def states(prompt: str, gold: str) -> bool:
    """Whether a prompt tells that a gold is its answer; both normalised (NFKC, lower case)."""
    value = number(gold)
    for mark in _MARK.finditer(prompt, prompt.rfind("?") + 1):
        told = prompt[mark.end() : mark.end() + _NEAR + len(gold)].lstrip(_OPENING)
        if _begins(told, gold, value) and not _lists(gold, prompt[mark.end() :].lstrip(_OPENING)[len(gold) :]):
            return True
    alone = _ALONE.search(prompt)
    return bool(alone and value is not None and number(alone[1]) == value)


def holds(prompt: str, gold: str) -> str | None:
    """Where a number stands in a prompt: "last" of its numbers, "held" elsewhere; None: nowhere, or it is no number.

    By chance the gold of GSM8K is held by 6 prompts in 100, and the last number of 2.
    """
    value = number(gold)
    if value is None:
        return None
    found = [number(each.rstrip(",")) for each in _NUMBERS.findall(prompt)]
    return "last" if found and found[-1] == value else "held" if value in found else None


def _begins(told: str, gold: str, value: str | None) -> bool:
    """Whether what follows a mark is the gold: the same number, or the same word and no other to choose from."""
    if value is not None:
        given = _NUMBER.match(told)
        if given is not None:
            return number(given[0].rstrip(",")) == value and not _MEANS.match(told, given.end())
    rest = told[len(gold) :]
    return told.startswith(gold) and not re.match(r"\w", rest) and not _MORE.match(rest)


def _lists(gold: str, rest: str) -> bool:
    """Whether a letter is the label of the first option of several: "Choose the answer: A) 22 B) 88"."""
    mark = re.match(r"\s*[).:、]", rest)
    if len(gold) != 1 or mark is None:
        return False
    following = rf"(?<![0-9a-z]){re.escape(chr(ord(gold) + 1))}{re.escape(mark[0])}"
    return re.search(following, rest) is not None
