"""Addresses down to the door."""

import re
from random import Random

from datacheck.pii.matching.expressions import HAN
from datacheck.pii.matching.us_addresses import COMPLETE, STREET, STREET_BY_A_WORD, TRY_COMPLETE, TRY_STREET
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer
from datacheck.text.chinese import in_both_scripts

_NUMBER = (
    r"(?:[甲乙丙丁]?[0-9](?:[ ]?[0-9]){0,4}(?:[A-Za-z]|[\-－~之、][0-9]{1,4})?"
    r"|[甲乙丙丁]?[一二三四五六七八九十百零〇两]{1,6}|[A-Za-z][0-9]{0,3})"
)
_ROAD = (
    r"(?:路|街|巷|弄|胡同|大道|大街|(?<![知频通隧轨赛渠管跑车弯报味河航街])道|(?<![公英海哪这那百"
    r"千万])里|村|庄|屯|沿|(?<=[一二三四五六七八九十头0-9])条|段|号院|号)"
)
_PLACE = r"(?:小区|花园|公寓|大厦|新村|家园|苑|园|府|城|湾|庭|座|广场|宿舍|社区|[村组号院])"
# 3号金矿带 and 28号脉群 are bodies of ore
# … and behind a lane stands the number of the house: 临江路800弄78号
_DOOR = (
    rf"{_NUMBER}[ ]?(?:号(?![线码机令染脉]|[金银铜铁铅锌锡钨煤]?矿[体带脉段床层井坑洞]|断裂)(?:之[0-9]{{1,3}})?"
    rf"|弄(?:{_NUMBER}号(?![线码楼]))?)"
)
_ROOM = rf"{_NUMBER}[ ]?(?:栋|幢|座|号楼|单元|门|室|房|层|楼(?:之[0-9]{{1,3}})?|户|#)"
_TAIL = (
    rf"(?:[ ,，\-－]?(?:[东西南北中甲乙]|[{HAN}]{{0,8}}?)?{_ROOM}){{0,4}}"
    rf"(?:(?<=单元)[0-9]{{2,5}}号|[ \-－]?[0-9]{{2,4}}(?![0-9]|[.][0-9]|[{HAN}]))?"
)
_BLOCK = r"(?:栋|幢|座|号楼|#)"
_PART = "[A-Za-z0-9一二三四五六七八九十]{1,3}"
_ESTATE = rf"{_PLACE}[ ]?(?:[东西南北]区|{_PART}[区期][ ]?)?{_NUMBER}[ ]?{_BLOCK}"
_GROUP = rf"[村屯庄寨][ ]?第?{_NUMBER}[ ]?(?:村民小?组|小组|[组社队])"
_VILLAGE = rf"{_GROUP}[ ]?{_NUMBER}[ ]?[号户]"
_BY_LETTER = "[A-Za-z甲乙丙丁][ ]?座(?![标谈位机])"  # 邯郸路C座
_PUBLIC_HOUSING = rf"邨[{HAN}]{{1,6}}[楼阁][ ]?(?:{_NUMBER}[ ]?楼[ ]?)?[0-9A-Za-z]{{1,5}}[ ]?室"  # 瀝源邨榮瑞樓1203室
_CORE = (
    rf"(?:{_ROAD}[东西南北中]?[ ]?(?:[{HAN}]{{0,3}}段)?[ ]?{_DOOR}(?:院)?{_TAIL}"
    rf"|{_ROAD}[东西南北中]?{_BY_LETTER}{_TAIL}"
    rf"|{_VILLAGE}|{_PUBLIC_HOUSING}"
    rf"|{_ESTATE}[ ]?{_TAIL}"
    rf"|[0-9A-Za-z]{{1,4}}[ ]?{_BLOCK}[ ]?{_PART}[ ]?单元[ ]?[0-9]{{2,5}}[室房号]?)"
)
_TRY_CHINESE = in_both_scripts(
    rf"[路街巷弄道里村庄屯沿条段院号同][东西南北中]?[ ]?(?:[{HAN}]{{0,3}}段)?[ ]?{_NUMBER}[ ]?[号弄]"
    rf"|[路街巷弄道里村庄屯沿条段院号同][东西南北中]?[A-Za-z甲乙丙丁][ ]?座|{_GROUP}|{_PUBLIC_HOUSING}"
    rf"|{_ESTATE}|{_BLOCK}[ ]?{_PART}[ ]?单元|(?:地址|住址)[是在为:： ]{{0,3}}[{HAN}0-9A-Za-z]{{4,40}}[号弄]"
)
# 湖北省 武汉市 洪山区 文三路…: a form sets blanks between what it asked for
_BEFORE = re.compile(
    rf"(?:(?:[{HAN}]{{1,8}}[省市州][ ]?){{1,2}}[{HAN}]{{1,5}}[市区區县縣旗][ ])?[{HAN}0-9A-Za-z]{{0,24}}\Z"
)
# Words after which an address begins, and verbs that cannot be part of one.
_BEGINS = re.compile(
    in_both_scripts(
        r".*(?:地址|住址|[改换变]成|登记|更正|位于|坐落于|寄(?=[\u4e00-\u9fff]{2,3}[省市])|寄到|寄往|寄至|送到|送至|发到|家住|住在|住于|住|搬到|搬至|位在"
        r"|设在|就在|家在|来自|前往|现居|居住于|承租了?|租用了?|租赁了?|[带运逃窜送赶行]至|提货至|搬入|到|在|于|是|为|址"
        r"|[。，：；！？、])(?=.)"
    ),
    re.DOTALL,
)
_REGION = re.compile(in_both_scripts(r"(?:省|市|自治区|州|[区县旗镇乡]|街道|北京|上海|天津|重庆|香港|九龙|新界|澳门)"))
_ROOMS = re.compile(in_both_scripts(r"单元|[栋幢室]|号楼|楼之"))
_SPECIMEN = re.compile(
    r"(?i)1?2?123 (?:main|elm|oak|maple|fake|any|example|first|pine|my|your)\b.*"
    r"|12345? (?:main|elm|oak|maple|fake|any|example|first|pine|my|your) st(?:reet)?\b.*"
    r"|.*(?:XX|某某?|××|\*\*"
    r"|○○)(?:小区|花园|公寓|[路街道村区]).*|(?-i:[A-Z])[省市](?-i:[A-Z])?[市区县].*|742 evergreen.*"
    r"|1600 (?:pennsylvania|amphitheatre).*|221b? baker.*"
)
_CORES = re.compile(in_both_scripts(_CORE))
# 花园小区1号楼共有7个单元，每个单元住14户
_COUNTED = re.compile("楼?[，,]?(?:一?共|总共)?有[0-9一二两三四五六七八九十百]+[个层户幢座]")


