"""What the checks say beside a place, in Chinese.

A check writes its `detail` in English, once, in report.json: a short form of words around numbers and names. A form
that is not known here stays as it is; quoted data (“…”), names and numbers are never changed.
"""

import re
from collections.abc import Mapping
from typing import Any

_TYPES = {
    "string": "字符串", "number": "数字", "integer": "整数", "boolean": "布尔值", "array": "数组", "object": "对象",
    "null": "null", "literal_list": "列表文本", "list": "列表", "dict": "对象",
}  # fmt: skip
_PARTS = {"question": "题目", "answer": "答案", "text": "文本"}
_LEVELS = {"block": "阻断", "warn": "警告", "profile": "仅统计"}
_STATES = {"valid": "有效", "suspect": "疑似", "specimen": "示例号码"}

# What the readers say of a line, after "column N: ".
_LINES = {
    r"byte (0x\w+) is not UTF-8(?:; probably (\S+))?": lambda m: (
        f"字节 {m[1]} 不是 UTF-8" + (f"；可能是 {m[2]}" if m[2] else "")
    ),
    r"byte (0x\w+) is not (\S+)": lambda m: f"字节 {m[1]} 不是 {m[2]}",
    r"probably (\S+); name it in the contract \((.+)\)": r"可能是 \1；在契约中写明（\2）",
    r"(\d+) of (\d+) bytes are NUL": r"\2 个字节中有 \1 个 NUL",
    r"the line begins with a conflict marker": "行首是合并冲突标记",
    r"the line begins with a byte order mark": "行首有字节顺序标记（BOM）",
    r"the line begins with an HTML tag": "行首是 HTML 标签",
    r"the second of two equal keys ends here": "第二个同名键在此结束",
    r"an escape for half of a surrogate pair": "只转义了代理对的一半",
    r"a control character must be escaped": "控制字符必须转义",
    r"only a bracket: does the record span several lines\?": "只有一个括号：一条记录是否写成了多行？",
    r"the line ends inside the record": "行在记录中间结束",
    r"the next record starts before this one ends": "本条记录未结束，下一条已开始",
    r"the array is not closed": "数组没有结束",
    r"more text after the (record|array)": lambda m: f"{'记录' if m[1] == 'record' else '数组'}之后还有内容",
    r"NaN or Infinity is not JSON": "NaN 与 Infinity 不是合法的 JSON",
    r"looks like the repr of a Python object": "像是 Python 对象的 repr",
    r"expected (`.+`|ident|value)": r"此处应为 \1",
    r"a bracket that closes too much": "多余的右括号",
    r"a comma without a value": "逗号后没有值",
    r"a comma is missing before this value": "此值之前缺少逗号",
    r"text that belongs to no record": "不属于任何记录的内容",
    r"neither an object nor a list of messages": "既不是对象，也不是消息列表",
    r"a list, but not of messages": "是列表，但不是消息列表",
    r"more than (.+) digits": r"超过 \1 位数字",
    r"more than (.+) times the file's size": r"超过文件大小的 \1 倍",
    r"more than (.+) values": r"超过 \1 个值",
    r"more than (.+)": r"超过 \1",
    r"deeper than (.+)": r"嵌套超过 \1 层",
    r"longer than (.+); not read": r"超过 \1，未读取",
    r"longer than (.+); the rest of the file is not read": r"超过 \1，文件其余部分未读取",
    r"(.+) bytes; the limit is (.+)": r"\1 字节，上限 \2",
    r"(\d+) fields; the header has (\d+)": r"\1 个字段，表头有 \2 个",
    r"a quote is opened and never closed": "引号没有闭合",
    r"text follows a closing quote": "右引号之后还有内容",
    r"a carriage return inside an unquoted field": "未加引号的字段中有回车符",
    r"not valid CSV": "不是合法的 CSV",
    r"empty or repeated column names": "列名为空或重复",
    r"the header record cannot be parsed": "无法解析表头",
    r"the header holds (.+); the delimiter is (.+)": r"表头中有 \1，而分隔符是 \2",
    r"0 bytes": "0 字节",
    r"one JSON array (on one line|over several lines)": lambda m: (
        f"一个 JSON 数组，写在{'一行' if m[1] == 'on one line' else '多行'}"
    ),
    r"the (first|second) line is a record of its own": lambda m: (
        f"第{'一' if m[1] == 'first' else '二'}行是一条独立的记录"
    ),
    r"the first record spans several lines": "第一条记录跨越多行",
    r"the name says (\S+), the first bytes do not": r"文件名表示 \1，文件开头却不是",
    r"(.+) data under another name or compressed": r"实际是 \1 数据，文件名不符或经过压缩",
    r"neither the name nor the first byte says JSON, CSV or Parquet": "从文件名和首字节都看不出是 JSON、CSV 或 Parquet",
    r"no list under the key that the contract names": "契约指定的键下没有列表",
    r"no object whose entries could be records": "没有可作为记录列表的对象",
    r"the file is not the one that was hashed": "文件与计算哈希时不同",
    r"size, time or inode differ after reading": "读取后文件的大小、时间或 inode 有变化",
}  # fmt: skip

