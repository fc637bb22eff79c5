"""Where somebody whose Chinese name is known is called by a part of it: 王先生, 王总, 老王, 小于, 建国.

A surname before a title, or behind 老, 小 and 阿, and a given name that is a word as well. In a record in which
somebody of that name is spoken of such a form is nearly always that person; what is more often a word (施工, 小时,
建国) counts where somebody is called, and no form where a longer word goes on (小王子, 霸王总是, 建国以来).
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from datacheck.pii.free_names import is_common, is_listed
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.base import words
from datacheck.pii.tagger import is_entry

TITLES = (
    "先生|女士|小姐|太太|夫人|老师|师傅|医生|大夫|教授|博士|经理|总监|总裁|主任|主管|老板|律师|阿姨|叔叔|伯伯|大爷|大妈"
    "|大哥|大姐|奶奶|爷爷|同学|同志|警官|护士|院长|校长|[董处科局部队厂店班组会]长|董事|书记"
    "|学[长姐弟妹]|师[兄姐弟妹]|顾问|会计|秘书|助理|司机|法官|检察官|教练|医师|护理师"
    "|老師|師傅|醫生|醫師|經理|總監|總裁|主管|律師|奶奶|爺爺|同學|同志|護士|護理師|院長|校長|[董處科局部隊廠店班組會]長|書記"
    "|法官|檢察官|教練|學[長姐弟妹]|師[兄姐弟妹]|顧問|會計|秘書|太太"
)
# A title of one character, but where another word goes on: 总理, 工作, 哥伦布.
_SHORT = (
    "总(?!理|统|书记|兵|司令|共|计)"
    "|工(?![作业程厂人资具商地艺种序期信部行科龄整夫钱件伤匠友农学图团贸委头包单]|会(?![过来去在给把联处帮跟说尽陪教负]|带[你您他她我大新]))"
    "|哥(?![华伦斯特德窟])|[姐叔姨嫂婶董导](?![夫妹])|[局处](?![长部限面势域促理罚分方境置所于在])|队(?![长伍员友列形])"
)
# Surnames that are words of every sentence: 成总是, 从工地, 时姐.
_FUNCTION = frozenset("应常成全和于向时从连曾可单都就还过能不关别方高易安")
# Words that begin so, and are no entry of the dictionary or stand there as names.
_LONGER = words(
    "王子 王八 王爷 马驹 马达 马虎 石头 石子 石块 江南 河马 白兔 白菜 白鼠 白领 白脸 牛犊 黄牛 黄鱼 黄瓜 黄花 黄狗 "
    "黄车 金鱼 金库 金刚 路灯 车站 车厢 熊猫 房子 房间 包子 包装 花园 花朵 叶子 毛病 毛孩 毛驴 时候 时代 万元 米粥 "
    "龙女 龙人 龙虾 龙包 方块 方桌 汤圆 汤包 麻雀 麻烦 鱼儿 鱼干 羊羔 熊掌 鸡块 苗条 安全 高考 高层 沙发 沙丁 文具 "
    "文学 成本 成就 学生 连衣 全部 单元 国家 郎君 "
)
_GOES_ON = frozenset("说来去问今明昨")  # 小白来了
# What is a word with 老 or 小 before it, and a nickname only where somebody is called.
_NOBODY = words(
    "小时 小于 小路 小车 小鱼 小牛 小羊 小龙 小石 小白 小米 小麦 小包 小计 小单 小费 小段 小花 小河 小山 小谷 小孔 "
    "小楼 小房 小巧 小弟 小熊 小农 小康 小苗 小方 小班 小史 小成 小金 小钱 老鱼 老牛 老龙 老房 老路 老车 老农"
)
# … of these few are said so often that beside somebody of that surname they are more often him.
_RARELY_NOBODY = words("小石 小牛 小史 小段 小钱 小金 小羊 小龙 小农 小成 小谷 小孔 小苗 小方 小康 小班 老牛 老龙 老农")
_SPOKEN_TO = re.compile(r"您|你好|稍等|稍候|请|说的|家长|早日")
_ALONE = re.compile(rf"您|你好|说|(?![{HAN}])")
_OPERAND = re.compile(r"[ ]?[0-9A-Za-z$\\<=>{(（零一二两三四五六七八九十百千万负等或号]")
_CALLING = frozenset("他她写请的给叫让找问跟和与帮替陪谢对约及向由被把为是告诉知")
_DOES = frozenset(
    "的了或留曾向本因说来去在是也今明昨要想会还已都没不把被给和跟你您收稍确提回填签打发寄申预购问答表反同先女太老师医经主教律阿"
    "登处办通复久下领取退住出入转交接补缴到未最那既核辛查看參請說來會還沒給確簽發問赔挂需驾"
)
_MEASURES = tuple("一二两三几这那每半大古从最")
_PLACE = re.compile("[园区店院馆楼街巷镇村县市城桥山河湖站厂校]|(?<!一)路")
# A given name that is a word as well stands between such characters.
_NAMED_LEFT = (
    rf"(?:(?<![{HAN}])|(?<=[写给叫和跟与请让找对问约陪替帮谢人名员才的了是为由被把向等小老阿户客告知系吗致祝方或]))"
)
_NAMED_RIGHT = (
    rf"(?:(?![{HAN}])|(?=本人|[了或留向因说的来去在是也今明昨要想会还已都没不把被给和跟你您收稍哥姐总叔姨弟妹嫂同先女小"
    "老师确提回填签发办申预登处通久下复领取住出入接吧请赔受转自要需挂驾将仍曾拟愿很未合核既辛查那承說來會還沒給]|早日|有点|健康|开口|代[收办签领取]|[换值调]班|才[一二三四五六七八九十]))"
)
# Verbs that somebody is the object of: 赔偿卫国医疗费
_DONE_TO = "|".join(sorted(words("赔偿 补偿 通知 联系 转告 告诉 感谢 委托 协助 陪同 照顾 起诉 支付 聯絡 通知 委託")))
_TOLD = words("麻烦 联系 通知 转告 告诉 麻煩 聯絡 轉告 告訴")
_LONGEST = 5  # characters of a word that may hold a form


class _Forms(NamedTuple):
    """Expressions for some surnames; the surname is group 1, a blank before a title of one character group 2."""

    titled: re.Pattern[str]
    shortly: re.Pattern[str]
    familiar: re.Pattern[str]


@lru_cache(256)
def _forms(surnames: tuple[str, ...]) -> _Forms:
    one = "|".join(map(re.escape, sorted(surnames, key=len, reverse=True)))
    return _Forms(
        re.compile(rf"({one})(?=[ ]?(?:{TITLES}))"),
        re.compile(rf"({one})(?=([ ]?)(?:{_SHORT}))"),
        re.compile(rf"(?<=[老小阿])(?<![大古][老小阿])({one})"),
    )


def called(text: str, parts: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where a Chinese surname of `parts` stands for somebody (code points, end exclusive), and the surname."""
    surnames = tuple(part for part in parts if not part.isascii() and re.fullmatch(f"[{HAN}]+", part))
    if not surnames:
        return
    forms = _forms(surnames)
    for match in forms.titled.finditer(text):
        if not _ends_a_word(text, match.start(), match.end()):
            yield *match.span(), match[1]
    for match in forms.shortly.finditer(text):
        if _has_title(text, match):
            yield *match.span(), match[1]
    for match in forms.familiar.finditer(text):
        if _is_nickname(text, match.start() - 1, match.end()):
            yield *match.span(), match[1]
    for compound in surnames:
        for match in re.finditer(compound, text) if len(compound) > 1 else ():
            if compound != "东方" or _is_direct(text, *match.span()):  # 司徒 is called so, 东方 is a direction
                yield *match.span(), compound


