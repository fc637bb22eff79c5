r"""Answers to give a reward function: a gold in the forms in which rewards look for it, and one that is wrong."""

import re
from collections.abc import Iterable

from datacheck.text.graders import choice, latex, number

GOLD = "{gold}"
# In the order in which they are tried: the barest first. What stands around the gold is what prompts ask models for.
_FORMS = (
    GOLD,
    rf"\boxed{{{GOLD}}}",
    f"<answer>{GOLD}</answer>",
    f"#### {GOLD}",
    f"Answer: {GOLD}",
    f"<think>\nI worked it out.\n</think>\n<answer>{GOLD}</answer>",
    f"<think>\nI worked it out.\n</think>\n\\boxed{{{GOLD}}}",
    f"<think>\nI worked it out.\n</think>\n<answer>\\boxed{{{GOLD}}}</answer>",
    f"<reasoning>\nI worked it out.\n</reasoning>\n<answer>\n{GOLD}\n</answer>\n",
    f"```python\n{GOLD}\n```",
)
_PLAIN = re.compile(r"(?P<sign>-?)(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30})(?P<part>\.[0-9]{1,30})?")
_OPPOSITE = {
    "yes": "no", "true": "false", "correct": "incorrect", "是": "否", "正确": "错误", "对": "错",
    "正確": "錯誤", "對": "錯",
}  # fmt: skip
_OTHERS = {**_OPPOSITE, **{other: one for one, other in _OPPOSITE.items()}}


def forms(named: str | None) -> tuple[str, ...]:
    """The forms to try: the one that is named, or all."""
    return (named,) if named else _FORMS


def in_form(form: str, gold: str) -> str:
    """The answer that a model would write."""
    return form.replace(GOLD, gold)


def wrong_answer(golds: list[str], others: Iterable[str]) -> str | None:
    """An answer that none of a row's golds is: another number, letter or verdict, else the gold of another row."""
    gold = golds[0].strip()
    for candidate in (_next_number(gold), _other_letter(gold), _opposite(gold), *others):
        if candidate and not any(_same(candidate, each) for each in golds):
            return candidate
    return None


def _next_number(gold: str) -> str | None:
    """A number in the same dress, larger by one: "1,080" is "1,081"."""
    match = _PLAIN.fullmatch(gold)
    if match is None:
        return None
    value = int(match["sign"] + match["digits"].replace(",", "")) + (-1 if match["sign"] else 1)
    return f"{value:,}{match['part'] or ''}" if "," in match["digits"] else f"{value}{match['part'] or ''}"


def _other_letter(gold: str) -> str | None:
    """Another letter in the same dress: "(B)" is "(A)"."""
    letters = choice(gold)
    if letters is None or len(letters) != 1:
        return None
    return re.sub("[A-Za-z]", lambda match: _shifted(match[0]), gold, count=1)


def _shifted(letter: str) -> str:
    other = "B" if letter.upper() == "A" else "A"
    return other if letter.isupper() else other.lower()


def _opposite(gold: str) -> str | None:
    other = _OTHERS.get(gold.casefold())
    return other.capitalize() if other and gold[:1].isupper() else other


def _same(one: str, two: str) -> bool:
    """Whether a reward may take one for the other: equal as numbers, formulas or words, or one a part of the other."""
    pairs = ((number(one), number(two)), (latex(one.strip()), latex(two.strip())))
    if any(a is not None and a == b for a, b in pairs):
        return True
    left, right = ("".join(each.casefold().split()) for each in (one, two))
    if number(one) is not None and number(two) is not None:
        return False
    return left in right or right in left
