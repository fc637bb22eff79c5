"""Vehicle plates (GA 36), with those of new energy vehicles, and armed police."""

import re
from random import Random

from datacheck.pii.matching.expressions import GAP, LINKER, RIGHT
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_CHAR, _LETTER = "[0-9A-HJ-NP-Za-hj-np-z]", "[A-HJ-NP-Za-hj-np-z]"
_DOT = r"(?:[ ]?[·•・.\-－— ][ ]?)?"
_SPECIAL = "[0-9A-HJ-NP-Za-hj-np-z学警港澳挂试超领使]"
_FORM = re.compile(
    rf"[{_PROVINCES}][A-HJ-NP-Z](?:[0-9A-HJ-NP-Z]{{5}}|[A-HJ-NP-Z][0-9A-HJ-NP-Z][0-9]{{4}}|[0-9]{{5}}[A-HJ-NP-Z]"
    rf"|[0-9A-HJ-NP-Z]{{4}}[学警港澳挂试超领使])|WJ[{_PROVINCES}]?[0-9]{{4,5}}[0-9A-Z]|[0-9]{{6}}使"
)
# Words that end in the sign of a province, before a name in small letters: 大吉ln1020, 阿里云ecs…
_ENDS_A_WORD = re.compile(r"(?:大吉|[最更全创重]新|[里讯为度翼]云)\Z")
# 20苏州高新SCP003: year, issuer, kind and number
_BOND = re.compile("[0-9]{2}[\u4e00-\u9fff]{2,8}(?:SCP|MTN|PPN|ABN|CP)[0-9]{3}\\Z")
_ONE_BY_ONE = re.compile("[^ ](?: [0-9A-Z]){6,7}")  # 京 A X T 2 7 5
_LABEL = r"(?:(?:车牌|車牌|牌照|号牌|车号)(?:号码?|號碼?)?|(?i:plate)(?i:[ _](?:number|no\.?))?)"
# one by one, over two lines, with any sign between, behind the label
_ANY_SIGN = r"(?:[ ]?[,，、*/~.·\-][ ]?|[ ]|\r?\n)?"
_APART = rf"[{_PROVINCES}]{_ANY_SIGN}[A-HJ-NP-Za-hj-np-z](?:{_ANY_SIGN}[0-9A-HJ-NP-Za-hj-np-z]){{5,6}}"
_NOT_ON = "(?!-[0-9])"  # 伍琼 SSN220-14-1237


class CnPlate(Recognizer):
    """A province, a letter without I and O, five or (new energy) six characters with three digits or more."""

    entity = "CN_PLATE"
    region = "CN"
    priority = 210
    policy = Policy("block", hard=True)
    prefilter = rf"[{_PROVINCES}]{GAP}[A-Za-z]{GAP}{_CHAR}|[Ww][Jj][{_PROVINCES} ]?[ ·]?[0-9]{{4}}|[0-9]{{6}}使"
    prefilter += rf"|[{_PROVINCES}][^0-9A-Za-z\n]{{0,3}}[A-Za-z]"
    prefilter += rf"(?:[^0-9A-Za-z]{{1,3}}{_CHAR}|{_CHAR}{{1,5}}[^0-9A-Za-z]{{1,3}}{_CHAR})"
    patterns = {
        "cn_plate": rf"[{_PROVINCES}][ ]?{_LETTER}{_DOT}{_CHAR}{{4}}{_SPECIAL}[0-9A-Za-z]?{RIGHT}{_NOT_ON}",
        "cn_plate.spaced": rf"[{_PROVINCES}]{GAP}{_LETTER}(?:{GAP}{_CHAR}){{5,6}}{RIGHT}{_NOT_ON}",
        "cn_plate.apart": rf"{_LABEL}{LINKER}(?P<value>{_APART}){RIGHT}{_NOT_ON}",
        "cn_plate.police": rf"(?<![0-9A-Za-z])[Ww][Jj][{_PROVINCES}]?[ ]?[ ·]?[0-9]{{4,5}}[0-9A-Za-z]{RIGHT}",
        "cn_plate.embassy": r"(?<![0-9A-Za-z])[0-9]{6}使(?![用得馆命者人劲节徒])",
    }
    positive = r"车|牌照|号牌|驾驶|违章|违停|肇事|(?i:plate|vehicle)"
    extents = (rf"[{_PROVINCES}][ ]?{_LETTER}{_DOT}{_CHAR}(?:{GAP}{_CHAR}){{3,5}}[学警港澳挂试超领使]?", "[0-9]{6}使")
    specimens = words("京A88888 京A00000 京A66666")

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the form."""
        plate = self.canonical(value)
        digits = sum(char.isdigit() for char in plate)
        if not _FORM.fullmatch(plate) or digits < 2:
            return None
        if plate in self.specimens or plate[2:7] == "12345" or "XX" in plate:  # 吉K06XXX: masked
            return Judgement(1.0, "specimen")
        if digits < 2 + plate[-1].isascii():  # rare, and near to words: 新S60L
            return Judgement(0.2, "valid") if rule == "cn_plate" and value.isupper() else None
        sure = rule == "cn_plate" or _ONE_BY_ONE.fullmatch(value) is not None
        return Judgement(0.7 if sure else 0.3, "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """A word may end in the sign of a province, before the name of a device or the kind and number of a bond."""
        if _BOND.search(text, max(0, start - 12), end):
            return True
        return text[start + 1 : end].islower() and _ENDS_A_WORD.search(text, max(0, start - 1), start + 1) is not None

    def canonical(self, value: str) -> str:
        """Return the characters without separators, in upper case."""
        return "".join(char for char in value.upper() if char.isalnum())

    def canary(self, rng: Random) -> str:
        """Return a plate of five characters."""
        return (
            f"{rng.choice('津渝冀豫湘')}{rng.choice('BCDEF')}{rng.choice('KLMNP')}{random_digits(rng, 3)}"
            f"{rng.choice('79')}"
        )
