"""What a written copy may still hold that no recognizer saw: the forms alone, without edges, labels and context.

It is stricter than the gate and wrong more often, so it reads only the rows in which something was replaced, and leaves
out what the gate sees there and lets pass (a specimen, a hotline).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from datacheck.pii.analyzer import find
from datacheck.pii.leaves import inner_texts
from datacheck.pii.normalise import fold
from datacheck.pii.recognizers.cn_bank_card import luhn
from datacheck.pii.recognizers.cn_resident_id import check_digit

_BREAKS = re.compile(r"(?<=[0-9])[ \t]*[\r\n]+[ \t>*\-]*(?=[0-9])")
_FORMS = {
    "CN_MOBILE": re.compile(r"(?<![0-9])1[3-9][0-9]{9}(?![0-9])"),
    "CN_RESIDENT_ID": re.compile(r"(?<![0-9])[1-9][0-9]{5}(?:19|20)[0-9]{9}[0-9Xx](?![0-9])"),
    "CN_BANK_CARD": re.compile(r"(?<![0-9])62[0-9]{14,17}(?![0-9])"),
    "EMAIL_ADDRESS": re.compile(r"[A-Za-z0-9._%+\-]+[ ]?@[ ]?[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}"),
    "PHONE_NUMBER": re.compile(r"(?<![0-9])\(?[2-9][0-9]{2}\)?[ .\-][2-9][0-9]{2}[ .\-][0-9]{4}(?![0-9])"),
}


def doubtful(
    texts: Sequence[str], entities: tuple[str, ...], is_made: Callable[[str], bool]
) -> Iterator[tuple[int, str]]:
    """Yield the number of a text and the entity of each form in it that the recognizers of `entities` do not see.

    is_made: whether a value came in the place of one.
    """
    inner = [(number, leaf.text) for number, text in enumerate(texts) for leaf in inner_texts(text)]
    likely = [(number, text, found) for number, text in inner if (found := list(_forms(text)))]
    if not likely:
        return
    hits = find(pl.Series([text for _, text, _ in likely]), entities)
    seen: dict[int, list[str]] = {}
    for index, start, end in hits.select("index", "start", "end").iter_rows():
        seen.setdefault(index, []).append(_plain(likely[index][1][start:end]))
    for at, (number, _, found) in enumerate(likely):
        yield from (
            (number, entity) for entity, value in found if not (is_made(value) or _is_seen(value, seen.get(at, ())))
        )


def _forms(text: str) -> Iterator[tuple[str, str]]:
    folded = _BREAKS.sub("", fold(text).text)
    for entity, form in _FORMS.items():
        for match in form.finditer(folded):
            value = _plain(match[0])
            if entity == "CN_BANK_CARD" and not luhn(value):
                continue
            if entity == "CN_RESIDENT_ID" and check_digit(value[:17]) != value[-1].upper():
                continue
            yield entity, value


def _plain(value: str) -> str:
    return re.sub(r"[^0-9A-Za-z@]", "", fold(value).text).lower()


def _is_seen(value: str, seen: Iterable[str]) -> bool:
    return any(value in each or each in value for each in seen if each)
