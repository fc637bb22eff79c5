"""Faults that are a text: those of the checks' own plants, put into the user's row where it keeps such a text."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache, partial

from datacheck.contract.discover import check_class
from datacheck.features.worn_texts import WANTED, WORN
from datacheck.selftest.faults import FaultKind, Ground, PlantedLine
from datacheck.selftest.rows import Sampled, Turn, at, parsed
from datacheck.testing import Plant, plants
from datacheck.text.edges import for_python

# How the text of a plant gets into a row: it takes the text's place; it stands below it; its question comes along.
_INSTEAD = ("empty_turns", "error_as_answer", "unfinished_answers", "refusals", "repetitive_text", "embedded_template",
            "leaked_reasoning")  # fmt: skip
_BELOW = ("garbled_text", "control_tokens", "leftover_markup", "placeholder_text", "run_on_answers")
_WITH_QUESTION = ("prompt_echo", "language_mismatch")
_OF_QUESTION = ("repeats_question", "acknowledged")  # problems of other checks with theirs
_OF_TURNS = (
    "same_turn",
    "joined_answer",
    "joined_prompt",
    "answer_behind_prompt",
    "rejected_behind",
    "pasted_question",
)
# … of several texts of a row or of the set together
_OF_A_SET = 20  # rows that a plant stands among: it is odd in a set like that, and in the user's perhaps not
_WHOLE_TEXT = {
    "bytes",
    "lost",
    "lost_comma",
    "no_value",
    "repeats_question",
    "capitals",
    "absent_input",
    "absent_figure",
    *WORN,
}  # what these say, they say of a text as a whole
# Where signs mean other things.
_CODE = re.compile(r"```|[{};<>]\s*$|^\s*(?:def |import |#include|<\w+|\$ )", re.MULTILINE)
# Where a question speaks of such things, the check leaves alone what it may have asked for (docs/selftest.md).
_TALK = (
    r"dialog|conversation|chat|interview|play|\bact\b|scene|transcript|script|simulat|prompt|persona|\bbot\b|story"
    r"|stories"
    r"|fiction|q ?& ?a|template|human|user|assistant|example|faq"
    r"|对话|聊天|剧本|采访|访谈|角色|扮演|情景|模拟|问答|客服|故事|小说|模板|示例|用户|[问答]\s?[:：]"
)
_ABOUT = {
    "garbled_text": for_python(WANTED),
    "error_as_answer": (
        r"error|exception|trace|bug|http|status|\blog|\bapi\b|crash|json|fail|output|print|html|time.?out|server|\bnone\b"
        r"|python|\blist|array|\bdict|\btuple|\bsets?\b|\bkeys?\b|function|format|string|列表|数组|字典|格式|函数"
        r"|null|\bnan\b|undefined|return|sql|\bcode|program|网|报错|异常|错误|故障|日志|状态|接口|调试|崩溃|输出|失败|超时|服务"
        r"|返回|空值|程序|代码"
    ),
    "run_on_answers": _TALK,
    "embedded_template": (
        rf"{_TALK}|summar|json|instruct|format|schema|object|\bapi\b|dict|scor|rat(?:e|ing)|grad(?:e|ing)|review|evaluat"
        r"|judge|feedback|rewrit|rephras|revis|translat|总结|概括|摘要|续写|提示|微调|改写|润色|翻译|格式|评|打分|得分|分数|反馈"
    ),
    "leaked_reasoning": rf"{_TALK}|think|step|reason|thought|monologue|poem|lyrics|思考|推理|内心|独白|一步|逐步",
    "leftover_markup": (
        r"html|xml|css|script|react|vue|php|\bdom\b|svg|url|web|front.?end|\btags?\b|mark|readme|escap|entit|pars|\bcod"
        r"|advert|marketing|promot|\blogs?\b|logging|translat|营销|广告|文案|推广|引流|带货|日志|翻译"
        r"|program|forum|encod|decod|crypt|certificate|hash|signature|网|前端|标签|转义|爬虫|渲染|代码|编程|论坛|编码|解码|密|证书|签名"
    ),
    "placeholder_text": (
        r"letter|mail|template|form\b|contract|agreement|invit|blank|market|report|script|speak|\bcall|pitch|\bbio\b"
        r"|certificate|invoice|thank|apolog|review|message|introduc|memo|notice|speech|announce|proposal|policy"
        r"|r[eé]sum[eé]|\bcv\b|advert|news|\bpost\b|[×{}]|__|信|函|聘|一份|一封|邮|通知|模板|范文|简历|合同|申请|声明|邀请|致辞|演讲"
        r"|文案|公告|证明|报告|计划|方案|话术|填|表格|试卷|练习|题|协议|海报|广告|简介|介绍|新闻|故事|小说|诗|作文|文章|对话|剧本|简报"
    ),
}
_ANYWHERE = ("leftover_markup",)  # an answer that speaks of it counts, too
_PLACES = {"response": ("response", "chosen"), "text": ("text", "response", "chosen")}


@cache
def of_texts() -> tuple[FaultKind, ...]:
    """A fault for each plant of these checks that needs no settings of its own, and points at a text."""
    each = ((check, plant) for check in (*_INSTEAD, *_BELOW, *_WITH_QUESTION) for plant in plants(check_class(check)))
    return tuple(fault for check, plant in each for fault in _of_plant(check, plant))


def _of_plant(check: str, plant: Plant) -> Iterator[FaultKind]:
    if plant.source or plant.others or not {*plant.check.model_fields_set} <= {"check", "reasoning"}:
        return
    if len(plant.places) > 1 or plant.problem in _OF_TURNS:  # a fault of several rows together
        return
    if max(len(plant.good), plant.lines.count(b"\n")) >= _OF_A_SET:
        return
    ((line, where),) = plant.places
    rows = parsed(plant.lines)
    turn = next((turn for turn in rows[line - 1].turns if turn.path == where), None) if len(rows) >= line else None
    if turn is not None:
        whole = plant.problem in _WHOLE_TEXT or check in _INSTEAD
        with_question = check in _WITH_QUESTION or plant.problem in _OF_QUESTION
        asked = rows[line - 1].asked if with_question else None
        below = check in _BELOW and not whole
        change = partial(_transplanted, turn=turn, asked=asked, below=below)
        yield FaultKind(check, plant.problem, change, unlike=partial(_speaks, check=check))


def _transplanted(row: Sampled, _ground: Ground, *, turn: Turn, asked: Turn | None, below: bool) -> PlantedLine | None:
    """The row with the text of a plant; None where it has no such text, or where code would make it mean nothing."""
    role = "user" if turn.part == "prompt" else None
    own = row.last(*_PLACES.get(turn.part, (turn.part,)), role=role)
    if own is None or (below and _CODE.search(own.text)):
        return None
    first = sum(each.part == "prompt" for each in row.turns) == 1 and row.record.get("label") is not False
    if asked is not None and not first:
        return None  # earlier words may ask for what stands in the answer; an answer that is marked as bad may be so
    new = row.told(own, f"{own.text}\n{turn.text}" if below else turn.text)
    if asked is not None:
        if row.asked is None:
            return None
        new = new.told(row.asked, asked.text)
    return PlantedLine(new.line, own.path) if at(new.record, own.path) is not None else None


@lru_cache(100_000)
def _speaks(row: Sampled, *, check: str) -> bool:
    """Whether a row speaks of what makes the check leave things alone."""
    about = _ABOUT.get(check)
    heard = (turn.text for turn in row.turns if turn.role != "assistant" or check in _ANYWHERE)
    return about is not None and any(re.search(about, text, re.IGNORECASE) for text in heard)
