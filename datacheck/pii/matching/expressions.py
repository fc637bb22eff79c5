"""What the patterns of recognizers are made of: separators, ends, labels with what follows them, gates."""

import re
from collections.abc import Iterable

from datacheck.text.chinese import in_both_scripts

# What people put between the digits of one number. Not "/" (two numbers) and not "," (CSV).
SEPARATOR = r"[ \t\u00a0\u2000-\u200a\u202f\u3000\-\u2010-\u2015\u2212.·•・_()（）]"
GAP = SEPARATOR + "{0,3}"
# \b does not work beside Han, which is \w; \d would also match digits that are not ASCII.
# Digits before @ and a domain are the name of a mailbox.
LEFT, RIGHT = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z]|@[0-9A-Za-z\-]{1,63}\.[A-Za-z])"
# A label may touch the number (tel138…, No138…, 加V138…); other letters may not.
GLUED_LEFT = rf"(?:{LEFT}|(?<=hone|obile|"
GLUED_LEFT += r"(?<![A-Za-z0-9])(?i:tel|cell|call|sms|whatsapp|wechat|weixin|[vw]x|v|num|no|hp|ph|fax|dh|mob)))"
# ... nor may they on the other side, but for what says how the number is used (138…wx)
RIGHT_OR_USE = rf"(?:{RIGHT}|(?=(?i:[vw]x|wechat|weixin)(?![0-9A-Za-z])))"
HAN = r"\u3400-\u4dbf\u4e00-\u9fff"  # inside a class; the same in Python's re, regex and Rust
# What stands between a label and its value: 姓名：, "name": ", 号码是, 改成, "on file (", "病历号 (MRN): " …
# … with the escapes of JSON inside JSON, as the arguments of a call stand there.
_MARK = r"(?:\\+[\"'nrt]|[ \t\r\n\u3000\"'`“”‘’*_:：=＝|>\]】）)(（\[【,，\-—～~→#])"
_VERB = (
    r"(?:我|[应應要][该該]?)?[填写寫输輸报報](?:[写寫])?(?:的是?|了)?|(?:[应應][该該])?(?:改|换|變更|变更|更新|更正|修改|填|写|登记)?[成为為]"
    r"|(?:就|也|还|呢|確實|确实|现在|目前|好像|一直)?[是係]|[就呢]|[应應][该該]是|我的是?|(?:(?:已经?|刚)?[发發](?:[给給])?|[给給])[你您]了?[哈啊哦啦吧]?|(?:登记|登記|预留|預留|留下?)的是?"
    r"|[这那這]一?[栏欄项項](?:里|中)?"
    r"|我?(?:再|重新?)[发發说說报報打念]一?[遍次]?[哈啊哦吧了]?|是?(?:多少|什么|啥)[?？][ ]?(?:答案?|回[答复]|A)[:：]"
    r"|\\*[\"'][,，][ ]?\\*[\"'](?i:value)\\*[\"'][ ]?:"  # {"key": "wechat_id", "value": …
    r"|[ ](?:is|was|are|to|as|on file|should be|has been|value=)"  # field=qq value=… in a log
    r"|[ ](?i:(?:sure|yes|yeah|okay|ok|of course|certainly),|(?:it|that)(?:['’]s| is| would be))"
    # 写错了，正确的是 …; 不存在，我输的是 …; 报给他，你转一下：…
    r"|(?:[写寫填输輸][错錯]了?(?:[一两几][位个個])?|不[对對]了?|有[误誤]|不存在|[报報发發给給][给給]?[他她你您我])"
    r"[，,。]?[ ]?(?:[你您]?(?:麻烦|请)?[转轉帮幫记記改存收]一?下吧?"
    r"|(?:正确|正確|[应應][该該]|[实實][际際]|新)的?(?:[应應][该該])?"
    r"|我[填写寫输輸]的)(?:是|[:：])"
)
_ASIDE = r"[(（][^()（）\n0-9]{1,24}[)）]"
# … or the turn of a chat in which somebody answers: "请提供病历号\n用户：", "[10:33] 我: "
_SPEAKER = (
    r"(?:\[[^\]\n]{1,24}\][ ]?[^\s:：]{0,16}|用户|客户|顾客|我|你|他|她|本人|对方|客服|小?助手|机器人|系统|患者|病人"
    r"|医生|护士|学生|老师|家长|买家|卖家|乘客|司机|[答问回][复答]?"
    r"|(?i:user|customer|client|human|me|assistant|agent|bot|gpt|patient|caller|[abqi]))"
)
_TURN = (
    r"(?:是|是?多少|是?什么|是?啥|一下|again|please|呢|吗|吧|呀|谢谢|[ ,，。.?？!！~～…\"':：]){0,5}"
    rf"\r?\n[ ]?{_SPEAKER}[ ]?[:：]"
)
# What stands between the words of context and a value, behind which they are looked for: an answer, a verb
SAID_BETWEEN = rf"(?:\r?\n[ ]?{_SPEAKER}[ ]?[:：])?(?:{_MARK}{{0,3}}{_VERB}){{1,3}}{_MARK}{{0,3}}"
ANSWERED = rf"[号號]?[码碼]?{_TURN}(?:{_VERB}|{_MARK}){{0,4}}"
LINKER = rf"(?:(?:{_VERB}|{_MARK}|[号號码碼]|[Nn][Oo]\.?|如下|{_ASIDE}){{0,8}}|{ANSWERED})"
# Behind a value, before its label: 85935272这个病历号, 『148781297』是我的QQ
IS_MINE = r"[』」”\"'*`）)]{0,3}[ ]?[，,]?(?:[这那][个個张張串]|(?:这?就?是|为)?[ ]?(?:我们?|本人|他|她)的?)"
NO_WORD = r"(?!(?i:is|was|are|to|as|on|no|at|in|of)(?![0-9A-Za-z]))"  # before letters and digits with gaps: "is 12345"
NAME_LINKER = rf"(?:(?:{_VERB}|{_MARK}|如下){{0,6}}|{ANSWERED})"

