"""The check error_as_answer."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Feature, Limit, Measured, Metric, Need, View, rates
from datacheck.features.canned_answers import AnswerKeys, canned_answers
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.swapped_sides import Sides, swapped_sides
from datacheck.features.turn_texts import (
    PLACE,
    asked,
    evidence,
    flagged,
    last_answers,
    looks_like_code,
    messages,
    of_rows,
    per_kind,
    texts_of,
    without_code,
)
from datacheck.features.turned_rows import RowEnds, turned_rows
from datacheck.text.chinese import each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges
from datacheck.text.views import alone

_SORRY = in_both_scripts(r"(?:(?:oops|sorry|(?:api |server )?error|warning|抱歉|很抱歉|对不起|错误|提示)\W{1,4})?")
_REASONS = (
    r"bad request|unauthori[sz]ed|forbidden|not found|request time-?out|too many requests|internal server error"
    r"|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
)
_NOTICES = ascii_edges(
    r"error code: ?[45]\d\d|(?:api )?rate limit (?:reached|exceeded|error)"
    r"|you (?:have )?exceeded your (?:current )?quota"
    r"|you(?: ha|')ve reached (?:the|your) (?:current )?(?:usage|rate) (?:cap|limit)"
    r"|the server (?:had an error|is (?:overloaded|busy))|(?:that|the) model is (?:currently )?overloaded"
    r"|this model['’]s maximum context length|(?:the )?request (?:has )?timed out|read timed out|max retries exceeded"
    r"|(?:network|connection) (?:error|refused|reset|aborted|timed out)\b|upstream (?:connect error|request time-?out)"
    r"|an (?:unexpected |unknown |internal )?error (?:has )?occurred\b|something went wrong[.,!]"
    r"|the response was filtered due to|data_inspection_failed|(?:in|out)put data may contain inappropriate content"
    r"|[\[(]error[\])]\W{0,3}(?:generation|request|call) failed\b"
    r"|there was an error (?:generating|processing)|failed to (?:fetch|generate (?:a )?response)\b"
)
_NOTICES_ZH = in_both_scripts(
    r"(?:您的?)?(?:请求|访问|操作|调用)(?:过于|太|次数过于)频繁|请求(?:已?超时|失败)"
    r"|服务器?(?:繁忙|内部错误|异常|开小差|错误|超时|不可用)|系统(?:繁忙|异常|开小差|内部错误)"
    r"|网络(?:异常|错误|超时|连接失败|开小差)|接口(?:调用失败|异常|超时|报错)"
    r"|调用(?:接口|模型)?(?:失败|超时|次数已?(?:超限|用完))|当前(?:服务|访问|请求|使用)?人数(?:过多|较多)"
    r"|(?:抱歉|对不起)?[，,]?(?:您|你)?的?(?:输入|提问|问题|请求|内容)(?:中|可能|疑似)?(?:包含|涉及|含有|触发)了?(?:敏感|违规|不当)(?:内容|信息|词)"
    r"|(?:账户)?(?:额度|余额|配额)(?:不足|已用完|已用尽)|内部服务器错误|(?:回答|回复)?生成失败|发生(?:了?未知|内部)错误"
)
_STATUS = in_both_scripts(r"(?:http(?:/\d(?:\.\d)?)?|error|status|code|错误码?|状态码?)")
_KEYS = "error|errors|error_code|error_msg|error_message|errcode|errmsg|err_msg|exception"
_PATTERNS = each_in_both_scripts(
    {
        "null": (
            r"^\s*[\"'`]?(?i:none|null|nan|n/a|undefined|略|答案略|(?:答案)?详?见解析|\[object object\]|<na>"
            r"|\[(?:removed|deleted)\]|(?:该|此)?(?:回答|内容|帖子|评论)已?(?:经)?被?(?:作者|用户|管理员|系统)?(?:删除|折叠|屏蔽)"
            r"|#(?:ref|value|num)!|#name\?|#n/a|#div/0!"  # of spreadsheets
            r"|<no ?(?:in|out)put>|<[a-z_.]+ object (?:\w+ )?at 0x[0-9a-f]+>|system\.\w+\[\]|java\.lang\.\w+@[0-9a-f]+"
            r")[\"'`]?\.?\s*$"
        ),
        "traceback": ascii_edges(
            r"^\s*Exception in thread \"|^\s*Uncaught \w*Error\b"
            r"|^\s*(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): "
            r"|^\s*(?:[\w$]+\.)+\w*(?:Error|Exception)\b[^\n]*\n\s+at "
        ),
        "api_error": ascii_edges(
            rf"(?i)^\W*{_SORRY}(?:{_STATUS}\W*){{0,3}}[45]\d\d\b\W{{0,4}}(?:{_REASONS})|^\W*(?:{_REASONS})\W*$"
            rf"|^\W*{_SORRY}(?:{_NOTICES})|^\W*{_SORRY}(?:{_NOTICES_ZH})"
            rf"|^\s*\{{\s*[\"'](?:{_KEYS})[\"']\s*:\s*[^\s\[fn]"
            r"|^\s*\{\s*[\"'](?:code|status|status_code)[\"']\s*:\s*(?:\"?[45]\d\d\b|\"(?:error|failed)\")"
        ),
        "error_page": ascii_edges(
            rf"(?is)^\s*(?:<!doctype html[^>]*>\s*)?<html.{{0,600}}?<(?:title|h1)>[^<]{{0,60}}"
            rf"(?:\b[45]\d\d\b|{_REASONS}|error|access denied|just a moment|attention required|验证|出错|错误|无法访问)"
        ),
    }
)
# What a program prints of an object, as the whole text: Python's dictionary or list of strings, a client's message.
_PRINTED = (
    r"(?s)^\s*(?:\{'[^'\n]{1,60}': .*\}|\[\{'[^'\n]{1,60}': .*\}\]|\['[^'\n]{20,}'(?:, ['\"].*)?\]"
    r"|(?:ChatCompletion|ChatCompletionMessage|Choice|AIMessage|HumanMessage|Completion|GenerateContentResponse)\(.*\))\s*$"
)
# All that is said to a request is that it was heard, or what would follow.
_HEARD = in_both_scripts(
    r"^\s*(?i:ok(?:ay)?|sure|no problem|got it|understood|certainly|of course|noted|will do|absolutely)"
    r"(?i:[,!. ]{1,3}(?:thing|i can (?:help|do) (?:with )?(?:that|you with that)|i will|i['’]ll do (?:that|it)))?"
    r"\s*[.!。！~～]*\s*$"
    r"|^\s*(?:好的|没问题|明白了?|知道了|收到|当然(?:可以)?|了解了?|可以的)"
    r"(?:[，,！!。](?:好的|没问题|明白了?|知道了|收到|当然(?:可以)?|了解了?|我来帮[您你]|马上))?\s*[.!。！~～]*\s*$"
    r"|^[^\n]{0,20}(?:(?i:here(?:['’]s| is| are)|below (?:is|are))|以下是|下面是)[^\n]{0,60}[:：]\s*$"
)
_REQUEST = 12  # characters; what is shorter may be small talk
# A number or a letter is the whole answer, and nobody asked for either: a label, a score or an index of another column.
_BARE = (
    r"^\s*(?:(?:[-+$¥￥]?[0-9][0-9.,]*\s*%?|[A-Ea-e])[.。]?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24,64}"
    r"|[a-z]+(?:_[a-z]+){1,4})\s*$"
)
_OF_BARE = ascii_edges(
    r"(?i)\d|\bhow (?:many|much|old|long|far|tall|big|high|wide|deep|fast|often|large|heavy)|number|numer|count"
    r"|calculat|comput|year|\buuid|identifier|\bid\b|\bhash|variable|\bnames?\b|snake|keyword|\bwhen\b|\bages?\b|percent|\brat(?:e|io|ing)|score|probab|\bsum\b|total|average|\bmean\b|median|price"
    r"|\bcost|amount|\bdate|digit|integer|value|square|\broot|solve|evaluat|convert|estimat|length|\bsize|\barea|volume"
    r"|temperature|option|choose|choice|letter|which|classif|label|categor|grade|version|index|\bcode|position|result|output"
    r"|多少|[几第哪选倍]|数[字量值目据学]|标识|变量|命名|函数|关键词|[年月日]份?[是？?]|计算|求|评|打分|判断|分类|概率|长度|面积|体积|温度|百分|字母|标签|密码|电话|等于|值|版本|编[码号]|结果|输出"
    r"|[二三四五六七八九十]"
)
_SHORT = 72  # bytes of such an answer
_ANSWERS, _SOME = 100, 0.05  # answers from which on there is a usual kind, and the share of such that is none
_TALK, _MOSTLY = 150, 0.5  # bytes of such an answer, and the share of them from which on a set is talk
_SENTENCE, _END = r"[.!?。！？…~—\"”』」)）]\s*$", 16
_LINK = r"^\s*<?(?:https?://|www\.)[!-~]+\s*$"
_OF_LINKS = ascii_edges(
    r"(?i)\blinks?\b|\burls?\b|website|web ?page|\bsites?\b|address|https?:|\bdomain|image|picture|photo|video|source"
    r"|where|\brepo"
    r"|链接|网址|网站|网页|官网|地址|图|视频|来源|哪里|哪儿|出处"
)
_OF_AGREEMENT = ascii_edges(  # questions, and who asks to be heard only
    r"(?im)[?？]\s*$|[吗吧呢]\W*$|\b(?:ok(?:ay)?|understand|understood|ready|remember|confirm|acknowledge|reply|thanks?"
    r"|bye|please wait|from now on)\b|明白|确认|回复|回答|收到|记住|谢谢|感谢|再见|拜拜|接下来|准备好"
)
_OF_DATA = ascii_edges(
    r"(?i)python|\blists?\b|\barrays?\b|\bdict|\btuples?\b|\bsets?\b|json|\bkeys?\b|\bfunction|\bcode|\bformat|\bstrings?\b"
    r"|列表|数组|字典|元组|集合|格式|代码|程序|函数|\{'|\['"
)
_TRACEBACK = "Traceback (most recent call last):"  # also behind half of an answer
# Who speaks of errors may be answered with one; who speaks of programs or of the word, with None.
_OF_ERRORS = ascii_edges(
    r"(?i)\berror|exception|trace ?back|stack ?trace|\bbug|\bhttp|status code|\blogs?\b|\bapi\b|debug|crash|\bjson\b"
    r"|\bfail|\boutputs?\b|\bprint|\bhtml\b|timed? ?out|server"
    r"|网页|报错|异常|错误|故障|日志|状态码|接口|调试|崩溃|输出|失败|超时|服务器"
)
_OF_NOTHING = ascii_edges(
    r"(?i)\bnone\b|\bnull\b|\bnan\b|undefined|\[object|\breturns?\b|\bprint|\boutputs?\b|\bsql\b"
    r"|返回|空值|输出|程序|代码"
)
# kind → what a user speaks of who may want it
_SPOKEN_OF = {"": "errors", "null": "nothing", "printed": "data", "link": "links", "acknowledged": "agreement"}


class ErrorTexts(Suspects):
    """The rows in which the assistant or a tool may say what programs say."""

    plain = False

    def gate(self) -> pl.Expr:
        """Each pattern by itself: as one they take five times as long, there are so many ways in which it may go on."""
        text = pl.col("text")
        kinds = [text.str.contains(each) for each in (*_PATTERNS.values(), _PRINTED, _HEARD, _LINK)]
        return _by_model() & pl.any_horizontal(*kinds, text.str.contains(_TRACEBACK, literal=True))


def _by_model() -> pl.Expr:
    return pl.col("role").is_in(["assistant", "tool"])


class ErrorAsAnswer(Check):
    """Share of rows whose answer is an error of what produced it: a traceback, `429 Too Many Requests`, `null`.

    The kinds: `null` (None, null, NaN, `<noinput>`, [object Object] or its like is the whole text), `traceback`
    (Python, Java, JavaScript; or an exception's name and message at the beginning), `api_error` (an error's JSON, a
    status with its reason, notices of rate limits, quotas and overload, 服务器繁忙), `error_page` (HTML with an
    error as its title), `printed` (an object as Python prints it is the whole text: `{'answer': '…'}`), `acknowledged`
    ("好的。", "Sure, here is the code:" is all that a conversation of one request gets, but where most answers of
    the set are as short as talk is), `link` (a link is the whole
    answer). `bare` counts answers that are a number or one of the letters A to E, where at most one answer in twenty is
    and nothing that was said asks for one. `canned` counts answers that at least five rows with other questions have
    word for word, in a set whose
    answers are else of their own: a service gave one text for all. Answers to
    users who speak of errors, output or programs are fine, and so is code. Results of tools are counted by themselves:
    an agent may meet an error and learn from it.

    `swapped` counts exchanges whose texts changed sides: in a set of at least 100 exchanges, a user's text that begins,
    ends and asks as answers of the set do, with an answer that does as its users do. `turned` counts conversations of
    three exchanges and more whose first messages read as the last ones of the others do, and the last ones as their
    first (in a set of at least 100): the turns stand in the reverse order.
    """

    metrics = {
        "rate": Metric(
            "rows with an error as an answer",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="one row is no reason to stop, and may be a quotation",
        ),
        "tool_rate": Metric(
            "rows with an error as a tool's result",
            "share",
            of="rows",
            limit=Limit(warn_max=0.02),
            why="tools fail in good traces too; above 2 rows in 100 they were not working",
        ),
        "canned": Metric(
            "rows with an answer that rows with other questions have, word for word",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="one text for unlike questions answers none of them; a riddle or a rule may be quoted often",
        ),
        "bare": Metric(
            "rows whose answer is a number or a letter that nobody asked for",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="another column stands there; 3 of 80,000 answers of public sets are so",
        ),
        "swapped": Metric(
            "rows in which the user says what answers say, and the assistant what users say",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="told by style, so for people to read; of 80,000 exchanges of public sets it names five",
        ),
        "turned": Metric(
            "rows that begin as conversations of the set end, and end as they begin",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="told by style, so for people to read: their turns stand in the reverse order",
        ),
    }

    reads = "answer"
    check: Literal["error_as_answer"] = "error_as_answer"

    def needs(self) -> tuple[Need, ...]:
        """What may be an error, and what is to be known of all answers."""
        return Need(ErrorTexts()), Need(AnswerKeys()), Need(Sides()), Need(RowEnds()), Need(LastAnswers())

    def measure(self, data: View) -> Measured:
        """Look at the beginning of what the assistant and its tools say, then at what was asked."""
        texts = suspects(data, ErrorTexts())
        said = texts.filter(_by_model())
        suspect = said.filter(ErrorTexts().gate()).collect().lazy()
        heard = of_rows(texts, suspect)
        prose = suspect.with_columns(text=without_code(pl.col("text")))
        prose = prose.join(_asked(heard), on="row", how="left", maintain_order="left")
        kinds = {kind: holds & _unasked(kind) for kind, holds in _kinds().items()}
        found = flagged(prose, kinds).drop(*_SPOKEN_OF.values())
        if _is_talk(data, found):
            found = found.filter(pl.col("problem") != "acknowledged").collect().lazy()
        by_tool = pl.col("role") == "tool"
        canned = canned_answers(data).with_columns(problem=pl.lit("canned"), detail=pl.lit(None, pl.String))
        bare, swapped = _bare(data), swapped_sides(data).with_columns(detail=pl.lit(None, pl.String))
        turned = turned_rows(data).with_columns(detail=pl.lit(None, pl.String))
        others = (canned, bare, swapped, turned)
        every = [evidence(found, said), *(evidence(some, texts_of(data, plain=False)) for some in others)]
        return Measured(
            (
                *rates("rate", found.filter(~by_tool), data.rows, by=self.by, rows=data.rows),
                *rates("tool_rate", found.filter(by_tool), data.rows, by=self.by, rows=data.rows),
                *rates("canned", canned, data.rows, by=self.by, rows=data.rows),
                *rates("bare", bare, data.rows, by=self.by, rows=data.rows),
                *rates("swapped", swapped, data.rows, by=self.by, rows=data.rows),
                *rates("turned", turned, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat(every),
            figures={"kinds": per_kind(pl.concat([found, *others], how="diagonal_relaxed"))},
        )


def _is_talk(data: View, found: pl.LazyFrame) -> bool:
    """Whether most answers are a sentence or two, as in plays: who is told something says that it was heard."""
    every, talk = data[Need(LastAnswers())].select(pl.len(), pl.col("talk").sum()).collect().row(0)
    heard = found.filter(pl.col("problem") == "acknowledged").collect().height
    return bool(every - heard >= _ANSWERS and talk - heard >= _MOSTLY * (every - heard))


def _bare(data: View) -> pl.LazyFrame:
    """Last answers that are a number or a letter and nothing else, where few are, to users who ask for neither."""
    last = data[Need(LastAnswers())].collect()
    some = last.filter("bare")
    if last.height < _ANSWERS or some.height > _SOME * last.height:
        some = some.clear()
    texts = of_rows(texts_of(data, plain=False), some.lazy())
    wanted = asked(texts, wanted=_OF_BARE).filter("wanted").select(pl.col("row").cast(pl.UInt64)).collect()
    found = some.filter(~pl.col("row").is_in(wanted["row"].implode())).drop("bare")
    return found.with_columns(problem=pl.lit("bare"), detail=pl.lit(None, pl.String)).lazy()


class LastAnswers(Feature):
    """`row`, `part`, `role`, `turn`, `path`, `bare`, `talk`: each row's last answer.

    bare: a number or a letter and nothing else; talk: a short text that ends as a sentence does.
    """

    columns = {
        **PLACE, "bare": pl.Boolean, "talk": pl.Boolean,
    }  # fmt: skip

    def compute(self, part: View) -> pl.DataFrame:
        """Look at the short ones."""
        return alone(_last(part.turns).collect())


def _last(turns: pl.LazyFrame) -> pl.LazyFrame:
    last = last_answers(messages(turns))
    text = pl.col("text")
    bare = (text.str.len_bytes() < _SHORT) & text.str.contains(_BARE)
    talk = (text.str.len_bytes() < _TALK) & text.str.tail(_END).str.contains(_SENTENCE)
    return last.select("row", "part", "role", "turn", "path", bare=bare, talk=talk)


def _kinds() -> dict[str, pl.Expr]:
    """Whether `text` is of each kind."""
    kinds = {kind: pl.col("text").str.contains(pattern) for kind, pattern in _PATTERNS.items()}
    kinds["traceback"] |= pl.col("text").str.contains(_TRACEBACK, literal=True)
    by_assistant = pl.col("role") == "assistant"
    kinds["printed"] = pl.col("text").str.contains(_PRINTED) & by_assistant
    kinds["link"] = pl.col("text").str.contains(_LINK) & by_assistant
    kinds["acknowledged"] = pl.col("text").str.contains(_HEARD) & by_assistant
    return kinds


def _asked(heard: pl.LazyFrame) -> pl.LazyFrame:
    """Per row, whether its user speaks of errors, of programs or of a word for nothing, or only wants to be heard."""
    users = heard.filter(pl.col("role") == "user").with_columns(code=looks_like_code(pl.col("text")))
    words = asked(
        users, errors=_OF_ERRORS, nothing=_OF_NOTHING, data=_OF_DATA, links=_OF_LINKS, agreement=_OF_AGREEMENT
    )
    talk = (pl.len() > 1) | (pl.col("text").str.len_chars().max() < _REQUEST)
    more = users.group_by("row").agg(pl.col("code").any(), talk=talk)
    wanted = {name: pl.col(name) | pl.col("code") for name in _SPOKEN_OF.values()}
    wanted["agreement"] = pl.col("agreement") | pl.col("talk")
    return words.join(more, on="row").select("row", **wanted)


def _unasked(kind: str) -> pl.Expr:
    """Whether the kind counts in this row: nobody asks a tool for an error."""
    wanted = pl.col(_SPOKEN_OF.get(kind, "errors")).fill_null(value=False)
    return (pl.col("role") == "tool") | ~wanted
