"""The check embedded_template."""

from typing import Literal

import polars as pl

from datacheck.check import Check, Limit, Measured, Message, Metric, Need, View, rates, total
from datacheck.features.suspects import Suspects, suspects
from datacheck.features.turn_texts import asked, evidence, flagged, of_rows, per_kind, without_code
from datacheck.loading.formats import names_of
from datacheck.text.chinese import each_in_both_scripts, in_both_scripts
from datacheck.text.edges import ascii_edges, either

_USERS = r"(?:Human|User|用户|人类|提问者)"
_BOTS = r"(?:Assistant|ASSISTANT|AI|Bot|GPT|ChatGPT|助手|AI助手|助理|机器人)"
_OTHERS = (
    r"(?:医生|律师|老师|客服|顾问|咨询师|心理咨询师|专家|模型|Doctor|Agent|Therapist|Support)"  # behind a user's label
)
_ASKERS = r"病人|患者|来访者|求助者|顾客|客户|家长|学生|用户|Patient|Client|Customer|Student|User"
_ROLES = r"role|from"
_SAID = r"content|value"
_ASKS = r"instruction|prompt|question|messages|conversations"
_GIVES = r"output|response|completion|answer|role|from"
_QUOTE = r"[\"']"
_PATTERNS = each_in_both_scripts(
    {
        "alpaca": (
            r"Below is an instruction that describes a task|(?s:#{2,3} ?(?:Instruction|Human|User|指令|用户) ?[:：].*"
            r"#{2,3} ?(?:Response|Assistant|Output|回答|助手|回复) ?[:：])"
        ),
        "vicuna": ascii_edges(
            r"A chat between a curious (?:user|human) and an artificial intelligence assistant"
            r"|(?s:\bUSER: .*\bASSISTANT:)"
        ),
        "dialogue": rf"(?s:^\s*(?:\*\*)?{_USERS}(?:\*\*)? ?[:：].*\s(?:\*\*)?(?:{_BOTS}|{_OTHERS})(?:\*\*)? ?[:：])",
        "record": (
            rf"(?s:^\s*[\[{{][\s{{]*{_QUOTE}(?:{_ROLES}){_QUOTE}\s*:\s*{_QUOTE}.*{_QUOTE}(?:{_SAID}){_QUOTE}\s*:.*[\]}}]\s*$)"
            rf"|(?s:^\s*[\[{{][\s{{]*{_QUOTE}(?:{_ASKS}){_QUOTE}\s*:.*{_QUOTE}(?:{_GIVES}){_QUOTE}\s*:.*[\]}}]\s*$)"
        ),
        "rounds": r"(?s:^\s*\[Round \d+\]\s*问[:：].*答[:：])|^\s*问[:：][^\n]+\n\s*答[:：]\s*$",
        "wrapped": (
            r"(?s)^\s*\{\s*\"(?:text|response|answer|output|content|result|reply|completion)\"\s*:\s*"
            r"\"(?:[^\"\\]|\\.)*\"\s*\}\s*$"
            r"|^\s*\[\"[^\"\\]{20,}(?:\\.[^\"\\]*)*\"\]\s*$"
        ),
        "preamble": ascii_edges(
            r"^\W*(?i:(?:sure|certainly|of course)\W{1,3})?(?i:(?:here(?: is|['’]s)|below is) (?:the|a|an|my) "
            r"(?:rewritten|improved|revised|refined|polished) "
            r"(?:version of (?:the|your) )?(?:response|answer|prompt)\b)"
            r"|^\W*#(?:Rewritten|Given|New) Prompt#"
            r"|^\s*\[(?:Response|Answer|Output)\]:"
            r"|^\W*(?:(?:好的|没问题|当然可以)[，,。！])?(?:以下|下面|这)是(?:改写|优化|修改|改进|润色|重写|扩写)(?:后|过)?的"
            r"(?:回答|回复|答案|指令|问题|提示词|版本)"
            r"|^\W*(?:(?:好的|没问题|当然可以)[，,。！])?(?:以下|下面|这)是(?:根据|按照)[您你](?:提供)?的(?:要求|指令)?"
            r"(?:改写|优化|修改|生成|格式)[^\n：:。]{0,6}的(?:内容|数据|回答|版本)[：:]"
            r"|^\W*(?:(?:Rewritten|Revised|Improved) (?:answer|response)|改写后|优化后) ?[:：]"
            r"|^[^\n]{0,30}(?:问答对|训练数据|训练样本)[:：]"
            r"|^\W*(?i:here(?: is|['’]s) a high-quality (?:response|answer)\b)"
            r"|^\W*(?i:(?:sure|certainly|of course)\W{1,3})?"
            r"(?i:here(?: is|['’]s) the translat(?:ion|ed (?:text|version)))\b"
            r"|^\W*(?:(?:好的|没问题|当然可以)[，,。！])?(?:以下|下面|这)是(?:中文|英文)?(?:翻译|译文)"
            r"(?:后的|结果|内容|文本)?[^\n：:。]{0,6}[：:]"
        ),
        "object": r"^\s*(?:\w+\.)*(?:ChatCompletion|AI|Chat)?(?:Message|Choice|Completion)\((?:content|id|role|text)=",
        "label": (
            r"^\W{0,4}(?:Rewritten|New|Created|Given) Prompt\W{0,3}[:：]"
            r"|^\s*(?:\*\*)?(?:Human|User|USER|用户|提问者)(?:\*\*)? ?[:：](?:[^\n:：]{8}[^\n]*)\s*$"
        ),
        "side": (
            r"^\W{0,4}(?:(?:Response|Assistant|回答|回复|答案) ?[AB12] ?[:：]|(?:更优|更差|chosen|rejected)[】\])])"
        ),
        "grade": ascii_edges(
            r"(?m)^\W*(?:(?i:(?:overall )?(?:score|rating)|grade)|(?:综合|总|最终)?[评得打]分) ?[:：】\]]+ ?"
            r"\d+(?:\.\d+)?(?:分| ?/ ?\d+)[^\n]{0,80}\s*\z"
            r"|\[\[(?:\d+|[ABC])\]\]\s*\z|^打分理由[:：]|\bEvaluation: The (?:assistant|response|answer)"
            r"|(?i:\boverall score: \d)|[。\n](?:评分|得分)[:：]\d+(?:\.\d+)?\s*\z"
            r"|以上(?:回答|内容|答案)[由为是](?:AI|人工智能)生成"
        ),
        "closing": ascii_edges(  # what the maker says to who ordered the data, and who looked at it to the next one
            r"(?i)\[(?:end of (?:response|answer|output)|eos|pad|sep|eot)\]\s*\z"
            r"|(?:[^|<_]|^)im_end\s*(?:im_start(?:user|assistant|system)?\s*)?\z"
            r"|\[end of (?:response|answer|output)\]|\(note: this (?:response|answer) (?:was|has been|is) "
            r"|\b(?:rewritten|revised|improved) (?:response|answer) (?:meets|is helpful|helps)"
            r"|another question-answer pair|generate more (?:examples|samples|data)"
            r"|[【（(\[](?:标注|质检|待(?:审核|复核|确认|修改))[^】）)\]\n]{0,30}[】）)\]]\s*\z"
        ),
        "speaker": (
            rf"^\s*(?:#{{2,4}} ?)?(?:\*\*)?(?:{_BOTS}|Response)(?:\*\*)? ?[:：](?:\*\*)?\s*\S"
            r"|^\s*[\[【](?:助手|客服|医生|律师|老师|顾问|回答|assistant|Assistant|ASSISTANT|AI|Bot|bot)"
            r"[\]】][:： ]?\s*\S"
            r"|^\s*assistant\s*\n\s*\S"  # of a template whose signs were taken out
            r"|^\s*(?:(?i:gpt-?[345]|chatgpt|claude|qwen|deepseek|llama)[\w.-]*|小助手) ?[:：]\s*\S"
        ),
        "transcript": (  # a whole conversation as one question, where nearly all others are conversations themselves
            rf"(?s:^\s*(?:{_ASKERS}) ?[:：][^\n]+\n+\s*(?:{_OTHERS}) ?[:：][^\n]+\n+\s*(?:{_ASKERS}) ?[:：])"
        ),
        "answer_mark": r"^\s*A ?[:：] ?[^\n]{20}",
        "headed": r"^\s*(?:\*\*)?(?:Answer|Reply|Output|答|答案|回答|回复|输出)(?:\*\*)? ?[:：](?:\*\*)?[^\n]{40}",
    }
)
_AT_ONCE = [kind for kind in _PATTERNS if kind not in ("alpaca", "vicuna", "grade", "closing")]  # at the beginning
_GRADE = in_both_scripts(  # what any grade holds: literal words are searched for ten times as fast
    r"(?:[Ss]core|SCORE|[Rr]ating|RATING|[Gg]rade|GRADE|评分|得分|打分) ?[:：】\]]|打分理由|\[\[(?:\d|[ABC]\])"
    r"|Evaluation: The |以上(?:回答|内容|答案)[由为是](?:AI|人工智能)生成"
)
_TAIL = 200  # characters, in which closing words stand
_IN_PROMPTS = ("alpaca", "vicuna", "dialogue", "record", "rounds", "label", "transcript")
_OTHER_SPEAKERS = r"(?m)^\s*[B-DQ] ?[:：.、)]"  # A and B speak, or are to choose from
_MOST = 0.1  # rows with a whole transcript as a question, from which on this is the task
_SECOND_SIDE = in_both_scripts(r"\n\W{0,4}(?:Response|Assistant|回答|回复|答案) ?[AB12] ?[:：]")  # somebody lists both
_WANTED = each_in_both_scripts(
    {  # what was asked for, by the user or by the system prompt
        "wrapped": ascii_edges(r"(?i)json|format|schema|object|\bapi\b|dict|格式|对象|字典"),
        "headed": (
            r"(?i)(?:answer|reply|output|response)\W{0,3}[:：]|format|output|[答复出案]\W{0,3}[:：]|格式|输出|例[:：如]"
            r"|(?m:^[QA] ?[:：])"
        ),
        "answer_mark": r"(?m)^\W{0,3}[A-DQ] ?[:：.、)]|[\s（(][A-D] ?[.、)）:：]"
        r"|对话|dialog|conversation|script|剧本|格式|format",
        "preamble": ascii_edges(
            r"(?i)translat|re-?writ|revis|improv|refin|polish|rephras|paraphras|\bedit|correct|翻译|译成|译为|改写|优化|修改|改进|润色|重写|扩写|生成|格式"
        ),
        "grade": ascii_edges(
            r"(?i)\bscor|\brat(?:e|ing)|grad(?:e|ing)|review|evaluat|judge|feedback|评|打分|得分|分数|反馈"
        ),
    }
)
# Who works with prompts, records or dialogues may quote one, and may be answered with one.
_QUOTED = ascii_edges(
    r"(?i)\bprompts?\b|template|fine-?tun|instruction[- ]tun|\balpaca\b|vicuna|dialog|conversation|transcript|chat ?log"
    r"|\bchats?\b|summari[sz]e|\bjson\b|role-?play|\bact as|script|interview|story|\bscenes?\b|simulat"
    r"|提示词|模板|微调|对话|聊天|总结|概括|摘要|续写|剧本|采访|访谈|扮演|角色|情景|模拟|故事|小说"
)
_MARKUP = (  # what the templates themselves say, which is no word of a user
    r"Below is an instruction that describes a task[^\n]*|(?i:a chat between a curious)[^\n]*|#{2,3} ?\w+ ?[:：]"
    r"|(?:Rewritten|New|Created|Given) Prompt\W{0,3}[:：]|[\"'](?:messages|conversations|prompt|from|role)[\"']"
)


