"""The check leftover_markup."""

from string import ascii_letters, digits
from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, total
from datacheck.features.shared_tails import LastSentences, shared_tails
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.turn_texts import evidence, flagged, looks_like_code, of_rows, per_kind, texts_of, without_code
from datacheck.text.chinese import all_in_both_scripts, each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges, either
from datacheck.text.gated import by_beginning, contains_behind, contains_run, one_of

_SHOWN = 80  # characters at the end of an answer
# What Markdown uses (sup, details, b, table, a single br) and what agents do (think, answer, tool_call) is not named.
_CLOSED = r"(?i:</(?:p|div|span|[uo]l|li|h[1-6]|font|center|script|iframe)\s*>)"
_OPENED = (
    r"(?i:<(?:a|p|div|span|font|img|li|t[dr])\s(?:[^<>]{0,200}\s)?"
    r"(?:class|style|href|src|target|align|color|size|width|onclick)\s*=)"
)
_TAG = r"</?[A-Za-z][^<>]{0,300}>"
_BREAKS = r"(?i:<br\s*/?>\s*<br\s*/?>|(?m:^(?:[^|\n<>]{2,300}<br\s*/?>\n?){3}))"
# Marks of references that stand nowhere: two, behind words.
_MARK = r"(?:[\p{Han}。，；]\s?|[a-z]{3}(?:[.,;]\s?| ))\[\d{1,2}\](?:[\s，。,.;；、]|$)"
_FIRST_MARKS = one_of(["[1]", "[2]", "[3]"])
_LISTED = r"(?m)^\s*\[\d{1,2}\]"
_OF_NUMBERS = ascii_edges(
    r"\[\d{1,2}\]|(?i:citation|\bcite|reference|source|\barray|\bindex|\blist|列表|数组|引用|参考文献|来源|文献)"
)
_ENTITY = (
    r"&(?:nbsp|lt|gt|amp|quot|apos|[lr][ds]quo|[mn]dash|hellip|middot|bull|copy|emsp|ensp"
    r"|#[0-9]{2,5}|#[xX][0-9a-fA-F]{2,5});"
)
_BBCODES = ("b", "i", "u", "url", "img", "quote", "size", "color", "center", "font")
_BBCODE = "|".join(rf"(?i:\[{tag}(?:=[^\]\n]+)?\][^\[\]]+\[/{tag}\])" for tag in _BBCODES)
_DATA_URI = r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]{20}"
_LETTERS, _LONG_BLOB = r"[A-Za-z0-9+/]", 160
_BLOB_SIGNS = ascii_letters + digits + "+/"
_BLOB = rf"{_LETTERS}{{{_LONG_BLOB},}}"
_ALL_BLOB = rf"^\s*{_LETTERS}{{{_LONG_BLOB},}}={{0,2}}\s*$"  # data and nothing else
_SIGNS = 28  # different signs of 64 in a run; 160 random ones have about 59
_CHROME = all_in_both_scripts(
    (  # what stands around the text of a page; two different ones at the least
        "上一篇",
        "下一篇",
        "展开全文",
        "版权所有",
        "责任编辑",
        "打印本页",
        "返回顶部",
        "(?i:share on (?:facebook|twitter))",
        "(?i:cookie policy|accept cookies)",
        "(?i:privacy policy)",
        "(?i:terms of (?:use|service))",
        "(?i:all rights reserved)",
        "(?i:skip to (?:main )?content)",
        ascii_edges(r"\| Tweet\b|\bTweet \|"),
    )
)
_CHROME_ZH = "|".join(each for each in _CHROME if not each.isascii())
_SITE_WORDS = all_in_both_scripts(
    (  # a page's own words, which no answer has for a reader
        r"ICP[备证] ?[0-9]{6}",
        r"公网安备 ?[0-9]{8}",
        r"[\n，,。；;] ?转载请注明出处",
        r"[。！？\n]扫描下方二维码",
        r"长按识别二维码",
        r"点击上方蓝字关注",
        r"^[\s*#>|-]*(?:您的位置[:：]|当前位置[:：][^\n]{0,8}首页|首页 ?>+ ?\S)",
        r"显示全部楼层",
        r"(?:…|\.\.\.) ?\[?(?:展开全部|查看全文|阅读全文|点击展开)",
        (
            r"^[\s*#>|-]*(?:This website uses cookies|We use cookies to|Please enable JavaScript"
            r"|You need to enable JavaScript|Skip to main content)"
        ),
        r"\.\.\. Read more",
        r"\[Read more\.\.\.\]",
        r"Continue reading →",
        r"\nSent from my i(?:Phone|Pad)",
        r"\nanswered [A-Z][a-z]{2} \d+ '\d\d at ",
        r"\nedited [A-Z][a-z]{2} \d+ '\d\d at ",
        r"Last edited by [^;\n]{1,40}; \d\d-",
        r"\nPosted by [^\n]{1,40} on [A-Z][a-z]+ \d+, \d{4}",
        r"window\.dataLayer = ",
        r"\(adsbygoogle = ",
        r"var _hmt = ",
        r"^@\w{2,20}[:：,，]? (?:你好|您好|谢谢|感谢|[Hh]i[ ,，!！]|[Hh]ello|[Tt]hank)",
        r"谢谢采纳",
        r"望采纳[，,] ?谢谢",
        r"更多精彩内容请?关注",
        r"来自(?:iPhone|Android|安卓)客户端",
        r"\n赞\(\d+\) ?踩\(\d+\)",
        r"(?:^|\n)楼主发表于",
        r"只看该作者",
        r"[。！？>\n ]点击(?:这里|此处|链接|下方链接)(?:查看|了解|阅读)(?:更多|全文|详情)",
        r"\n回复 ?\d+ ?楼",
        r"\nshare\|improve this answer",
        r"\nadd a comment ?\|",
        r"\nEDIT ?\d?: ",
        r"请采纳(?:[，,。！!点]|\s*$)",
        r"采纳点赞",
        r"求采纳",
        r"\n译者注[:：]",
        r"\n\d+ 人赞同了该回答",
        r"\n(?:发布于|编辑于) ?20\d\d-\d\d-\d\d",
        r"\n👍 ?\d+(?: ?人?(?:赞同?|点赞))?\s*$",
        r"\nShare this article:",
        r"\nThis article was originally published ",
        r"\nAdvertisement\n",
        r"See full answer »",
        r"[（(\n。]本文(?:来自|转载自|摘自|首发于|来源[:：])[^\n。]{0,12}(?:公众号|知乎|简书|博客|头条|网站)",
        r"加(?:我)?(?:微信|VX|vx|QQ|Q群)(?:号|群)?[^。\n]{0,8}(?:领取|咨询|免费|获取|优惠)",
        r"点击(?:下方)?链接[^。\n]{0,30}(?:购买|下单|领取|抢购)",
        r"\nThis (?:article|post|story) (?:was )?(?:first|originally) (?:appeared|published) ",
        r"Click here (?:\(|at |to |: ?)?https?://",
    )
)
_RESIDUE = each_in_both_scripts(
    {  # no words around it make it right, but a subject that is itself such a thing
        "citation": r"【\d+(?::\d+)?†[^】\n]{0,40}】|:contentReference\[oaicite:"
        r"|citeturn\d+(?:search|view|news|file)\d",
        "wiki": ascii_edges(
            r"\[citation needed\]|\[来源请求\]|\[(?:编辑|編輯)\]|\[\[(?:Category|File|分类|文件):"
            r"|\{\{cite (?:web|book|news|journal)\b|<ref(?: name=[^<>]{1,60})?>"
        ),
        "merge_conflict": r"<<<<<<< (?:HEAD|ours|Updated|Stashed)|>>>>>>> (?:[0-9a-f]{7}|theirs|Stashed|\w+/)",
        "subtitle": r"--> \d\d:\d\d:\d\d[,.]\d{3}",
        "copy_button": r"Copy code\n|复制代码\n|\n(?:重新生成|Regenerate(?: response)?)\s*(?:\n|\z)",
        "line_numbers": r"\A {1,6}1(?:\t| {2})[^\n]*\n {1,6}2(?:\t| {2})",  # what `cat -n` and tools write before lines
        "picture": r"\[图片\]|【图片】|\[表情\]|\[image\]",
        "progress": r"%\|█[^\n]{0,60}it/s",
        "harness": (  # what the program that asked the model wrote beside its answer
            r"(?m)^\[?20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\n]{0,10} (?:INFO|DEBUG|WARN(?:ING)?|ERROR)[ :\]]"
            r"|\n(?:finish_reason|stop_reason|prompt_tokens|completion_tokens|total_tokens|[Tt]okens used)[\"']?\s*[:=]"
            r"|\[object Object\]"
            # who wrote it when, as a chat exports it: "[2024-03-05 14:22:31] 客服小王：您好"
            r"|\A\[?20\d\d[-/.]\d\d?[-/.]\d\d?[ T]\d\d:\d\d(?:(?::\d\d)?\]? ?\n?[\p{L}\p{N}_]{1,16}[:：]"
            r"|:\d\d(?:[.,]\d{3,6}|Z)?[\])】]?\s{1,3}\p{L})"
        ),
        "rating": r"\n(?:Score|Rating|评分|得分|打分) ?[:：] ?\d+(?:\.\d+)? ?(?:/ ?\d+|分)? ?(?:\n|$)",
        "page_number": r"\n\s*(?:Page (?:\d+ of|\|) \d+|第 ?\d+ ?页 ?[/，,]? ?共 ?\d+ ?页|- \d+ -)\s*\n",
        "page_chrome": (
            r"\n\W*(?:展开(?:阅读)?全文|责任编辑[:：]|上一篇[:：][^\n]*下一篇|本文转载自|点赞\s*收藏"
            r"|Read more »|Share this:|Subscribe to our newsletter|We use cookies|Log in to reply|Leave a comment \|)"
        ),
        "site_words": "|".join(_SITE_WORDS),
        "escaped_markdown": r"\\\*\\\*[^*\n\\]{1,60}\\\*\\\*|(?m:^\\[-*#] [^\n]{1,200}\n(?:\n)?\\[-*#] )",
        "percent": r"(?m)^\s*(?:%[0-9A-Fa-f]{2}){12}",
        "broken_word": r"(?s)[a-z]{2}-\n[a-z]{2}.{1,400}[a-z]{2}-\n[a-z]{2}.{1,400}[a-z]{2}-\n[a-z]{2}",
    }
)
_OF_RESIDUE = ascii_edges(
    r"(?i)citation|\bcite|reference|wiki|\bgit\b|merge|conflict|subtitle|\bsrt\b|caption|hyphen|\bpage numbers?|image"
    r"|picture|\bphoto|markdown|latex|blog|newsletter|cookie|引用|参考文献|维基|合并|冲突|字幕|图|照片|博客|页码|公众号|编辑"
)
_OF_RATINGS = ascii_edges(
    r"(?i)\bscor|\brat(?:e|ing)|\bgrad|evaluat|assess|judg|review|critique|feedback|sentiment|评|打分|得分|分数|游戏|比赛|game|match"
)
_OF_SITES = ascii_edges(
    r"(?i)advert|marketing|promot|\blogs?\b|logging|translat|营销|广告|文案|推广|引流|带货|日志|翻译"
)
_PATTERNS = {
    "html_tag": f"{_CLOSED}|{_OPENED}|{_BREAKS}",
    "html_entity": _ENTITY,
    "bbcode": _BBCODE,
    "base64": f"{_DATA_URI}|{_BLOB}",
}
# The first patterns to try, wider than the others and cheaper; all as one would take twenty times as long.
_WORDED = ("citation", "wiki", "merge_conflict", "subtitle", "copy_button", "picture", "progress")  # begin with words
_GATES = (
    r"(?i:</(?:p|div|span|[uo]l|li|h[1-6]|font|center|script|iframe)|<br\s*/?>|<[a-z]+\s[^<>]*=)",
    r"(?i:\[/[biucsfq])",
    _ENTITY,
    f";base64,|{_CHROME_ZH}",
    _FIRST_MARKS,
    either(_RESIDUE[kind] for kind in _WORDED),
    *(_RESIDUE[kind] for kind in _RESIDUE if kind not in (*_WORDED, "site_words")),
    *by_beginning(_SITE_WORDS),
)
_OF_CHROME = r"(?i:share on|cookie|policy|terms of|rights reserved|skip to)|Tweet"  # stands in all that are no Chinese
# Rows that speak of such things, by a word in any of their messages, mean what they write.
_WEB = ascii_edges(
    r"(?i)html|\bxml|\bcss\b|javascript|\bjsx?\b|\breact\b|\bvue\b|\bphp\b|\bdom\b|\bxss\b|\bsvg\b|\burl.?encod|wordpress"
    r"|web ?page|website|front-?end|\btags?\b|markup|markdown|readme|escap|\bentit(?:y|ies)\b|scrap(?:e|ing)"
    r"|\bpars(?:e|er|ing)\b|网页|网站|前端|标签|转义|爬虫|渲染"
)
_PAGE = ascii_edges(r"(?i:<!doctype|<html\b)")
_ADDRESS = ascii_edges(r"(?i:https?://\S+|[\w/-]+\.html?\b)")
_CODE_WORDS = ascii_edges(r"(?i)\bcod(?:e|ing)\b|\bprogram(?:s|mer|ming)?\b|\bscripts?\b|代码|编程|脚本")
_GROUNDED = (
    r"</p>\s*(?:\{?<[0-9]|\[SEG\]|<box>|<delim>|\[+[0-9])"  # phrases of a picture, as MiniGPT and GLaMM mark them
)
_FORUM = in_both_scripts(r"(?i)bb ?code|forum (?:code|post|markup)|论坛")
_CIPHER = ascii_edges(
    r"(?i)base-?64(?:[^,a-z0-9]|$)|encod|decod|encrypt|decrypt|certificate|-----BEGIN|ssh-rsa|\bhash|signature|\bjwt\b"
    r"|编码|解码|加密|解密|密钥|证书|签名|哈希"
)