class Address(Recognizer):
    """A street or a housing estate and a number; with a district before it, or a room after it, it is sure.

    Public places have addresses as well: whether somebody lives there, no rule can tell.
    """

    entity = "ADDRESS"
    priority = 320
    policy = Policy("block")
    prefilter = _TRY_CHINESE
    prefilters = (TRY_STREET, TRY_COMPLETE)
    tries = {
        "address": (_TRY_CHINESE,),
        "address.complete": (TRY_COMPLETE,),
        "address.en": (TRY_STREET,),
        "address.word": (TRY_STREET,),
    }
    patterns = {
        "address": in_both_scripts(_CORE),
        "address.complete": rf"(?<![0-9A-Za-z.,$#/\-]){COMPLETE}",
        "address.en": rf"(?<![0-9A-Za-z.,$]){STREET}",
        "address.word": rf"(?<![0-9A-Za-z.,$]){STREET_BY_A_WORD}",
    }
    positive = in_both_scripts(
        r"地址|住址|家住|住在|家在|寄[到往给]|寄至|收[货件]|送货|邮寄|户籍|籍贯|现居|居住|住所"
        r"|(?i:address|live[sd]? (?:at|in)|(?:ship|mail|sent|return|deliver(?:ed)?|moved?|taxi) to|meet (?:me|us) at"
        r"|resid)"
    )
    extents = (
        in_both_scripts(
            rf"[{HAN}0-9A-Za-z]{{0,24}}{_CORE}".replace("(?<![知频通隧轨赛渠管跑车弯报味河航街])", "").replace(
                "(?<![公英海哪这那百千万])", ""
            )
        ),
        STREET,
        COMPLETE,
    )

    def widen(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Go left to where the address begins, at most 24 characters."""
        if text[start].isascii() or text[max(0, start - 4) : start].rstrip("是在为:： ").endswith(("地址", "住址")):
            return start, end
        before = _BEFORE.search(text, max(0, start - 24), start)
        name = before[0] if before else ""
        begins = _BEGINS.match(name + text[start])
        return start - len(name) + (begins.end() if begins and begins.end() <= len(name) else 0), end

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by how complete it is."""
        if _SPECIMEN.match(value):
            return Judgement(1.0, "specimen")
        if re.match(r"(?:18|19|20)[0-9]{2} Wall S", value):  # the crash of 1929
            return None
        if rule in ("address.complete", "address.en", "address.word"):
            if rule == "address.complete" or re.search(r"[A-Z]{2}[ ,]{1,2}[0-9]{5}", value):
                return Judgement(0.8, "valid")
            return Judgement(0.6 if rule == "address.en" else 0.3, "suspect")
        if rule == "address.labelled":
            return Judgement(0.7, "valid")
        core = _CORES.search(value)
        if core is None or not (core.start() or _ROOMS.search(value)):
            return Judgement(0.2, "suspect")
        if _REGION.search(value, 0, core.start()) or _ROOMS.search(value):
            return Judgement(0.7, "valid")
        return Judgement(0.5, "suspect", "valid")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """Of a building whose floors or flats an exercise counts nobody tells where he lives."""
        del start
        return _COUNTED.match(text, end) is not None

    def canonical(self, value: str) -> str:
        """Return it without white space."""
        return "".join(value.split())

    def mask(self, value: str) -> str:
        """Keep the first three characters: a province or a city."""
        return f"{value[:3]}****" if len(value) > 8 and not value[0].isdigit() else "****"

    def canary(self, rng: Random) -> str:
        """Return a flat in a city."""
        city = rng.choice(("杭州市西湖区", "成都市武侯区", "武汉市江汉区"))
        road = "".join(rng.choice("文华建新和平光明春秋晓桐") for _ in range(2))
        return f"{city}{road}路{rng.randrange(10, 999)}号{rng.randrange(1, 30)}幢{rng.randrange(101, 999)}室"
