"""Identifiers of countries, made from the table beside this file: one line there is one entity here."""

import re
import tomllib
from collections.abc import Iterator
from importlib import import_module, resources
from random import Random
from typing import Any

from datacheck.pii.examples import example
from datacheck.pii.lookalikes import is_a_files_date, is_in_a_pictures_name, is_machines, speaks_of_china
from datacheck.pii.matching.expressions import (
    GATE_DIGITS,
    GATE_FIVE_DIGITS,
    GLUED_LEFT,
    IS_MINE,
    LEFT,
    LINKER,
    RIGHT,
    anywhere,
    worded,
)
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, digits_of, in_sequence

_TABLE = tomllib.loads(resources.files(__package__).joinpath("national.toml").read_text("utf-8"))
_PARTS = re.compile("[ '’_-]")


def _parts(words: list[str]) -> list[str]:
    """The longest part of each: it stands in student id, student_id and s t u d e n t i d."""
    return sorted({max(_PARTS.split(word), key=len) for word in words})


_AHEAD = re.compile(r"\(\?![^()]*\)")
_CALL = re.compile(r"(?i:\bcall(?:ing)?:? )\Z")
_WORD = re.compile("[A-Za-z]{2,}")
_TAIWANS = re.compile(r"(?i:taiwan|taipei|kaohsiung|taichung|\b886)")
_SENTENCE = 3  # words before a number
_NUMBER = r"(?i:[ _\-]{0,2}(?:number|num|no\.?|nr\.?|#))?\.?"  # passport number: A4…
_AT_ONCE = r"(?<=[A-Za-z])(?=[A-Z]{0,3}[0-9])"  # the label in Latin letters touches the value: student ID2016…


class National(Recognizer):
    """A form and, where there are any, check digits; beside a word, unless the form is unmistakable.

    A wrong check digit beside a word is a suspect, 12345678 a specimen.
    """

    def __init__(self, entity: str, number: int, entry: dict[str, Any]) -> None:
        level = entry.get("level", "block")
        form, words = f"(?i:{entry['form']})", entry["words"]
        self.entity = entity
        self.region = entry.get("region", "")
        self.priority = 110 + number / 1000  # before cards and telephones: their words say what they are
        self.policy = Policy(level, hard=level == "block")
        self.label = f"{words[0]} "
        # Rust's engine does not look ahead
        self.prefilter = form + (f"|{_AHEAD.sub('', entry['narrow']['form'])}" if "narrow" in entry else "")
        by_words = f"(?i:{'|'.join(_parts(words))})"
        gates = {True: GATE_DIGITS, "five": GATE_FIVE_DIGITS, "words": by_words, False: ""}
        self.gate = gates[entry.get("gate", True)]
        narrow = entry.get("narrow", {}).get("words", [])
        self.needs = "" if "alone" in entry else anywhere(*_parts([*words, *narrow]))
        self._form, self._check, self._prefix = entry["form"], entry.get("check"), entry.get("prefix", "")
        latin = [word for word in words if word[0].isascii()]
        named = "|".join([*(word for word in words if not word[0].isascii()), *([worded(*latin)] if latin else [])])
        if "not_behind" in entry:
            named = f"(?<![{entry['not_behind']}])(?:{named})"
        rule = entity.lower()
        right = r"(?![0-9])" if self._check == "phone" else RIGHT  # a letter may touch a telephone number
        code = f"(?:{entry['code']})?" if "code" in entry else ""  # of the country, without a sign behind it
        if entry.get("beside"):
            before = rf"(?:{named}){_NUMBER}(?:{LINKER}{GLUED_LEFT}|{_AT_ONCE})"
            self.patterns = {rule: rf"{before}{code}(?P<value>{form}){right}"}
            if "behind" in entry:
                self.patterns[f"{rule}.behind"] = rf"{LEFT}(?P<value>(?i:{entry['behind']})){IS_MINE}(?:{named})(?!段)"
        else:
            self.positive = named
            alone = {f"{rule}.alone": rf"{LEFT}(?i:{entry['alone']}){RIGHT}"} if "alone" in entry else {}
            self.patterns = {**alone, rule: rf"{LEFT}{form}{RIGHT}"}
        if "narrow" in entry:  # words of any telephone, right beside a form that only this country has
            close = f"(?:{'|'.join(entry['narrow']['words'])})[号號]?[码碼]?{LINKER}{GLUED_LEFT}"
            narrow_rule = rf"{close}(?P<value>{entry['narrow']['form']}){right}(?![ \-]?[0-9])"
            self.patterns = {f"{rule}.narrow": narrow_rule, **self.patterns}
        self._sure = 0.6 if entry.get("beside") else 0.3
        if re.search("[A-Z]", entry["form"]) or entry.get("gate") is False:  # five digits in a row are hidden anyway
            unlabelled = (rf"{LEFT}{entry['alone']}{RIGHT}",) if "alone" in entry else ()
            self.extents = (rf"(?:{named})[^\n]{{0,24}}?{LEFT}(?P<value>{form}){RIGHT}", *unlabelled)

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the check digits."""
        alone = rule.endswith((".alone", ".narrow"))
        if not self._is_valid(value):
            return None if alone else Judgement(self._sure - 0.1, "suspect")
        return Judgement(0.6 if alone else self._sure, "specimen" if in_sequence(digits_of(value)) else "valid")

    def _is_valid(self, value: str) -> bool:
        if len(set(self.canonical(value))) == 1:
            return False
        if self._check is None:
            return True
        if self._check == "phone":
            import phonenumbers  # only a candidate pays for its tables

            return bool(
                phonenumbers.is_valid_number(phonenumbers.parse(value, "GB" if self.region == "UK" else self.region))
            )
        is_valid = import_module(f"stdnum.{self._check}").is_valid
        # as written first: in Finland's the separator is the century
        return any(is_valid(self._prefix + form) for form in (value, self.canonical(value)))

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What a machine wrote is none; nor is "Please call 0906346330" in English, where nothing speaks of Taiwan."""
        if is_machines(text, start, end):
            return True
        if self.entity == "PASSPORT":
            return is_a_files_date(text, start, end)
        if self.entity == "HK_PHONE":
            return is_in_a_pictures_name(text, start, end)
        said = text[max(0, start - 48) : start]
        return (
            self.entity == "TW_PHONE"
            and _CALL.search(said) is not None
            and len(_WORD.findall(said)) >= _SENTENCE
            and not _TAIWANS.search(text[max(0, start - 500) : end + 500])
            and not speaks_of_china(text, start, end)
        )

    def canary(self, rng: Random) -> str:
        """Return the first word and a random value of the form with right check digits."""
        while not self._is_valid(value := example(self._form, rng)):
            pass
        return f"{self.label}{value}"


def _made() -> Iterator[Recognizer]:
    for number, (entity, entry) in enumerate(_TABLE.items(), start=1):
        yield National(entity, number, entry)


MADE = tuple(_made())