class MarkedUpTexts(Suspects):
    """The rows with a text, not of a tool, in which markup or words of pages may be."""

    thoughts = True

    def gate(self) -> pl.Expr:
        """All patterns one by one: as one they take a hundred times as long."""
        text = pl.col("text")
        return pl.col("role").ne_missing("tool") & pl.any_horizontal(
            *map(text.str.contains, _GATES),
            contains_behind(text, _OF_CHROME, "|".join(_CHROME)),
            contains_run(text, _BLOB_SIGNS, _LONG_BLOB, f"{_LETTERS}{{{_LONG_BLOB}}}"),
        )


class LeftoverMarkup(Check):
    r"""Share of rows with markup of web pages or forums in their prose: `</p>`, `&nbsp;`, `[/url]`, or base64 data.

    The kinds: `html_tag` (block tags that close, tags with attributes, two line breaks in a row), `html_entity`,
    `bbcode` (a tag with its end), `base64` (data: URIs, and runs of 160 characters and more), `page_chrome` (in
    answers, two of such as 上一篇, 版权所有, "Share on Facebook", "Cookie Policy", or one on a line of its own), and in
    answers also `citation` (【4†source】), `wiki`, `merge_conflict`, `subtitle` (times of a transcript),
    `line_numbers` (of `cat -n`), `copy_button`, `picture` ([图片]), `progress` (a progress bar), `harness` (lines of a
    log, `finish_reason:
    length`, [object Object], who wrote an answer when), `rating` (a line "Score: 8/10" that nobody asked for),
    `page_number` and `broken_word` (hyphens at line ends), `site_words` (ICP numbers, 转载请注明出处, "Please enable
    JavaScript", dates of a forum), `percent` (a line that begins with a dozen of %E4), `escaped_markdown`
    (`\*\*bold\*\*`) and `reference_mark` (two of [1], and no list).
    Code is left out, and so are results of tools and rows in which some message speaks of HTML, markup or encodings.
    Fine are what Markdown borrows from HTML (`<sup>`, `<details>`, `<b>`, a `<br>` or two, tables), the tags of agents
    and reasoning (`<tool_call>`, `<think>`, `<answer>`) and placeholders of pictures.

    `tails` counts answers that end with one sentence of prose, word for word ("Visit … for more", 请关注公众号): ten
    and more, at least 2 in 100, where at most half of the answers end so. What is concluded (答案是 B) is none.
    """

    metrics = {
        "rate": Metric(
            "rows with leftover markup",
            "share",
            of="rows",
            limit=Limit(warn_max=0.001),
            why="single tags may be meant; above 1 row in 1,000 pages were not cleaned",
        ),
        "tails": Metric(
            "rows whose answer ends with a sentence that is the last one of many others",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a notice or an advertisement was appended, or it is how a writer takes leave: somebody should read it",
        ),
    }

    reads = "text"
    check: Literal["leftover_markup"] = "leftover_markup"

    def needs(self) -> tuple[Need, ...]:
        """What may be markup, and how answers end."""
        return Need(MarkedUpTexts()), Need(LastSentences())

    def measure(self, data: View) -> Measured:
        """Search every text outside code; leave out the rows whose subject is markup."""
        text = pl.col("text")
        texts = suspects(data, MarkedUpTexts()).filter(pl.col("role").ne_missing("tool"))
        suspect = texts.filter(MarkedUpTexts().gate()).collect().lazy()
        subjects = _subjects(of_rows(texts, suspect))
        prose = suspect.with_columns(text=without_code(pl.col("text"))).join(
            subjects, on="row", how="left", maintain_order="left"
        )
        fits = {
            "html_tag": ~pl.col("web") & ~pl.col("program") & ~looks_like_code(text.str.replace_all(_TAG, " ")),
            "html_entity": ~pl.col("web"),
            "bbcode": ~pl.col("web") & ~pl.col("forum"),
            "base64": ~pl.col("cipher"),
        }
        kinds = {kind: text.str.contains(pattern) & fits[kind] for kind, pattern in _PATTERNS.items()}
        shown_around = pl.sum_horizontal(*(text.str.contains(words) for words in _CHROME)) > 1
        kinds["page_chrome"] = shown_around & (pl.col("role") == "assistant") & ~pl.col("web")
        for kind, residue in _RESIDUE.items():
            left = text.str.contains(residue) & (pl.col("role") == "assistant") & ~pl.col("residue")
            left &= ~pl.col("web_asked" if kind == "site_words" else "web")  # a page may name JavaScript itself
            if kind in ("site_words", "harness"):
                left &= ~pl.col("sites")
            if kind == "rating":
                left &= ~pl.col("rated")
            if kind == "percent":
                left &= ~pl.col("cipher")
            kinds[kind] = kinds[kind] | left if kind in kinds else left
        explained = pl.col("numbered") | pl.col("program") | text.str.contains(_LISTED) | looks_like_code(text)
        kinds["reference_mark"] = (text.str.count_matches(_MARK) > 1) & (pl.col("role") == "assistant") & ~explained
        run, alone = text.str.extract(f"({_BLOB})"), text.str.contains(_ALL_BLOB)
        kinds["base64"] &= text.str.contains(_DATA_URI) | _is_data(run, alone)
        shown = {
            kind: text.str.extract(f"({pattern})").str.slice(0, 60) for kind, pattern in (_RESIDUE | _PATTERNS).items()
        }
        found = flagged(prose, kinds, shown).drop(
            "web", "web_asked", "program", "forum", "cipher", "residue", "numbered", "sites", "rated"
        )
        tails = shared_tails(data).with_columns(problem=pl.lit("shared_tail"), detail=pl.lit(None, pl.String))
        about = total(subjects.filter("web"))
        left_out = Message.plural(
            "{n:,} row speaks of markup or web pages; its markup was not judged",
            "{n:,} rows speak of markup or web pages; theirs was not judged",
            about,
        )
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("tails", tails, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat([evidence(found, texts), _ends(tails, data)]),
            figures={"kinds": per_kind(pl.concat([found, tails], how="diagonal_relaxed"))},
            not_checked=(left_out,) if about else (),
        )