def _is_direct(text: str, start: int, end: int) -> bool:
    """Whether somebody is spoken to, or of, by the surname alone: 东方您好, 给东方发短信, but not 东方明珠."""
    to_him = start > 0 and (text[start - 1] in "给请让找叫跟谢" or text[start - 2 : start] in _TOLD)
    if to_him and text[end : end + 1] in _DOES:
        return True
    return _is_begun(text, start) and _ALONE.match(text, end) is not None


def named(text: str, given: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where a given name that is a word as well stands for somebody, and the name."""
    one = "|".join(given)
    calls = (
        f"{_NAMED_LEFT}({one}){_NAMED_RIGHT}|({one})(?=[哥姐叔姨](?![弟妹夫])|家长|{TITLES})|(?<=(?:{_DONE_TO}))({one})"
    )
    found = {match.span(): match[1] or match[2] or match[3] for match in re.finditer(calls, text)}
    after_words = re.finditer(f"({one}){_NAMED_RIGHT}", text)  # 明天长江会来
    found |= {match.span(): match[1] for match in after_words if _is_word_before(text, match.start())}
    yield from ((start, end, name) for (start, end), name in sorted(found.items()) if not goes_on(text, start, end))


def nicknamed(text: str, last: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where the last character of a given name stands for somebody, and it: 阿静, 小静, 静静."""
    one = "".join(last)
    for match in re.finditer(rf"(?<![{HAN}]·)(?:[阿小]([{one}])|([{one}])\2)", text) if one else ():
        start, end = match.span()
        goes = goes_on(text, start, end) or is_entry(text[end - 1 : end + 1])  # 小建议
        # 小时, 大小, 一小杯, 小怡园酒店, 明明
        if match[0][0] == "小":
            is_word = is_common(match[0]) or not _may_be_called_small(text, start, end)
        else:
            is_word = is_entry(match[0])
        if not (goes or is_word) or _is_called(text, start, end):
            yield start, end, match[1] or match[2]


def _may_be_called_small(text: str, start: int, end: int) -> bool:
    """Whether 小 and a character are a nickname by what stands around them: no 大小, 一小杯, 小怡园."""
    before = text[start - 1 : start] if start else ""
    if before in _MEASURES or (before and is_entry(before + "小")):
        return False
    return not _PLACE.search(text, end, end + 3)


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether an entry of the dictionary begins with what stands there, and is longer: 建国以来, 小王子."""
    longest = min(_LONGEST, len(text) - start)  # a word that ends the text is no longer one
    return any(is_entry(text[start : start + length]) for length in range(end - start + 1, longest + 1))


def _has_title(text: str, match: re.Match[str]) -> bool:
    """Whether a title of one character behind a surname is one: 罗总会来, but not 霸王总是, 施工 and 应总是."""
    start, end = match.start(), match.end()
    title = text[end + len(match[2])]
    if _ends_a_word(text, start, end):
        return False
    if match[1] in _FUNCTION and title in "哥姐叔姨婶嫂" and not is_listed(match[1] + title):
        return True  # 高哥, 曾姐: no word has them
    if match[1] in _FUNCTION or (title != "总" and is_listed(match[1] + title)):
        after = end + len(match[2]) + 1
        goes = is_entry(text[after - 1 : after + 1])  # 总是, 工业
        return _is_called(text, start, after) or (_is_begun(text, start) and not goes)
    return True


def _ends_a_word(text: str, start: int, end: int) -> bool:
    """Whether a word ends with the surname: 霸王总是, 国王先生."""
    common = start > 0 and is_common(text[start - 1 : end]) and text[start - 1] not in _CALLING
    return common and not _is_word_before(text, start)  # 明天文医生来


def _is_nickname(text: str, start: int, end: int) -> bool:
    """Whether 老 or 小 and a surname are somebody: 小王今天来过, 请小段稍等, but not 小王子 and 一小段."""
    behind, after = text[start:end], text[end : end + 1]
    if _SPOKEN_TO.match(text, end):
        return behind not in _NOBODY or _is_begun(text, start)
    if behind in _RARELY_NOBODY and not _may_be_called_small(text, start, end):
        return False
    nobody = behind in _NOBODY and behind not in _RARELY_NOBODY
    if nobody or (text[start - 1 : start] in tuple("给请让找叫") and after in _DOES):  # 给老沙发了短信
        return _is_called(text, start, end)
    if not re.match(f"[{HAN}]", after) or after in _GOES_ON:
        return True
    if text[max(0, start - 2) : start] in _TOLD and after in _DOES:  # 通知老向下周来
        return not goes_on(text, start, end)
    longer = text[end - 1 : end] + after
    return not (is_common(longer) or longer in _LONGER or goes_on(text, start, end))


def _is_called(text: str, start: int, end: int) -> bool:
    """Whether nothing but what is said of somebody touches a form."""
    after = text[end : end + 1]
    right = not re.match(f"[{HAN}0-9A-Za-z]", after) or after in _DOES
    compared = text[end - 1 : end] == "于" and _OPERAND.match(text, end)  # 小于或等于
    return _is_begun(text, start) and right and not compared and not goes_on(text, start, end)


def _is_begun(text: str, start: int) -> bool:
    before = text[start - 1 : start] if start else ""
    return not before.isalnum() or before in _CALLING or _is_word_before(text, start)


def _is_word_before(text: str, start: int) -> bool:
    return start > 1 and is_entry(text[start - 2 : start])
