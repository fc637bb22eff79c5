"""Chinese names that nothing introduces: what reads better as surname and given name than as words.

A sentence is cut into words as jieba does it, by how often each is written; then a name is put in at every surname,
and what the sentence gains or loses by it is the score. How often a character begins or ends a name is jieba's own
table. A name that stands apart, or behind a word that leads to somebody, or before a title, may lose more, and one by
whose part somebody of the record is called.
"""

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from datacheck.pii.free_names import is_listed
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.normalise import Folded
from datacheck.pii.recognizers.person import COMPOUNDS, GIVEN, SURNAMES
from datacheck.pii.redact.addressed import Addressed
from datacheck.pii.redact.callings import TITLES
from datacheck.pii.tagger import dictionary, is_entry, modules, tagger
from datacheck.text.chinese import simplified

_LEAST = 0.0
"""At or above it is a name: .87 of the names of a generator, and 4 words in 100 texts of encyclopaedias and exams."""
_NAME = math.log(1 / 200)
_COMPOUND_LOG, _SURNAME_LOG, _UNSEEN, _GIVEN_LOG = -6.9, -9.0, -16.5, -8.5
_USUAL_WORD_LOG, _WORD_LOG, _OTHER_WORD_LOG = -9.0, -11.0, -13.0
_FUNCTION_LOSS, _SHORT_LOSS = 3.0, 1.5
_EDGE, _APART, _LED, _ADDRESSED = 1.2, 2.5, 4.0, 8.0
_LONGEST = 6
RARE = (
    "鹿咸暴哈帅庹操铁银谈官盖晋辜鄢丛时兰楚栗原邸沿敬植商蒙计喻揭窦宇敖糜鄢花仇巩稽井乐卞封竺冼衣佟匡巫鞠僧桑岑习胥蔺麦庾阙来禤苟缑丘岐亓展由仝米芦迟牟阳畅郜苑邬臧褚苌逯檀靖"
    "束茹幸籍邝佘芮邴郗汲郏麹昝贲钮嵇隗宓韶蓟邰郦殳夔訾蒯仉谯笪禚翦粟郇郅郄鄞仵雒蹇呙衷隽麴松危滑羿仰戎揣逄綦厍聂亢佴赏宛伊扶堵幕勾璩晁暨溥乜须戈郏阴苍双莘贡劳姬申扎冉雍郤濮尚宓山"
)
GIVEN_CHARACTERS = (
    GIVEN + "鸣前青中招弟满仓来财得志欢开心进步功才设业旗星行白扬夏望慕予军男春福全如"
    "学友正广水秋少泰保尔亦怀仙运庚璋花彦可念慈宜沁令亭知"
    "坤畅柳荷想闽暄祁楷晋琨潼璟彭沁"
    # of jieba's dictionary: rare characters that stand in names more than half as often as in all other words
    "涵皓懿屹珺琬璎珞筱苒菡娥晔晖曙琅桦笙穗蘅荞窈堃垚瑚屿舟藤祯禧汝畴彪鹤羲谊谅凰鹃爵焕宛弼潭碧玄雁皋桓圻杏卓粹玺仞铖禹寅亨毓迦黛棠稼淞冉焘弘冕漪孚浚蔼歆贻煦祚瑙荪旷榕珈焯"
    "霈轼荻奘臻恺骢锟镕铎璜岑谧曜瓒琏楣皙筠玑铨琮闵溥颢覃懋燮洵轲铉倜葆泓邈槿澍勖祉佶翥璞镛倬杲劭昀锴晁珮昶玢樨滢翀"
    "偉傑剛華蘭國曉東詩銘麗鳳寶貴順龍飛鵬慶紅雲蓮穎潔樂豪翰宥品雄賢詠強學軍勝業"
)
_SURNAMES = frozenset(SURNAMES + RARE + "代楼缑连欧简")
_USUAL, _GIVEN_CHARACTERS = frozenset(GIVEN), frozenset(GIVEN_CHARACTERS)
_COMPOUND = COMPOUNDS | {"淳于", "呼延", "拓跋", "纳兰"}
_RUN = re.compile(f"[{HAN}]+")
_HAS_SURNAME = re.compile("|".join([f"[{''.join(sorted(_SURNAMES))}]", *sorted(_COMPOUND)]))
# Surnames that are oftener another word
_FUNCTION = frozenset(
    "应常成全和于向时从连曾可单都就还过能不关别方由仅须且因与但而把被将等均乃即高易安越双阴万黄金白蓝明支计查段封原张幸祝"
)
# With these no given name ends: streets and shops, organs and substances, words of grammar
_NO_END = frozenset(
    "路街道桥村庄苑园里店区县镇乡市省馆院寺校厂司社站厅塔者之为不的了是在与及或也都就而以其此个这那们得着过吗呢吧啊说来去问要会没把"
    "被给让年号级型部类式费卡牌款后前上下内外间种色表价税票氏素酸炎征症病剂基虫币某姐哥总"
)
_CLOSE = frozenset("哥姐叔姨嫂婶")
_FAMILIAR, NEVER = ("老", "小", "阿"), frozenset("您你我他她它们咱谁哪的是不没叫")
_FOLLOWED = re.compile(
    "[路街桥村庄苑店区县镇乡市省馆楼院寺站素酸炎征症病剂氏·•-]|投资|集团|公司|科技|控股|股份|酒店|大厦|银行|地铁"
)
_TIMES = frozenset("明天 今天 昨天 后天 今年 明年 去年 时间 时候 现在 以后 以来 之后".split())
_LEADS = re.compile(
    r"(?:骑手|老师|导师|医[师生師]|大夫|护士|主治|主管|领队|选手|嫌疑人|被告|朋友|同桌|室友|先生|太太|爱人|丈夫|妻子|换成"
    r"|周[一二三四五六日天]|老[婆公]|妈妈?|爸爸?|转[交给告]|名叫|我[是叫]|[给找帮替@])[ ]?\Z"
)
_TITLE = re.compile(TITLES)