def _ends(tails: pl.LazyFrame, data: View) -> pl.LazyFrame:
    """Evidence with the ends of the answers."""
    shown = pl.format("…{}", pl.col("text").str.strip_chars_end().str.tail(_SHOWN))
    return evidence(tails, texts_of(data, plain=False)).with_columns(text=shown)


def _subjects(texts: pl.LazyFrame) -> pl.LazyFrame:
    """Per row, whether one of its texts speaks of web pages, programs, forums or encodings."""
    text = pl.col("text")
    words = text.str.replace_all(f"{_TAG}|{_ADDRESS}", " ")  # not the words inside of markup
    return texts.group_by("row").agg(
        web_asked=(words.str.contains(_WEB) & pl.col("role").ne_missing("assistant")).any(),
        web=(words.str.contains(_WEB) | text.str.contains(f"{_PAGE}|{_GROUNDED}")).any(),
        program=text.str.contains(_CODE_WORDS).any(),
        forum=text.str.contains(_FORUM).any(),
        cipher=text.str.contains(_CIPHER).any(),
        numbered=(text.str.contains(_OF_NUMBERS) & pl.col("role").ne_missing("assistant")).any(),
        rated=(text.str.contains(_OF_RATINGS) & pl.col("role").ne_missing("assistant")).any(),
        sites=(text.str.contains(_OF_SITES) & pl.col("role").ne_missing("assistant")).any(),
        residue=(text.str.contains(_OF_RESIDUE) & pl.col("role").ne_missing("assistant")).any(),
    )


def _is_data(run: pl.Expr, alone: pl.Expr) -> pl.Expr:
    """Whether a long run has all sorts of signs, as data have: zeros, DNA and loops of a model have not.

    English in base64 has no `+` and `/`: a run that is the whole text (`alone`) needs none.
    """
    sorts = pl.all_horizontal(*(run.str.contains(one) for one in ("[A-Z]", "[a-z]", "[0-9]")))
    sorts &= run.str.contains("[+/]") | alone
    return (sorts & (run.str.split("").list.n_unique() >= _SIGNS)).fill_null(value=False)