class TemplateTexts(Suspects):
    """The rows with a message, not of a tool, in which parts of a template may stand."""

    plain = False

    def gate(self) -> pl.Expr:
        """The patterns, as few of them as one as are fast so."""
        text = pl.col("text")
        kinds = [text.str.contains(either(_PATTERNS[kind] for kind in _AT_ONCE))]
        kinds += [text.str.contains(each) for each in (_PATTERNS["alpaca"], _PATTERNS["vicuna"], _GRADE)]
        closing = text.str.tail(_TAIL).str.contains(_PATTERNS["closing"])
        return pl.col("role").ne_missing("tool") & pl.any_horizontal(*kinds, closing)


class EmbeddedTemplate(Check):
    r"""Share of rows with a template or conversation inside one message: `### Instruction:`, `User: … Assistant: …`.

    The kinds: `alpaca` and `vicuna` (the words of these templates, with both speakers), `dialogue` (a message that
    begins with `User:` or 用户： and goes on with the assistant's turn), `record` (the JSON of a message or of a
    whole record as the text), `rounds` (`[Round 1]`, a prompt that is 问：… 答：), `transcript` (病人：…
    医生：… as a question, where at most one row in ten is so) and, in answers, what their maker said around them:
    `answer_mark` (`A: …`), `speaker` (`Assistant: …`), `headed` (`Answer: …` that nobody asked for), `side`
    (`Response A: …`), `wrapped` (`{"text": "…"}`, `["…"]`), `object` (`ChatCompletionMessage(…)`), `preamble` ("Here
    is the rewritten answer:"), `grade` (评分：8分 at the end) and `closing` (`[End of response]`, 【质检：…】).
    `label` is "#Rewritten Prompt#:" before a prompt, or `User:` before one of a single line. Tokens such as
    `<|im_start|>` are control_tokens' to report.
    Messages in which somebody works with prompts, dialogues or JSON
    are fine, and rows of plain text, which are rendered on purpose.
    """

    metrics = {
        "rate": Metric(
            "rows with a template in a message",
            "share",
            of="rows",
            limit=Limit(warn_max=0),
            why="a set has none or many, and some are written so on purpose (hh-rlhf)",
        )
    }

    reads = "text"
    check: Literal["embedded_template"] = "embedded_template"

    def needs(self) -> tuple[Need, ...]:
        """What may be of a template."""
        return (Need(TemplateTexts()),)

    def measure(self, data: View) -> Measured:
        """Search every message with its code taken out, then ask what the row is about."""
        texts = suspects(data, TemplateTexts()).filter(pl.col("role").ne_missing("tool"))
        bare = texts.filter(TemplateTexts().gate()).with_columns(text=without_code(pl.col("text")))
        bare = bare.collect().lazy()
        heard = of_rows(texts, bare)
        heard = heard.with_columns(text=pl.col("text").str.replace_all(_MARKUP, " "))
        for words in (asked(heard, ("user",), quoted=_QUOTED), asked(heard, **_WANTED)):
            bare = bare.join(words, on="row", how="left", maintain_order="left")
        of_assistant, quoted = pl.col("role") == "assistant", pl.col("quoted").fill_null(value=False)
        kinds = {
            kind: pl.col("text").str.contains(pattern) & ~quoted & (of_assistant | (kind in _IN_PROMPTS))
            for kind, pattern in _PATTERNS.items()
        }
        kinds["dialogue"] &= ~of_assistant  # a transcript as an answer was asked for; run_on_answers reads the others
        for kind in ("rounds", "label", "transcript"):
            kinds[kind] &= ~of_assistant
        kinds["transcript"] &= ~kinds["dialogue"]
        kinds["answer_mark"] &= ~pl.col("text").str.contains(_OTHER_SPEAKERS)
        kinds["label"] &= ~pl.any_horizontal(kinds[kind] for kind in ("alpaca", "vicuna", "dialogue"))
        kinds["side"] &= ~pl.col("text").str.contains(_SECOND_SIDE)
        for kind in _WANTED:
            kinds[kind] &= ~pl.col(kind).fill_null(value=False)
        found = flagged(bare, kinds).drop("quoted", *_WANTED)
        asked_so = pl.col("problem") == "transcript"
        if total(found.filter(asked_so)) > max(1, _MOST * total(data.rows)):
            found = found.filter(~asked_so)
        plain = total(data.rows.filter(pl.col("format").is_in(names_of("plain"))))
        left_out = Message.plural(
            "{n:,} row is one plain text, which may be rendered on purpose",
            "{n:,} rows are one plain text, which may be rendered on purpose",
            plain,
        )
        return Measured(
            rates("rate", found, data.rows, by=self.by, rows=data.rows),
            evidence=evidence(found, texts),
            figures={"kinds": per_kind(found)},
            not_checked=(left_out,) if plain else (),
        )