class LikelyName(NamedTuple):
    """A place (code points, end exclusive) that reads as a name, by how much."""

    start: int
    end: int
    score: float


# A name is spread over the line as well: 席 圆 圆
_SPREAD = re.compile(
    rf"(?<=[{HAN}])[ \u3000](?=[{HAN}](?:[ \u3000][{HAN}]|(?![{HAN}])))"
    rf"|(?<=[ \u3000][{HAN}])[ \u3000](?=[{GIVEN_CHARACTERS}])"
    rf"|(?<=(?<![{HAN}])[{SURNAMES}{RARE}])[ \u3000](?=[{GIVEN_CHARACTERS}])"
    rf"|(?<=(?:家属|患者|客户|律师|员工|学生|同事|女儿|儿子|会员|用户|乘客)[{SURNAMES}{RARE}])[ \u3000]"
    rf"(?=[{GIVEN_CHARACTERS}])"
)


# Between Latin words more than one blank: Joy  Short, as a form or full width leaves it
_WIDE = re.compile(r"(?<=[A-Za-z.,][ \u3000])[ \u3000]+(?=[A-Za-z])")

_BLANK = re.compile(r"(?<=[A-Za-z.,])[\u3000\u00a0](?=[A-Za-z])")  # Joy Short in full width


def gathered(folded: Folded) -> Folded:
    """A text without the blanks inside what may be Chinese names, and with one between Latin words."""
    gone = {match.start() for match in _SPREAD.finditer(folded.text)}
    gone |= {at for match in _WIDE.finditer(folded.text) for at in range(*match.span())}
    if not gone:
        return Folded(_BLANK.sub(" ", folded.text), folded.offsets)
    kept = [at for at in range(len(folded.text)) if at not in gone]
    text = _BLANK.sub(" ", "".join(folded.text[at] for at in kept))
    starts, ends = folded.offsets or (range(len(folded.text)), range(1, len(folded.text) + 1))
    return Folded(text, ([starts[at] for at in kept], [ends[at] for at in kept]))


def likely_names(text: str, leads: re.Pattern[str], called: Addressed) -> list[LikelyName]:
    """Return the names of a text, in order, never overlapping; `leads`: more that stands before a name."""
    simple = simplified(text)
    found: list[LikelyName] = []
    for run in _RUN.finditer(simple):
        if _HAS_SURNAME.search(run[0]):
            found += _in_run(text, run[0], run.start(), leads, called)
    best: list[LikelyName] = []
    for name in sorted(found, key=lambda name: -name.score):
        if not any(name.start < other.end and other.start < name.end for other in best):
            best.append(name)
    return sorted(best)


