"""QQ numbers, by their label."""

from random import Random

from datacheck.pii.matching.expressions import GAP, IS_MINE, LINKER
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Labelled, compact, random_digits, words

_LABEL = (
    r"(?:(?:[Qq][Qq]|[Qq][ ][Qq]|[扣抠蔻]{2}|企鹅)"
    r"(?:账号|帐号|群号?|大?区|[大小主副]号|[ _\-]{0,2}(?i:number|num|no\.?|id|account))?"
    r"|[加我+＋][ ]?[Qq扣]{1,3}|[Qq]号|[Qq]群|球球号?)"
)
_BARE = r"(?<![A-Za-z0-9])[Qq](?=[ ]?[:：][ ]?"
_BARE += r"(?:[1-9][0-9]{5}|[1-9][0-9]{2,4}[ -][0-9]{5,6}(?![0-9])))"  # Q：12345678, q:948 69570
# Chinese numerals are folded from seven on only; five and six of them count behind the label.
_NUMERALS = "[一二三四五六七八九幺][〇零一二三四五六七八九幺]{4,5}"
_VALUE = rf"(?:[1-9](?:{GAP}[0-9]){{4,10}}|{_NUMERALS}(?![〇零一二三四五六七八九十百千万亿幺]))"
_BEHIND = rf"{IS_MINE}(?:[Qq][Qq]|[扣抠蔻]{{2}}|企鹅|[Qq]号)"  # 148781297是我的QQ
_TO_DIGITS = str.maketrans("〇零一二三四五六七八九幺", "001234567891")


class Qq(Labelled):
    """Five to eleven digits after QQ, 扣扣, 加Q."""

    entity = "QQ"
    priority = 190
    policy = Policy("block", hard=True)
    label = "QQ:"
    prefilter = rf"{_LABEL}#?{LINKER}[Qq]?[1-9](?:{GAP}[0-9]){{4}}"
    prefilters = (
        rf"{_LABEL}{LINKER}[一二三四五六七八九幺][〇零一二三四五六七八九幺]",
        "[Qq][ ]?[:：][ ]?(?:[1-9][0-9]{5}|[1-9][0-9]{2,4}[ -][0-9]{5})",
        f"[0-9]{_BEHIND}",
        r":[0-9]{2} [^\n()]{1,30}[(（][1-9][0-9]{4,10}[)）]",
    )
    # QQ[10018] is a process in a log, /qq_14989227/ a path
    patterns = {
        "qq": rf"(?<![A-Za-z])(?<!/(?=[A-Za-z]))(?:{_LABEL}#?|{_BARE})(?![\[(][0-9]{{1,7}}[\])]){LINKER}(?:(?<![A-Za-z])[Qq])?(?P<value>{_VALUE})(?![0-9@]|[A-Za-z]{{3}}|[A-Za-z]{{1,2}}[0-9A-Za-z@_\-]|\.[A-Za-z]|{GAP}[0-9])",  # noqa: E501
        "qq.behind": (
            rf"(?<![0-9A-Za-z.@_\-])(?P<value>[1-9](?:{GAP}[0-9]){{5,10}}){_BEHIND}(?!群|号?段|空间|音乐|会员|[A-Za-z])"
        ),
    }
    # what QQ writes of a talk: 2024-03-05 12:01:22 昵称(382910475)
    patterns["qq.exported"] = (
        r"(?m:^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2} [0-9]{1,2}:[0-9]{2}:[0-9]{2} [^\n()]{1,30}"
        r"[(（](?P<value>[1-9][0-9]{4,10})[)）][ ]?$)"
    )
    extents = (rf"{_LABEL}{LINKER}(?P<value>{_NUMERALS})",)
    specimens = words("10000 10001 12345 123456 1234567 12345678 123456789 1234567890 88888888 66666666 888888 666666")

    def canonical(self, value: str) -> str:
        """Return the digits."""
        return compact(value.translate(_TO_DIGITS))

    def canary(self, rng: Random) -> str:
        """Return a labelled number of nine digits."""
        return f"{self.label}{rng.choice('2468')}{random_digits(rng, 7)}7"
