"""The check placeholder_text."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, total
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.text_key import media
from datacheck.features.turn_texts import asked, evidence, flagged, looks_like_code, of_rows, per_kind, without_code
from datacheck.text.chinese import each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges, either
from datacheck.text.gated import contains_behind, one_of
from datacheck.text.prose import is_prose

# A brace after a letter, $, \, ^, _ or another brace belongs to LaTeX, a shell, a format string or a workflow file.
_START = r"(?:^|[^A-Za-z0-9_$\\^{}'])"
_NAME = r"[\p{L}_][\p{L}\p{N}_.-]+"
_FIELDS = (
    "instruction|input|output|question|query|prompt|context|answer|response|user_input|system_prompt|history|passage"
    "|document|[a-z]{3,20}_name|问题|指令|答案|内容|输入|输出|上下文|姓名|名称"
)
_MISSING = (
    r"内容|待[补填]\p{Han}{0,6}|(?:此处|在此|请在此|这里)[^\[\]【】\n]{0,20}|(?:请)?填写[^\[\]【】\n]{1,20}"
    r"|插入\s*\p{Han}[^\[\]【】\n]{0,20}"
)
_MISSING_EN = r"(?i:insert [^\[\]\n]{1,60}|(?:your|the) (?:answer|text|content|response|code) here|content|answer here)"
# 【内容】 alone in a line is the heading of what follows, where another line begins with such a heading.
_HEADING = in_both_scripts(r"(?im)^[ \t]*[\[【]\s*(?:内容|content)\s*[\]】][ \t]*\n+[ \t]*([^\s\[【])")
_HEADINGS = r"(?m)^[ \t]*【[^【】\n]{1,12}】"
_NOTHING = in_both_scripts(r"(?i)[\[【]\s*(?:内容|content|待补\p{Han}*|(?:answer|content) here)\s*[\]】]")
_TO_DO = r"(?:TODO|TBD|FIXME|(?:内容|此处)?待(?:补充|填写|完善|定稿))[\]】）):：*.。\s]*"
_PATTERNS = each_in_both_scripts(
    {
        # {{name}}, not /hotels/{{HotelId}}/rooms?id={{Id}}: the places of an address, as documents of interfaces have
        "template_field": f"(?:^|[^A-Za-z0-9_$\\\\^{{}}'/=])(\\{{\\{{ ?{_NAME} ?\\}}\\}})(?:[^/]|$)",
        # ${name}, not ${ab}$ and ${He}^{+}$
        "shell_variable": r"(?:^|[^A-Za-z0-9_$\\^{}`])(\$\{[A-Za-z][A-Za-z0-9_.]+\})(?:[^$^_\\ ]| [^\\^]|$)",
        "format_field": f"{_START}(\\{{(?:{_FIELDS})\\}})",  # {instruction}
        "angle_field": r"(<<(?:[A-Z]+(?:_[A-Z]+)+|NAME|USER|DATE|CITY|INPUT|QUESTION|ANSWER|CONTENT|TEXT)>>)",
        "to_do": rf"(?m)^[\s\[【（(*#-]*({_TO_DO})$|[.。!！?？] ?(?:TODO|TBD|FIXME)[:：] ?[^\n]{{0,60}}$",
        "missing_content": (
            rf"([\[【]\s*(?:{_MISSING}|{_MISSING_EN})\s*[\]】]|[（(]请?(?:此处|这里|在此处?|在这里)请?(?:插入|填写|填入|补充|输入)[^（）()\n]{{1,20}}[）)]"
            r"|<(?:INSERT|Insert) [A-Za-z][^<>\n]{1,40}>)"
        ),
        # an assistant whose name and maker nobody filled in, as LLaMA-Factory's identity.json has them, once as <NAME>
        "identity_field": ascii_edges(
            r"(\b(?:I am|I['’]m|[Nn]ame is|named|called|[Cc]all me|me as) (?:<NAME>|NAME\b)|\bby (?:<AUTHOR>|AUTHOR\b)"
            r"|(?:我是|我叫|名叫|名为|叫做?) ?(?:<NAME>|NAME\b)|(?:叫我|作为|名字是) ?<NAME>|由 ?(?:<AUTHOR>|AUTHOR\b))"
        ),
    }
)
# In answers, where nobody asked for a letter, a form or an exercise: what a person was to fill in.
_HERS = in_both_scripts(
    r"(?:姓名|名字|公司(?:名称?)?|日期|地址|电话|手机号?|单位|学校|产品(?:名称?)?"
    r"|城市|职位|品牌(?:名称?)?|客户(?:姓名|名称?))"
)
_ANSWERED = each_in_both_scripts(
    {
        "bracket_field": rf"([【\[](?:你的|您的|请?输入|某)?{_HERS}[】\]])",
        "crossed_out": r"(\p{Han}×{2,}|×{2,}\p{Han})",
        "blank": r"(\p{Han}(?:[:：] ?)?_{3,}|_{3,}\p{Han})",
        "filler": r"(?i)(lorem ipsum dolor)",
        "name_field": r"(\[(?:[Yy]our|[Rr]ecipient['’]s) [A-Za-z]+(?: [A-Za-z]+)?\]|<your [a-z ]{1,20} here>)",
    }
)
# “我感到______，因为我需要______”: a sentence that is offered to its reader, for whom the blank is meant.
_OFFERED = r"[“‘「『\"][^“”‘’「」『』\"\n]{0,40}(?:_{3,}|×{2,})[^“”‘’「」『』\"\n]{0,60}"
_LETTER = r"(?m)^[^\p{L}\p{N}\n]{0,4}(?:Dear|Hi|Hello|Hey|Subject:|To [Ww]hom)[ ,:\[]"
_COMMENT = r"(?m)^\s*(?:#|//|--|/\*|<!--)\s*(?:TODO|TBD|FIXME)"
_FILLED = in_both_scripts(r"(?i:replac|substitut|placeholder|template|variable|fill in|替换|占位|模板|变量)")
_OF_PLACES = rf"{_FILLED}[^\n]{{0,80}}\{{|\}}[^\n]{{0,80}}{_FILLED}"  # says beside it what is to stand there
_INSERT = r"\[(?i:insert) "
_PASTED = 1_000  # bytes; a longer prompt brings a letter or an advertisement that has places of its own
_LONGEST = 400  # bytes of such a prompt
# A prompt of one line that ends on a text which does not follow: "Summarise the following article."
_PROMISED = ascii_edges(
    r"(?i)^[^\n]{0,120}\b(?:the )?following (?:\w+ ){0,2}?(?:text|article|passage|paragraphs?|sentences?|e-?mail|code"
    r"|poem|essay|story|document|dialogue|conversation|review|tweet|quote|snippet)(?: (?:in|into|to|as) [^.:\n]{1,30})?"
    r"\s*[.:]?\s*$|^[^\n]{0,60}(?:以下|(?:^|[^子章题频文贴里])下面|下列)(?:的|这[段篇个句份]|给出的)?\s*"
    r"(?:文本|文章|段落|句子|代码|诗歌|短文|内容|文字|材料|对话|评论|邮件)"
    r"[^：:\n。，,？?“\"]{0,16}[。：:]?\s*$"
)
# How tables write a cell without a text, as the input of a prompt.
_EMPTY_CELLS = ("\nnan", "\nNaN", "\n<NA>", "\n#N/A")
# A prompt about a picture or a file that a row of text alone does not have.
_FIGURE = ascii_edges(
    r"(?i)如[下右上左]?图(?:所示|[一二三四甲乙1-9,，])|(?:^|[，。])(?:读|据|观察|结合)[下右上]图|(?:^|[，。])[下右上]图(?:为|是|中|所示|表示)"
    r"|\battached (?:image|picture|photo|pdf|document|screenshot)\b|\bshown in the (?:figure|diagram|picture|image)\b"
    r"|\b(?:image|picture|photo|pdf|document|screenshot) (?:that )?i(?:['’]ve| have)? (?:just )?(?:uploaded|attached)\b"
    r"|\b(?:image|picture|photo|figure|diagram) (?:shown |given |attached )?below\b"
)
# An answer that shows one, where nobody spoke of any.
_SHOWN = ascii_edges(
    r"(?i)如[下右上左]?图所示|见[下上]图|[下上]图(?:所示|显示|展示)"
    r"|\b(?:shown|seen|depicted) in (?:the )?(?:image|figure|picture|diagram|photo|chart)s? (?:above|below)\b"
    r"|\b(?:image|figure|picture|diagram|photo|chart) (?:above|below) (?:shows|illustrates|depicts)\b"
    r"|\bsee (?:the )?(?:image|figure|picture|diagram) (?:above|below)\b|\bin the (?:image|picture|photo) above\b"
)
_NEAR_FIGURES = in_both_scripts("above|below|图所示|[上下]图")
_PICTURES = in_both_scripts(r"(?i)图|image|figure|picture|diagram|photo|chart|graph|draw|plot")
_FIGURES = one_of(["图", "attached", "uploaded", "shown in the", "below"])
_DRAWN = r"\[asy\]|!\[|<img|<image|https?://|```|\\begin\{|\n\s*\||[┌│+]--|<svg"
_PROMISES = one_of(["ollowing ", "以下", "下面", "下列"])
_FORMS = ascii_edges(
    r"(?i)letter|e-?mail|template|form\b|contract|agreement|invitation|blank|market|report|script|speak|\bcall|pitch|\bbio\b|certificate|invoice|thank|apolog|review|message|introduc|memo|notice|speech|announce"
    r"|proposal|policy|resume|\bcards?\b|greeting|complain|inquir|enquir|\brequest|\brepl(?:y|ies)\b|respon(?:se|d) to"
    r"|lorem|dummy|filler|html|\bcss\b|latex|占位|假文|résumé|\bcv\b|advert|news|\bpost\b|×|__|【|信|函|聘|一份|一封|邮件|通知|模板|范文|简历|合同|申请|声明|邀请|致辞|演讲"
    r"|文案|公告|证明|报告|计划|方案|话术|填|表格|试卷|练习|题|协议|海报|广告|简介|介绍|新闻|故事|小说|诗|作文|文章|对话|剧本|简报"
)
# The dollar of ${a_n}=\frac{1}{2}$ opens a formula; a dollar before a brace opens the next placeholder.
_FORMULA = r"\$\{[A-Za-z][A-Za-z0-9_.]*\}[^$\n]{0,200}\$(?:[^{]|$)"
_BRACES = ("template_field", "shell_variable", "format_field")
_ALONE = in_both_scripts(rf"(?m)^[ \t]*\{{(?:{_FIELDS})\}}[ \t]*$")  # in a line of its own
_GIVEN = either(_PATTERNS[kind] for kind in _BRACES)


class TextsWithPlaces(Suspects):
    """The rows with a text in which something may be left to fill in, or may be missing."""

    thoughts = True

    def gate(self) -> pl.Expr:
        """A placeholder, or words about what is not there."""
        return _any_kind() | _may_be_absent()


def _any_kind() -> pl.Expr:
    return pl.col("text").str.contains(either((_PATTERNS | _ANSWERED).values()))


class PlaceholderText(Check):
    """Share of rows with a placeholder that nobody filled in: `{{name}}`, `${user}`, `{instruction}`, `[内容]`, TODO.

    Also counted, in answers whose prompt asks for no letter, form or exercise: 【姓名】, ×× and ____ in Chinese, "Lorem
    ipsum" (`filler`).
    `absent_input` is a prompt that ends on "the following article" (以下文章), and no text follows or is beside it, or
    on a line that says `nan` or `<NA>`: an empty cell of a table;
    `absent_figure` one about a picture ("the attached image", 如图所示) in a row without any, or an answer that shows
    one of which nobody spoke.
    Braces count outside code, formulas and texts that look like code. Fields that only the reader of a letter can
    fill in, as `[Your Name]`, are fine in such, and so are `XXX` and blanks of an exercise.
    """

    metrics = {
        "rate": Metric(
            "rows with a placeholder left in them",
            "share",
            of="rows",
            limit=Limit(warn_max=0, max=0.005),
            why="a few may be meant; above 1 row in 200 a template was never filled in",
        ),
        "absent": Metric(
            "rows that speak of a text or a picture that is not there",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="found by words; what is not there may be told in others",
        ),
    }

    reads = "text"
    check: Literal["placeholder_text"] = "placeholder_text"

    def needs(self) -> tuple[Need, ...]:
        """What may have a place that is not filled."""
        return (Need(TextsWithPlaces()),)

    def measure(self, data: View) -> Measured:
        """Search every text with its Markdown code taken out."""
        texts = suspects(data, TextsWithPlaces())
        suspect = texts.filter(_any_kind()).collect().lazy()
        heard = of_rows(texts, suspect)
        prose = suspect.join(asked(heard, form=_FORMS, braces=_GIVEN), on="row", how="left", maintain_order="left")
        prose = prose.with_columns(text=without_code(pl.col("text")))
        prose = prose.with_columns(code=looks_like_code(pl.col("text"))).collect().lazy()
        text, is_code = pl.col("text"), pl.col("code")
        bare = (pl.col("role") == "system") & text.str.contains(_ALONE)  # no code is a system prompt, whatever it shows
        kinds = {
            kind: text.str.contains(pattern) & ~(is_code & ~bare) if kind in _BRACES else text.str.contains(pattern)
            for kind, pattern in _PATTERNS.items()
        }
        said, form = pl.col("role") == "assistant", pl.col("form").fill_null(value=False)
        kinds |= {kind: text.str.contains(pattern) & said & ~form for kind, pattern in _ANSWERED.items()}
        headed = (
            pl.when(text.str.count_matches(_HEADINGS) > 1).then(text.str.replace_all(_HEADING, "$1")).otherwise(text)
        )
        kinds["missing_content"] = headed.str.contains(_PATTERNS["missing_content"])
        for kind in ("blank", "crossed_out"):
            kinds[kind] &= text.str.replace_all(_OFFERED, "").str.contains(_ANSWERED[kind])
        # A letter that was asked for leaves the date to its reader, but says something.
        kinds["missing_content"] &= ~(said & form) | text.str.contains(_NOTHING)
        for kind in _BRACES:
            kinds[kind] &= ~(said & pl.col("braces").fill_null(value=False))  # a template that was given to work on
            kinds[kind] &= said | ~text.str.contains(_OF_PLACES)
        kinds["shell_variable"] &= ~text.str.contains(_FORMULA)
        kinds["to_do"] &= said | ~text.str.contains(_COMMENT)  # code that the answer is to complete
        kinds["missing_content"] &= said | ~(text.str.contains(_INSERT) & (text.str.len_bytes() > _PASTED))
        kinds["identity_field"] &= said
        kinds["name_field"] &= ~text.str.contains(_LETTER)
        details = {kind: text.str.extract(pattern) for kind, pattern in (_PATTERNS | _ANSWERED).items()}
        found = flagged(prose, kinds, details).drop("form", "braces")
        braces = text.str.contains(_GIVEN)
        absent = _absent(data, texts)
        unjudged = total(prose.filter(is_code & braces))
        left_out = Message.plural(
            "{n:,} text looks like code outside a fence; braces in it were not judged",
            "{n:,} texts look like code outside a fence; braces in them were not judged",
            unjudged,
        )
        return Measured(
            (
                *rates("rate", found, data.rows, by=self.by, rows=data.rows),
                *rates("absent", absent, data.rows, by=self.by, rows=data.rows),
            ),
            evidence=pl.concat([evidence(found, texts), evidence(absent, texts)]),
            figures={"kinds": per_kind(found)},
            not_checked=(left_out,) if unjudged else (),
        )


def _may_be_absent() -> pl.Expr:
    """Texts in which `_absent` finds something, and few others."""
    text = pl.col("text")
    promised = text.str.contains(_PROMISES) & (text.str.len_bytes() <= _LONGEST)
    pictured = text.str.contains(_FIGURES) & (text.str.len_bytes() <= 2 * _LONGEST)
    empty = pl.any_horizontal(text.str.ends_with(cell) for cell in _EMPTY_CELLS)
    asked = (pl.col("role") == "user") & (promised | pictured | empty)
    return asked | ((pl.col("role") == "assistant") & text.str.contains(_NEAR_FIGURES))


_NAMED_PICTURE = r"(?i)^\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp)$"


def _absent(data: View, texts: pl.LazyFrame) -> pl.LazyFrame:
    """Prompts that end on a text which does not follow, of rows where nothing else was said and no prose is unread."""
    heard = texts.filter(pl.col("part") == "prompt")
    short = heard.filter(pl.col("role") == "user", pl.col("text").str.len_bytes() <= _LONGEST)
    likely = short.filter(pl.col("text").str.contains(_PROMISES)).collect().lazy()
    promised = likely.filter(pl.col("text").str.contains(_PROMISED)).collect().lazy()
    alone = of_rows(heard, promised).group_by("row").len().filter(pl.col("len") == 1)
    beside = of_rows(data.cells.filter(is_prose()), promised).select("row")
    lone = promised.join(alone, on="row", how="semi").join(beside, on="row", how="anti", maintain_order="left")
    written = pl.any_horizontal(pl.col("text").str.ends_with(cell) for cell in _EMPTY_CELLS)
    empty = heard.filter(pl.col("role") == "user", written).select(lone.collect_schema().names())
    missing = flagged(pl.concat([lone, empty]), {"absent_input": pl.lit(value=True)})
    return pl.concat([missing, _absent_figures(data, heard, pl.col("text")), _shown_figures(data, texts, heard)])


def _absent_figures(data: View, heard: pl.LazyFrame, text: pl.Expr) -> pl.LazyFrame:
    """Short prompts about a picture, of rows that have no media, no drawing in words and no prose that nobody reads."""
    short = heard.filter(pl.col("role") == "user", text.str.len_bytes() <= 2 * _LONGEST)
    likely = short.filter(text.str.contains(_FIGURES)).collect().lazy()
    told = likely.filter(text.str.contains(_FIGURE), ~text.str.contains(_DRAWN)).collect().lazy()
    beside = of_rows(data.cells, told)
    named = beside.filter(pl.col("text").str.contains(_NAMED_PICTURE)).select("row")  # Picture: images/maze.png
    seen = pl.concat([media(beside).select("row"), named])
    drawn = of_rows(heard, told).filter(text.str.contains(_DRAWN)).select("row")
    bare = told.join(seen, on="row", how="anti").join(drawn, on="row", how="anti", maintain_order="left")
    return flagged(bare, {"absent_figure": pl.lit(value=True)})


def _shown_figures(data: View, texts: pl.LazyFrame, heard: pl.LazyFrame) -> pl.LazyFrame:
    """Answers that show a picture, of rows that have no media and whose prompts speak of none."""
    text = pl.col("text")
    said = texts.filter(pl.col("role") == "assistant", pl.col("part") != "rejected")
    said = said.filter(contains_behind(text, _NEAR_FIGURES, _SHOWN), ~text.str.contains(_DRAWN)).collect().lazy()
    seen = media(of_rows(data.cells, said)).select("row")
    asked = of_rows(heard, said).filter(text.str.contains(_PICTURES)).select("row")
    return flagged(
        said.join(seen, on="row", how="anti").join(asked, on="row", how="anti", maintain_order="left"),
        {"absent_figure": pl.lit(value=True)},
    )