_TOOLS = {
    r"(.+) is not among the tools": r"工具列表中没有 \1",
    r"the string is not JSON": "字符串不是合法的 JSON",
    r"a (str|list|int|float|bool|dict)": r"类型为 \1",
}
_LANGUAGES = {
    "Chinese": "中文", "Japanese": "日文", "Korean": "韩文", "English": "英文", "Cyrillic letters": "西里尔字母",
    "Arabic letters": "阿拉伯字母", "Thai": "泰文", "Devanagari": "天城文", "Hebrew": "希伯来文", "Greek": "希腊文",
}  # fmt: skip
_FOUND = {r"first at character (\d+)": r"首处位于第 \1 个字符"}
_CHARACTERS = {r"([\d,]+) tokens": r"\1 个 token", r"([\d,]+) characters": r"\1 个字符"}

# check → the forms of its details. A form of one check may be the data of another.
_CHECKS: Mapping[str, Mapping[str, Any]] = {
    "unreadable_lines": _LINES,
    "banned_terms": {r"list (.+)": r"词表 \1"},
    "broken_references": {r"(\d+) unknown": r"\1 个未知"},
    "garbled_text": _FOUND,
    "run_on_answers": _FOUND,
    "leakage": {
        r"(\d+) of (\d+) n-grams of ([a-z ]+)(\[.+\])": lambda m: (
            f"{_PARTS.get(m[3], m[3])}{m[4]} 的 {m[2]} 个 n-gram 中命中 {m[1]} 个"
        )
    },
    "missing_files": {
        r"(\d+) marks <(\w+)>, (\d+) files": r"\1 个 <\2> 占位符，\3 个文件",
        r"differs in case only: (.+)": r"仅大小写不同：\1",
        r"the same name elsewhere: (.+)": r"别处有同名文件：\1",
        r"not under source\.media": "不在 source.media 之下",
    },
    "overlong_samples": _CHARACTERS,
    "thin_reasoning": _CHARACTERS,
    "pii": {
        r"(block|warn|profile) (.+), (\w+) \((\w+)\) at ([\d,]+), (.+)": lambda m: (
            f"{_LEVELS[m[1]]}：{m[2]}，{_STATES.get(m[3], m[3])}（{m[4]}），偏移 {m[5]}，{m[6]}"
        )
    },
    "repetitive_text": {r"(\d+) times": r"重复 \1 次", r"(\d+) % of the text": r"占文本的 \1%"},
    "role_errors": {
        r"role (\S+)": r"角色 \1",
        r"(\S+) comes first": r"\1 排在最前",
        r"(\S+) after (\S+)": r"\2 之后出现 \1",
    },
    "schema_violations": {
        r"expected (.+), found (\w+)": lambda m: (
            f"应为{'或'.join(_TYPES.get(one, one) for one in m[1].split(' or '))}，实为{_TYPES.get(m[2], m[2])}"
        ),
        r"(\d+) items, and (\d+) in (.+)": r"\1 项，而 \3 有 \2 项",
    },
    "similar_texts": {r"rank (\d+): cosine (\S+), Jaccard (\S+)": r"第 \1 名：余弦 \2，Jaccard \3"},
    "truncated_samples": {
        r"(\d+) of (\d+) tokens are kept, (\d+) of (\d+) trained ones": (
            r"\2 个 token 中保留 \1 个，其中参与训练的 \4 个中保留 \3 个"
        )
    },
    "language_mismatch": {
        r"asked in ([A-Z][a-z ]+), answered in ([A-Z][a-z ]+)": lambda m: (
            f"提问用{_LANGUAGES.get(m[1], m[1])}，回答用{_LANGUAGES.get(m[2], m[2])}"
        )
    },
    "wrong_language": {r"it is (\S+)": r"实为 \1"},
    "control_tokens": {r"(\d+) opened, (\d+) closed": r"\1 个开头，\2 个结尾"},
    "unknown_sid_tokens": {
        r"(\S+) is not in the index": r"\1 不在索引中",
        r"(\S+) is not in the index; the tokenizer splits it into (\d+) pieces": (
            r"\1 不在索引中；分词器将其切成 \2 段"
        ),
    },
    "tool_call_errors": _TOOLS,
}
_FORMS: Mapping[str, list[tuple[re.Pattern[str], Any]]] = {
    check: [(re.compile(form), said) for form, said in forms.items()] for check, forms in _CHECKS.items()
}
_COLUMN = re.compile(r"column ([\d,]+)(?:: (.*))?", re.DOTALL)


def in_chinese(check: str, detail: str | None) -> str | None:
    """The detail of a place with the check's own words in Chinese; what it quotes stays as it is."""
    if not detail or check not in _FORMS:
        return detail
    words, quote, data = detail.partition(" “")
    return _said(_FORMS[check], words) + quote + data


def _said(forms: list[tuple[re.Pattern[str], Any]], words: str) -> str:
    at = _COLUMN.fullmatch(words) if forms is _FORMS["unreadable_lines"] else None
    if at:
        return f"第 {at[1]} 列" + (f"：{_said(forms, at[2])}" if at[2] else "")
    for form, said in forms:
        match = form.fullmatch(words)
        if match:
            return str(said(match)) if callable(said) else match.expand(said)
    return words