# Expressions that let most rows go before the prefilters that share them are tried; each is a superset of those.
# Or 3-4-4 digits with a sign of the writer's own between them, or line breaks: 138,2233,5566
BREAK = r"[ \-]?\r?\n[ \t>]{0,4}(?:[\-*•][ ])?"  # the number goes on in the next line, or in the next item of a list
# 杠 is how a hyphen is said; arrows, symbols and pictures (138📱1234📱5678) are meant to hide a number from a filter.
SIGNS = "[,，、。/|~～*+;；:：=&#^…杠→\u2190-\u21ff\u2600-\u27bf\U0001f300-\U0001faff]"
BETWEEN_GROUPS = f"[ ]?{SIGNS}{{1,2}}[ ]?"
_APART = rf"[0-9]{{3}}(?:{BETWEEN_GROUPS}[0-9]{{4}}{BETWEEN_GROUPS}|{BREAK}[0-9]{{4}}{BREAK})[0-9]{{4}}"
GATE_FIVE_DIGITS = rf"[0-9](?:{GAP}[0-9]){{4}}|{_APART}"
GATE_DIGITS = rf"[0-9](?:{GAP}[0-9]){{5}}|{_APART}"

# A number is arithmetic, money or a count rather than an identifier ...
_H = r"[^\S\n]*"  # a line break ends a sum: what follows is a bullet, a quotation or the next item of a list
ARITHMETIC_LEFT = (
    # "*", "+", "<", ">" and " - " calculate only after an operand; without one they are Markdown (**138…**, - 138…)
    # and ">" also ends a tag (<td>138…). "5.138" is a decimal, "5. 138…" an item. A name of two or more letters
    # before "=" is a key (tel=138…), one letter is a variable.
    rf"(?:(?:[×÷^≈≤≥￥¥$€£]|等于){_H}|[0-9A-Za-z_)）\]]{_H}[*+<]{_H}|(?<!<[^<>\n]{{0,20}})[0-9A-Za-z_)）\]]{_H}>{_H}|\+"
    rf"|[0-9]\.|[0-9A-Za-z]_-?|(?<![A-Za-z_\"'][A-Za-z_\"'])={_H}|[^\S\n]={_H}-?|={_H}-"
    rf"|(?:^|[\s(（])[-−]|(?:[0-9)）]|(?<![A-Za-z])[A-Za-z]){_H}[-−]{_H}"
    # what a unit test gives to a function, or expects of it: assert find_demlo("133…") (MBPP)
    r"|(?<![A-Za-z])assert[ ][A-Za-z_][A-Za-z0-9_]{0,15}\([\"']?)\Z"
)
ARITHMETIC_RIGHT = (
    rf"^(?:\.[0-9]|{_H}[*×÷^=+]{_H}[0-9(]|{_H}(?:bytes?\b|字节|美元|欧元|日元|[%％])"
    r"|[ ]?(?:除以|乘以|加上|减去|的(?:余数|平方|立方|阶乘|因数))"
    r"|元|人(?![事员力才名们工])|个(?!人)|次|亿|万|倍|吨|公里|公斤|平方|年(?!龄)|岁|天)"
)


