"""Whom somebody names as one of his own: my manager Reed Rasmussen, 我的主管…, a toast for …'s retirement.

Such a record is somebody's though no identifier stands in it. A gate does not look there; a redaction does, where what
follows is a name by its own lists (see `row_names`). Of whom nothing is said but the name (a poem for Taylor Swift)
nobody can tell whether he is public.
"""

import re
from collections.abc import Sequence

from datacheck.pii.redact.row_names import row_names

_RELATION = (
    "manager|boss|supervisor|team lead|director|colleague|co-?worker|student|pupil|teacher|tutor|professor"
    "|advis[oe]r|mentor|mentee|intern|employee|direct report|assistant|secretary|neighbou?r|room ?mate|flatmate"
    "|landlord|landlady"
    "|tenant|client|patient|doctor|dentist|therapist|lawyer|accountant|coach|trainer|friend|best friend|wife"
    "|husband|partner"
    "|fianc[ée]e?|girlfriend|boyfriend|ex|son|daughter|child|mother|father|mom|mum|dad|brother|sister|aunt"
    "|uncle|cousin|nephew|niece"
    "|grand(?:mother|father|ma|pa|son|daughter)|classmate|babysitter|nanny"
)
_WRITTEN = (
    "toast|speech|card|note|poem|message|letter|e-?mail|eulogy|obituary|invitation|recommendation|reference|review"
    "|appraisal|evaluation|wishes|greeting"
)
_OCCASION = "retirement|birthday|wedding|promotion|farewell|anniversary|funeral|memorial|graduation|leaving|baby shower"
_CHINESE_RELATION = (
    "主管|领导|经理|老板|上司|导师|班主任|老师|教练|同事|同学|室友|舍友|邻居|房东|租客|学生|学员|员工|下属|徒弟|实习生|客户|病人|朋友|闺蜜|女儿|儿子|孩子"
    "|老公|老婆|妻子|丈夫|爱人|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|哥哥?|姐姐?|弟弟?|妹妹?|男朋友|女朋友|前男友|前女友|前夫|前妻|未婚[夫妻]"
)
_CHINESE_OCCASION = "退休|生日|婚礼|欢送|离职|升职|转正|毕业|追悼|寿宴|满月"
_LEADS = (
    rf"\b(?:[Mm]y|[Oo]ur) (?:[a-z]+ ){{0,2}}(?:{_RELATION}),? (?:named |called )?",
    rf"(?:我(?:们|们?的)?|你的|给|帮)(?:{_CHINESE_RELATION})(?:叫|是|名叫)?[ ]?",
)
_FOR = (rf"\b(?:{_WRITTEN}) (?:for|to|about) (?:(?:my|our) (?:[a-z]+ )?)?", r"写(?:[一]?[个封份篇段张首])?")
_BEHIND = re.compile(rf"['’]s (?:[a-z0-9]+ )?(?:{_OCCASION})|的(?:{_CHINESE_OCCASION})")
_LEAD, _FOR_WHOM = re.compile("|".join(_LEADS)), re.compile("|".join(_FOR))
RELATED = (
    rf"(?:{_LEADS[0]})\p{{Lu}}|(?:{_LEADS[1]})[\p{{Han}}\p{{Lu}}]"
    rf"|['’]s (?:[a-z0-9]+ )?(?:{_OCCASION})|的(?:{_CHINESE_OCCASION})"
)
"""Rust: in a text in which somebody may be named so."""


def related(texts: Sequence[str]) -> list[bool]:
    """Return which texts (folded) name one of the writer's own."""
    some = [number for number, text in enumerate(texts) if _LEAD.search(text) or _BEHIND.search(text)]
    found = [False] * len(texts)
    for at, names in row_names([texts[number] for number in some]).items():
        text = texts[some[at]]
        led = {match.end() for match in _LEAD.finditer(text)}
        for_whom = {match.end() for match in _FOR_WHOM.finditer(text)}
        found[some[at]] = any(
            name.start in led or (name.start in for_whom and _BEHIND.match(text, name.end)) for name in names
        )
    return found