def _in_run(text: str, run: str, first: int, leads: re.Pattern[str], called: Addressed) -> Iterator[LikelyName]:
    before, after, counts = _by_words(run)
    total, begins = before[-1], _characters()[0]
    for start, size, given in ((at, size, given) for at in range(len(run)) for size in (1, 2) for given in (1, 2)):
        surname, name = run[start : start + size], run[start + size : start + size + given]
        end = start + size + given
        if surname not in (_COMPOUND if size > 1 else _SURNAMES) or len(name) < given or name[-1] in _NO_END:
            continue
        if _reads_otherwise(text, first + start, first + start + size, name) or _FOLLOWED.match(run, end):
            continue
        score = _COMPOUND_LOG if size > 1 else max(begins.get(surname, _SURNAME_LOG), _SURNAME_LOG)
        score += _given_log(name, is_word=name in counts) + _NAME + before[start] + after[end] - total
        beside = _beside(text, first + start, first + end, leads)
        if given > 1 and beside < _APART and name in counts and not _GIVEN_CHARACTERS.issuperset(name):
            continue  # in a sentence a word of other characters is no given name: 一名电商客服
        score += beside - _FUNCTION_LOSS * (surname in _FUNCTION) / (2 if beside >= _LED else 1)
        score += _ADDRESSED * (_is_called(surname, name, called) and _is_begun(run, start))
        if score >= _LEAST:
            yield LikelyName(first + start, first + end, score)


def _given_log(name: str, *, is_word: bool) -> float:
    """How likely a given name is; a word may be one as well: 平安, 建设."""
    _, goes_on, ends = _characters()
    if len(name) == 1:
        return _given(ends, name) - _SHORT_LOSS
    usual = _USUAL_WORD_LOG if _USUAL.issuperset(name) else _WORD_LOG
    as_word = usual if _GIVEN_CHARACTERS.issuperset(name) else _OTHER_WORD_LOG
    return max(_given(goes_on, name[0]) + _given(ends, name[1]), as_word if is_word else -math.inf)


def _reads_otherwise(text: str, start: int, middle: int, name: str) -> bool:
    """Whether a surname [start, middle) with a given name behind it is something else: 老王…, 王先生, 明天, 高路."""
    if text[start - 1 : start] in _FAMILIAR or not NEVER.isdisjoint(name):  # see `callings`
        return True
    if name[0] in _CLOSE or _TITLE.match(text, middle):  # 王先生, 李哥留下: see `callings`
        return True
    return name in _TIMES or _FOLLOWED.match(text, middle + len(name)) is not None


def _is_begun(run: str, start: int) -> bool:
    """Whether the surname ends no word there: beside 阿泰 a sentence may begin with 由于阿泰."""
    return start == 0 or not is_entry(run[start - 1 : start + 1])


def _is_called(surname: str, given: str, called: Addressed) -> bool:
    """Whether somebody is called by a part of a name, which is no word: beside 老马 马上 stays what it is."""
    if given in called.given and len(given) > 1:
        return True
    return (surname in called.surnames or given[-1] in called.given) and not is_listed(f"{surname}{given}"[:2])


def _by_words(run: str) -> tuple[list[float], list[float], dict[str, int]]:
    """The logarithms of the most likely words up to each place and from each place on, and the words by their count."""
    counts = tagger().counts(run)
    size, total = len(run), math.log(_total())
    words = [
        (start, end, math.log(counts.get(run[start:end], 0) or 1) - total)
        for start in range(size)
        for end in range(start + 1, min(size, start + _LONGEST) + 1)
        if end == start + 1 or counts.get(run[start:end])
    ]
    before, after = [0.0] + [-math.inf] * size, [-math.inf] * size + [0.0]
    for start, end, log in words:
        before[end] = max(before[end], before[start] + log)
    for start, end, log in reversed(words):
        after[start] = max(after[start], log + after[end])
    return before, after, {run[start:end]: 1 for start, end, _ in words}


def _beside(text: str, start: int, end: int, leads: re.Pattern[str]) -> float:
    left, right = not _RUN.match(text[start - 1 : start]), not _RUN.match(text, end)
    led = is_led(text, start, leads)
    titled = _TITLE.match(text, end)
    return _EDGE * (left + right) + _APART * (left and right) + _LED * (led + bool(titled))


def is_led(text: str, start: int, leads: re.Pattern[str]) -> bool:
    """Whether what leads to somebody stands right before a place; `leads`: more that does."""
    return any(form.search(text, max(0, start - _LONGEST), start) for form in (leads, _LEADS))


def _given(logs: dict[str, float], char: str) -> float:
    usual = char in _GIVEN_CHARACTERS
    return max(logs.get(char, _UNSEEN), _GIVEN_LOG) if usual else logs.get(char, _UNSEEN) - _SHORT_LOSS


@cache
def _characters() -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """How likely a character is where a name begins, in its middle and at its end: jieba's tables."""
    emit = modules()[1].emit_P
    return emit["B", "nr"], emit["M", "nr"], emit["E", "nr"]


@cache
def _total() -> int:
    return int(dictionary()["count"].sum())