def one_of(words: Iterable[str]) -> str:
    """Any of many words, for `regex`, which tries one after the other: by first characters it takes a fifth.

    Rust's engine looks for all at once, and takes twice as long.
    """
    by_first: dict[str, list[str]] = {}
    for word in words:
        by_first.setdefault(re.escape(word[0]), []).append(re.escape(word[1:]))
    branches = (f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return f"(?:{'|'.join(branches)})"


def anywhere(*words: str) -> str:
    """Return a Rust expression for words in any case, of texts without white space, as context is read."""
    return in_both_scripts(f"(?i:{'|'.join(words)})")


def english(*phrases: str) -> str:
    """Return an expression for English names in words, snake_case or camelCase, with "number" and the like."""
    names = "|".join(phrase.replace(" ", r"[ _\-]{0,2}") for phrase in phrases)
    return rf"(?i:(?:{names})(?:[ _\-]{{0,2}}(?:number|num|no\.?|code|id))?)"


def worded(*words: str) -> str:
    """Return an expression for English words of context: not inside others (hotel) nor LaTeX, but phoneNumber."""
    small = "|".join(word.replace(" ", r"[ _\-]?") for word in words)
    large = "|".join(word.title().replace(" ", "") for word in words)
    return (
        rf"(?:(?<![A-Za-z\\])(?i:{small})|(?<=[a-z])(?:{large}))(?i:numbers?|num|no|id|ed|ing|s)?"
        r"(?![a-z]|(?<=[A-Z]{2})[A-Z])"
    )


_KEYS = (  # fields that hold a size, a time or the number of a thing
    r"bytes?|size|len|length|count|offset|pos(?:ition)?|time(?:stamp)?|ts|seq|block|pid|tid|version|total|sum|amount"
    r"|capacity|memory|mem|used|free|available|[num]s|nonce|seed|index|ptr|hash|port|sensor|order|job|task|node"
    r"|session|request|trace|span|serial|sku|isbn|issn|doi|pmid|ticket|invoice"
)
FIELD_LEFT = (
    rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|_)(?i:{_KEYS})"
    rf"(?i:[ _\-]?(?:id|no|num|number|in[ _]bytes)|[ ]?\([a-z/%]{{1,8}}\))?"
    r"[\"']?(?:[ ]?[=:#]?[ ]?[\"'\[]?|-)\Z"
    r"|(?:订单|訂單|单|流水|发票|合同|快递|运单|物流|货|序列|批|型|案|区块|端口)[号號]?[码碼]?(?:是|为)?[ ]?[:：]?[ ]?\Z"  # noqa: E501
    r"|https?://[^\s\u3400-\u9fff]{0,200}\Z"
    r"|[0-9]#[0-9]+:[ ]\*\Z"  # a connection in nginx's log of errors
    r"|(?:GET|HEAD|POST|PUT|DELETE)[ ]/[A-Za-z0-9_.\-/?=&%]{0,80}\Z"
    r"|[A-Za-z0-9_\-]/[A-Za-z0-9_.\-/?=&%]{0,80}\Z|[A-Za-z0-9_][?&][A-Za-z_]{1,16}=\Z"
)
"""What stands before a number in a log, in a URL or in a record of a machine."""
