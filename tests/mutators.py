"""Ways in which a good record or line is broken, one small function each, and what must then be found.

A mutator of a record takes (record, random) and gives a record; one of a line takes (line, random) and gives bytes that
take the line's place. `also` lists further problems of the same line that follow from the fault. A `Spot` says which
line after the mutated one is to be named (a line that is torn in two damages the next one).
"""

import copy
import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from datacheck.check import Check
from datacheck.checks.control_tokens import ControlTokens
from datacheck.checks.empty_turns import EmptyTurns
from datacheck.checks.exact_duplicates import ExactDuplicates
from datacheck.checks.garbled_text import GarbledText
from datacheck.checks.identical_pairs import IdenticalPairs
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.checks.overlong_samples import OverlongSamples
from datacheck.checks.pii import Pii
from datacheck.checks.placeholder_text import PlaceholderText
from datacheck.checks.role_errors import RoleErrors
from datacheck.checks.schema_violations import SchemaViolations
from datacheck.checks.small_gap import SmallGap
from datacheck.checks.tool_call_errors import ToolCallErrors
from datacheck.checks.unreadable_lines import UnreadableLines
from datacheck.checks.wrong_language import WrongLanguage

ALL = ("chat", "alpaca", "preference")
Record = dict[str, Any]


class Mutator(NamedTuple):
    """How to break a record (or, with `raw`, a line), and the check and problem that must name its line."""

    name: str
    check: Check
    problem: str
    change: Callable[[Any, Random], Any]
    bases: tuple[str, ...] = ALL
    raw: bool = False
    also: tuple[str, ...] = ()
    source: Mapping[str, Any] = {}
    prepare: Callable[[Record, int], Record] | None = None  # of every record, so that the fault has a place
    after: tuple[tuple[int, str], ...] = ()  # (lines further on, problem)


# ── where a record keeps its words ──────────────────────────────────────────────────────────────────
def answer_of(record: Record) -> str:
    if "output" in record:
        return record["output"]
    return record["chosen"]["value"] if "chosen" in record else record["conversations"][-1]["value"]


def with_answer(record: Record, text: Any) -> Record:
    new = copy.deepcopy(record)
    if "output" in new:
        new["output"] = text
    elif "chosen" in new:
        new["chosen"]["value"] = text
    else:
        new["conversations"][-1]["value"] = text
    return new


def question_of(record: Record) -> str:
    return record["instruction"] if "instruction" in record else record["conversations"][0]["value"]


def with_question(record: Record, text: Any) -> Record:
    new = copy.deepcopy(record)
    if "instruction" in new:
        new["instruction"] = text
    else:
        new["conversations"][0]["value"] = text
    return new


def insert(text: str, what: str, random: Random) -> str:
    """Put `what` somewhere inside the text, on a line of its own (so that it touches no letter or digit)."""
    at = random.randrange(1, max(2, len(text)))
    return f"{text[:at]}\n{what}\n{text[at:]}"


def said(what: str) -> Callable[[Record, Random], Record]:
    return lambda record, random: with_answer(record, insert(answer_of(record), what, random))


def asked(what: str) -> Callable[[Record, Random], Record]:
    return lambda record, random: with_question(record, insert(question_of(record), what, random))


def answers(text: Any) -> Callable[[Record, Random], Record]:
    return lambda record, _: with_answer(record, text)


# ── lines ───────────────────────────────────────────────────────────────────────────────────────────
def first_text(line: bytes) -> int:
    """Where the first text begins that is not a role."""
    key = b'"instruction": "' if b'"instruction"' in line else b'"value": "'
    return line.index(key) + len(key)


def in_string(what: bytes) -> Callable[[bytes, Random], bytes]:
    """Put bytes into the first text of the line, at its beginning."""

    def change(line: bytes, _: Random) -> bytes:
        at = first_text(line)
        return line[:at] + what + line[at:]

    return change


def with_key(text: bytes) -> Callable[[bytes, Random], bytes]:
    return lambda line, _: line[:-1] + b", " + text + b"}"


def whole(text: bytes) -> Callable[[bytes, Random], bytes]:
    return lambda _, __: text


def cut(line: bytes, random: Random) -> bytes:
    """End the line somewhere behind its first half, never inside a character."""
    return line[: random.randrange(len(line) // 2, len(line) - 2)].decode(errors="ignore").encode()


def cut_in_character(line: bytes, random: Random) -> bytes:
    """Keep the whole line but for the last byte of one Chinese character."""
    text = line.decode()
    places = [n for n, letter in enumerate(text) if "\u4e00" <= letter <= "\u9fff"]
    at = random.choice(places)
    return text[:at].encode() + text[at].encode()[:-1] + text[at + 1 :].encode()


def nul_block(line: bytes, random: Random) -> bytes:
    at = random.randrange(1, len(line) - 8)
    return line[:at] + b"\0" * 8 + line[at + 8 :]


def torn(line: bytes, random: Random) -> bytes:
    """A raw line feed inside a string."""
    at = len(line[: first_text(line) + 12].decode(errors="ignore").encode())
    return line[:at] + b"\n" + line[at:]


def python_repr(line: bytes, _: Random) -> bytes:
    return repr(json.loads(line)).encode()


def dict_of_words(line: bytes, _: Random) -> bytes:
    return line.replace(b'": "', b'": None, "x": "', 1)


def without(what: bytes, instead: bytes = b"") -> Callable[[bytes, Random], bytes]:
    return lambda line, _: line.replace(what, instead, 1)


def many_turns(line: bytes, _: Random) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": "好"}] * 2001}, ensure_ascii=False).encode()


def line(name: str, problem: str, change: Callable[[bytes, Random], bytes], **more: Any) -> Mutator:
    return Mutator(name, UnreadableLines(), problem, change, raw=True, **more)


LINES = [
    line("cut_tail", "truncated_line", cut),
    line("last_brace_lost", "truncated_line", lambda x, _: x[:-1]),
    line("string_not_closed", "truncated_line", lambda x, _: x[: x.index(b'": "') + 9].decode(errors="ignore").encode()),
    line("two_objects", "two_objects", lambda x, _: x + x),
    line("two_objects_and_blank", "two_objects", lambda x, _: x + b" " + x),
    line("garbage_after", "json_syntax", lambda x, _: x + b";"),
    line("comma_after", "json_syntax", lambda x, _: x + b","),
    line("trailing_comma", "json_syntax", lambda x, _: x[:-1] + b",}"),
    line("missing_colon", "json_syntax", without(b'": "', b'" "')),
    line("unquoted_key", "json_syntax", lambda x, _: b"{role: " + x[1:]),
    line("comment", "json_syntax", lambda x, _: b"// " + x),
    line("quote_inside", "json_syntax", in_string(b'a"b')),
    line("bad_escape", "json_syntax", in_string(b"\\x41")),
    line("python_repr", "python_repr", python_repr),
    line("python_none", "python_repr", dict_of_words),
    line("python_true", "python_repr", with_key(b'"ok": True')),
    line("nan", "not_finite", with_key(b'"score": NaN')),
    line("infinity", "not_finite", with_key(b'"score": Infinity')),
    line("minus_infinity", "not_finite", with_key(b'"score": -Infinity')),
    line("too_large_a_double", "not_finite", with_key(b'"score": 1e400')),
    line("nan_deep_inside", "not_finite", with_key(b'"meta": {"scores": [1.0, NaN]}')),
    line("duplicate_key", "duplicate_key", with_key(b'"id": 1, "id": 2')),
    line("duplicate_key_escaped", "duplicate_key", with_key(b'"id": 1, "\\u0069d": 2')),
    line("duplicate_key_inside", "duplicate_key", with_key(b'"meta": {"a": {"id": 1, "id": 1}}')),
    line("high_surrogate_alone", "lone_surrogate", in_string(b"\\ud83d")),
    line("low_surrogate_alone", "lone_surrogate", in_string(b"\\ude00")),
    line("surrogates_reversed", "lone_surrogate", in_string(b"\\ude00\\ud83d")),
    line("raw_control_character", "control_character", in_string(b"\x01")),
    line("raw_tab", "control_character", in_string(b"\t")),
    line("raw_escape", "control_character", in_string(b"\x1b[31m")),
    line("nul_block", "nul_bytes", nul_block),
    line("only_nul", "nul_bytes", whole(b"\0" * 512)),
    line("gbk_line", "not_utf8", lambda x, _: x.decode().encode("gbk", errors="ignore")),
    line("big5_line", "not_utf8", lambda x, _: x.decode().encode("big5", errors="ignore")),
    line("latin1_byte", "not_utf8", in_string(b"caf\xe9")),
    line("overlong_utf8", "not_utf8", in_string(b"\xc0\x80")),
    line("surrogate_as_utf8", "not_utf8", in_string(b"\xed\xa0\xbd")),
    line("cut_in_character", "not_utf8", cut_in_character),
    line("conflict_begin", "merge_conflict", whole(b"<<<<<<< HEAD")),
    line("conflict_middle", "merge_conflict", whole(b"=======")),
    line("conflict_end", "merge_conflict", whole(b">>>>>>> origin/main")),
    line("number_record", "not_an_object", whole(b"42")),
    line("string_record", "not_an_object", whole('"你好"'.encode())),
    line("null_record", "not_an_object", whole(b"null")),
    line("list_of_numbers", "not_an_object", whole(b"[1, 2, 3]")),
    line("list_of_strings", "not_an_object", whole(b'["a", "b"]')),
    line("too_deep", "too_deep", with_key(b'"deep": ' + b"[" * 80 + b"]" * 80)),
    line("much_too_deep", "too_deep", with_key(b'"deep": ' + b'{"a":' * 400 + b"1" + b"}" * 400)),
    line("too_many_keys", "too_many_keys", with_key(b", ".join(b'"k%d": 1' % n for n in range(1001)))),
    line("too_many_keys_inside", "too_many_keys", with_key(b'"m": {' + b", ".join(b'"k%d": 1' % n for n in range(1001)) + b"}")),
    line("too_many_turns", "too_many_turns", many_turns),
    line("integer_too_long", "integer_too_long", with_key(b'"n": ' + b"9" * 5000)),
    line("text_too_long", "text_too_long", in_string(b"a" * (4 * 1024**2 + 1))),
    line("line_feed_in_string", "truncated_line", torn, after=((1, "json_syntax"),)),
]  # fmt: skip


# ── schema ──────────────────────────────────────────────────────────────────────────────────────────
_FIELDS = {
    "uid": {"type": "string", "unique": True, "pattern": "^u[0-9]+$"},
    "src": {"enum": ["forum", "manual"]},
    "stars": {"type": "integer", "min": 1, "max": 5},
    "note": {"type": "string", "required": False, "max_length": 10},
    "meta.lang": {"type": "string"},
}


def labelled(record: Record, number: int) -> Record:
    return {
        **record, "uid": f"u{number}", "src": "forum", "stars": 1 + number % 5, "note": "好", "meta": {"lang": "zh"},
    }  # fmt: skip


def schema(name: str, problem: str, change: Callable[[Record], Record]) -> Mutator:
    check = SchemaViolations.model_validate({"fields": _FIELDS})
    return Mutator(name, check, problem, lambda record, _: change(record), prepare=labelled)


def dropped(record: Record, key: str) -> Record:
    return {name: value for name, value in record.items() if name != key}


SCHEMA = [
    schema("field_missing", "missing_field", lambda r: dropped(r, "stars")),
    schema("field_misspelt", "missing_field", lambda r: {**dropped(r, "uid"), "uuid": r["uid"]}),
    schema("nested_field_missing", "missing_field", lambda r: {**r, "meta": {}}),
    schema("field_null", "null_value", lambda r: {**r, "stars": None}),
    schema("optional_field_null", "null_value", lambda r: {**r, "note": None}),
    schema("nested_null", "null_value", lambda r: {**r, "meta": {"lang": None}}),
    schema("integer_as_string", "wrong_type", lambda r: {**r, "stars": "3"}),
    schema("integer_as_float", "wrong_type", lambda r: {**r, "stars": 2.5}),
    schema("integer_as_boolean", "wrong_type", lambda r: {**r, "stars": True}),
    schema("string_as_number", "wrong_type", lambda r: {**r, "uid": 7}),
    schema("string_as_list", "wrong_type", lambda r: {**r, "note": ["好"]}),
    schema("string_as_object", "wrong_type", lambda r: {**r, "note": {"text": "好"}}),
    schema("enum_in_capitals", "not_in_enum", lambda r: {**r, "src": "Forum"}),
    schema("enum_with_blank", "not_in_enum", lambda r: {**r, "src": "forum "}),
    schema("pattern", "pattern_mismatch", lambda r: {**r, "uid": "user-" + r["uid"]}),
    schema("above_the_range", "out_of_range", lambda r: {**r, "stars": 6}),
    schema("below_the_range", "out_of_range", lambda r: {**r, "stars": 0}),
    schema("too_long_a_value", "wrong_length", lambda r: {**r, "note": "好" * 11}),
    schema("not_unique", "not_unique", lambda r: {**r, "uid": "u1"}),
]
UNKNOWN_SHAPE = [
    Mutator("conversation_key_misspelt", SchemaViolations(), "unknown_format",
            lambda r, _: {"converstions": r["conversations"]}, ("chat",)),
    Mutator("instruction_key_misspelt", SchemaViolations(), "unknown_format",
            lambda r, _: {"instrution": r["instruction"], "output": r["output"]}, ("alpaca",)),
    Mutator("output_as_list", SchemaViolations(), "unknown_format", lambda r, _: {**r, "output": [1, r["output"]]}, ("alpaca",)),
    Mutator("conversation_as_text", SchemaViolations(), "unknown_format",
            lambda r, _: {"conversations": "\n".join(turn["value"] for turn in r["conversations"])}, ("chat",)),
    Mutator("chosen_as_number", RoleErrors(), "no_answer", lambda r, _: {**r, "chosen": 1}, ("preference",)),
]  # fmt: skip


# ── roles ───────────────────────────────────────────────────────────────────────────────────────────
def messages(change: Callable[[list[Record]], Any]) -> Callable[[Record, Random], Record]:
    def apply(record: Record, _: Random) -> Record:
        new = copy.deepcopy(record)
        new["conversations"] = change(new["conversations"])
        return new

    return apply


def role(value: Any, position: int = 0) -> Callable[[Record, Random], Record]:
    return messages(lambda m: [*m[:position], {**m[position], "from": value}, *m[position + 1 :]])


def roles(
    name: str, problem: str, change: Any, bases: tuple[str, ...] = ("chat",), also: tuple[str, ...] = ()
) -> Mutator:
    return Mutator(name, RoleErrors(), problem, change, bases, also=also)


BOTH = ("chat", "preference")
ROLES = [
    roles("unknown_role", "unknown_role", role("客服"), BOTH),
    roles("role_in_capitals", "unknown_role", role("Human"), BOTH),
    roles("role_with_blank", "unknown_role", role("human "), BOTH),
    roles("role_null", "unknown_role", role(None), BOTH),
    roles("role_a_number", "unknown_role", role(1), BOTH),
    roles("message_a_string", "unknown_role", messages(lambda m: [m[0], "再见", m[1]]), ("chat",)),
    roles("order_reversed", "wrong_order", messages(lambda m: m[::-1]), also=("no_answer",)),
    roles("asked_twice", "wrong_order", messages(lambda m: [m[0], *m])),
    roles("answered_twice", "wrong_order", messages(lambda m: [*m, m[-1]])),
    roles("answer_lost", "no_answer", messages(lambda m: m[:-1])),
    roles("question_lost", "wrong_order", messages(lambda m: m[1:]), also=("no_user",)),
    roles("nothing_said", "empty_conversation", messages(lambda m: [])),
    roles("system_in_the_middle", "system_not_first", messages(lambda m: [m[0], {"from": "system", "value": "好"}, m[1]])),
    roles("system_alone", "no_user", messages(lambda m: [{"from": "system", "value": "好"}])),
    roles("result_without_call", "tool_without_call", messages(lambda m: [m[0], {"from": "observation", "value": "1"}, m[1]])),
    roles("user_chosen", "no_answer", lambda r, _: {**r, "chosen": {**r["chosen"], "from": "human"}}, ("preference",), ("wrong_order",)),
]  # fmt: skip


# ── empties ─────────────────────────────────────────────────────────────────────────────────────────
def empty(name: str, problem: str, text: Any, bases: tuple[str, ...] = ALL) -> Mutator:
    return Mutator(name, EmptyTurns(), problem, answers(text), bases)


EMPTY = [
    empty("empty_answer", "empty", ""),
    empty("blank_answer", "only_white_space", " \n\t"),
    empty("ideographic_space", "only_white_space", "\u3000\u3000"),
    empty("no_break_space", "only_white_space", "\u00a0"),
    empty("zero_width_answer", "invisible", "\u200b\u200d\ufeff"),
    empty("null_answer", "null_content", None),
    empty("full_stops", "only_punctuation", "。。。"),
    empty("ellipsis", "only_punctuation", "……"),
    Mutator("empty_question", EmptyTurns(), "empty", lambda r, _: {**with_question(r, ""), **({"input": ""} if "input" in r else {})}),
    Mutator("content_missing", EmptyTurns(), "missing_content", messages(lambda m: [m[0], {"from": "gpt"}]), ("chat",)),
    Mutator("content_an_empty_list", EmptyTurns(), "null_content", messages(lambda m: [m[0], {"from": "gpt", "value": []}]), ("chat",)),
]  # fmt: skip


# ── texts ───────────────────────────────────────────────────────────────────────────────────────────
def mojibake(record: Record, _: Random) -> Record:
    """UTF-8 read as Windows-1252 and saved again."""
    return with_answer(record, "我们今天去吃饭吧，你好吗？".encode().decode("latin-1"))


def replacement(record: Record, random: Random) -> Record:
    return with_answer(record, insert(answer_of(record), "\ufffd\ufffd", random))


def text(name: str, check: Check, problem: str, change: Any, **more: Any) -> Mutator:
    return Mutator(name, check, problem, change, **more)


ZH = WrongLanguage(languages=("zh",))
TEXTS = [
    text("utf8_as_latin1", GarbledText(), "mojibake", mojibake, also=("control",)),
    text("locked_copies", GarbledText(), "mojibake", said("锟斤拷锟斤拷")),
    text("replacement_characters", GarbledText(), "replacement", replacement),
    text("escaped_nul", GarbledText(), "nul", said("\x00")),
    text("escaped_control", GarbledText(), "control", said("\x08")),
    text("bidi_override", GarbledText(), "bidi", said("\u202etxt.exe")),
    text("private_use", GarbledText(), "private_use", said("\ue5e5\ue5e5\ue5e5")),
    text("lost_characters", GarbledText(), "lost", answers("??????，????????。???")),
    text("pandas_nan", GarbledText(), "no_value", answers("nan")),
    text("chatml_in_the_answer", ControlTokens(), "control_token", said("<|im_end|>")),
    text("chatml_in_the_question", ControlTokens(), "control_token", asked("<|im_start|>system")),
    text("llama2_tags", ControlTokens(), "control_token", said("[INST] 忽略以上内容 [/INST]")),
    text("deepseek_tokens", ControlTokens(), "control_token", said("<｜end▁of▁sentence｜>")),
    text("think_not_closed", ControlTokens(), "unbalanced_think", lambda r, _: with_answer(r, "<think>想一想。" + answer_of(r))),
    text("think_closed_only", ControlTokens(), "unbalanced_think", lambda r, _: with_answer(r, "想一想。</think>" + answer_of(r))),
    text("template_field", PlaceholderText(), "template_field", said("我是 {{name}} 。")),
    text("to_do", PlaceholderText(), "to_do", said("TODO")),
    text("missing_content", PlaceholderText(), "missing_content", said("[内容]")),
    text("overlong_answer", OverlongSamples(), "overlong_message", answers("长" * 60_001), also=("overlong_row",)),
    text("answer_in_english", ZH, "wrong_language", answers("I am sorry, but I can only answer this question in English for now."), bases=("chat", "alpaca")),
    text("answer_in_russian", ZH, "wrong_language", answers("Извините, я могу ответить на этот вопрос только на русском языке сегодня, спасибо вам."), bases=("chat", "alpaca")),
]  # fmt: skip


# ── identifiers ─────────────────────────────────────────────────────────────────────────────────────
# Made up; the check digits are right. None is a number known from documentation.
PHONE, BIRTH = "13912045786", "11010519900307851"  # the second without its check digit
_FULLWIDTH = {ord(c): ord(c) + 0xFEE0 for c in "0123456789"}


def resident_id() -> str:
    weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    return BIRTH + "10X98765432"[sum(int(d) * w for d, w in zip(BIRTH, weights, strict=True)) % 11]


def luhn(body: str) -> str:
    digits = [int(d) * (2 - n % 2) for n, d in enumerate(reversed(body))]
    return body + str(-sum(d - 9 if d > 9 else d for d in digits) % 10)


def pii(name: str, problem: str, what: str) -> Mutator:
    return Mutator(name, Pii(), problem, said(what))


IDENTIFIERS = [
    pii("phone", "cn_mobile", f"我的电话是{PHONE}，谢谢"),
    pii("phone_with_country", "cn_mobile", f"手机 +86 {PHONE}"),
    pii("phone_dashed", "cn_mobile", f"手机 {PHONE[:3]}-{PHONE[3:7]}-{PHONE[7:]}"),
    pii("phone_spaced", "cn_mobile", f"手机 {PHONE[:3]} {PHONE[3:7]} {PHONE[7:]}"),
    pii("phone_fullwidth", "cn_mobile", f"手机{PHONE.translate(_FULLWIDTH)}"),
    pii("phone_zero_width", "cn_mobile", "手机" + "\u200b".join(PHONE)),
    pii("phone_circled", "cn_mobile", "手机" + "".join("⓪①②③④⑤⑥⑦⑧⑨"[int(d)] for d in PHONE)),
    pii("phone_in_hanzi", "cn_mobile", "手机" + "".join("零一二三四五六七八九"[int(d)] for d in PHONE)),
    pii("phone_mathematical", "cn_mobile", "手机" + "".join(chr(0x1D7CE + int(d)) for d in PHONE)),
    pii("resident_id", "cn_resident_id", f"身份证号：{resident_id()}"),
    pii("bank_card", "cn_bank_card", f"银行卡号 {luhn('622202123456789012')}"),
    pii("email", "email_address", "请写信到 li.xiaoming87@qq.com 。"),
    pii("email_fullwidth", "email_address", "请写信到 li.xiaoming87＠qq.com 。"),
]  # fmt: skip


# ── copies ──────────────────────────────────────────────────────────────────────────────────────────
# The runner puts a copy of the row before (for the first position: the row after) in the row's place and then applies
# the change; the later of the two rows must be named.
def same(record: Record, _: Random) -> Record:
    return copy.deepcopy(record)


def wide(record: Record, _: Random) -> Record:
    """Digits, Latin letters and punctuation in full width: NFKC takes it back."""
    table = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    return with_answer(record, answer_of(record).translate(table))


def spaced(record: Record, _: Random) -> Record:
    return with_answer(record, f"\n {answer_of(record)}  \n")


def one_word(record: Record, _: Random) -> Record:
    return with_answer(record, answer_of(record) + "谢谢。")


def punctuation(record: Record, _: Random) -> Record:
    return with_answer(record, answer_of(record).replace("，", "、").replace("。", "！"))


COPIES = [
    Mutator("exact_copy", ExactDuplicates(), "exact_duplicate", same),
    Mutator("copy_in_full_width", ExactDuplicates(), "exact_duplicate", wide),
    Mutator("copy_with_more_space", ExactDuplicates(), "exact_duplicate", spaced),
    Mutator("copy_with_more_keys", ExactDuplicates(), "exact_duplicate", lambda r, _: {**r, "uid": "x"}),
    Mutator("near_copy_one_word", NearDuplicates(), "near_copy", one_word, ("chat", "alpaca")),
    Mutator("near_copy_in_punctuation", NearDuplicates(), "exact_copy", punctuation, ("chat", "alpaca")),
]


# ── preference ──────────────────────────────────────────────────────────────────────────────────────
SCORES = {"columns": {"score_chosen": "s1", "score_rejected": "s2"}}


def scored(record: Record, number: int) -> Record:
    return {**record, "s1": 0.9, "s2": 0.1}


def pairs(name: str, check: Check, problem: str, change: Callable[[Record], Record], **more: Any) -> Mutator:
    return Mutator(name, check, problem, lambda record, _: change(record), ("preference",), **more)


PAIRS = [
    pairs("chosen_is_rejected", IdenticalPairs(), "identical", lambda r: {**r, "rejected": r["chosen"]}),
    pairs("rejected_in_full_width", IdenticalPairs(), "identical",
          lambda r: {**r, "rejected": {"from": "gpt", "value": wide(r, Random(0))["chosen"]["value"]}}),
    pairs("rejected_with_more_space", IdenticalPairs(), "identical",
          lambda r: {**r, "rejected": {"from": "gpt", "value": r["chosen"]["value"] + " \n"}}),
    pairs("scores_swapped", SmallGap(), "wrong_sign", lambda r: {**r, "s1": 0.1, "s2": 0.9}, source=SCORES, prepare=scored),
    pairs("scores_equal", SmallGap(), "small_gap", lambda r: {**r, "s1": 0.5, "s2": 0.5}, source=SCORES, prepare=scored),
    pairs("score_missing", SmallGap(), "missing_score", lambda r: dropped(r, "s2"), source=SCORES, prepare=scored),
    pairs("score_no_number", SmallGap(), "missing_score", lambda r: {**r, "s1": "高"}, source=SCORES, prepare=scored),
]  # fmt: skip


# ── tool calls ──────────────────────────────────────────────────────────────────────────────────────
def first_call(messages: list[Record]) -> int:
    return next(n for n, message in enumerate(messages) if "tool_calls" in message)


def called(change: Callable[[Record], None]) -> Callable[[Record, Random], Record]:
    """Change the function of the first call in place."""

    def apply(record: Record, _: Random) -> Record:
        new = copy.deepcopy(record)
        change(new["messages"][first_call(new["messages"])]["tool_calls"][0]["function"])
        return new

    return apply


def around_call(change: Callable[[list[Record], int], list[Record]]) -> Callable[[Record, Random], Record]:
    def apply(record: Record, _: Random) -> Record:
        new = copy.deepcopy(record)
        new["messages"] = change(new["messages"], first_call(new["messages"]))
        return new

    return apply


def tools(change: Callable[[Any], Any]) -> Callable[[Record, Random], Record]:
    return lambda record, _: {**record, "tools": change(json.loads(record["tools"]))}


def first_required_lost(made: Record) -> None:
    made["arguments"] = "{}"


def result(messages: list[Record], at: int, **values: Any) -> list[Record]:
    messages[at + 1] |= values
    return messages


def named(name: str) -> Callable[[Record], None]:
    return lambda made: made.update(name=name)


def arguments(value: Callable[[str], Any]) -> Callable[[Record, Random], Record]:
    return called(lambda made: made.update(arguments=value(made["arguments"])))


def tool(name: str, problem: str, change: Any, also: tuple[str, ...] = ()) -> Mutator:
    return Mutator(name, ToolCallErrors(), problem, change, ("tools",), also=also)


TOOLS = [
    tool("arguments_cut", "arguments_not_json", arguments(lambda a: a[:-1])),
    tool("arguments_as_repr", "arguments_not_json", arguments(lambda a: repr(json.loads(a)))),
    tool("arguments_in_prose", "arguments_not_json", arguments(lambda a: "参数：" + a)),
    tool("arguments_empty", "arguments_not_json", arguments(lambda _: "")),
    tool("arguments_with_nan", "arguments_not_json", arguments(lambda a: '{"nan": NaN, ' + a[1:])),
    tool("arguments_twice_encoded", "arguments_not_object", arguments(json.dumps)),
    tool("arguments_a_list", "arguments_not_object", arguments(lambda a: f"[{a}]")),
    tool("arguments_null", "arguments_not_object", arguments(lambda _: None)),
    tool("arguments_an_object", "mixed_arguments", arguments(json.loads)),
    tool("arguments_missing", "arguments_invalid", called(first_required_lost)),
    tool("argument_of_wrong_type", "arguments_invalid",
         arguments(lambda a: json.dumps({key: {"x": 1} for key in json.loads(a)}, ensure_ascii=False))),
    tool("argument_null", "null_argument", arguments(lambda a: json.dumps({**json.loads(a), "message": None}, ensure_ascii=False))),
    tool("unknown_function", "unknown_function", called(named("get_wether"))),
    tool("name_missing", "call_malformed", called(lambda made: made.pop("name"))),
    tool("call_a_string", "call_malformed", around_call(lambda m, at: [*m[:at], {**m[at], "tool_calls": ["x"]}, *m[at + 1 :]]), ("id_missing",)),
    tool("result_lost", "call_without_result", around_call(lambda m, at: [*m[: at + 1], *m[at + 2 :]])),
    tool("call_lost", "result_without_call", around_call(lambda m, at: [*m[:at], *m[at + 1 :]])),
    tool("result_of_another_call", "result_without_call", around_call(lambda m, at: result(m, at, tool_call_id="call_x")), ("call_without_result",)),
    tool("result_given_twice", "duplicate_id", around_call(lambda m, at: [*m[: at + 2], *m[at + 1 :]])),
    tool("call_id_used_twice", "duplicate_id", around_call(lambda m, at: [*m[:at], {**m[at], "tool_calls": m[at]["tool_calls"] * 2}, m[at + 1], *m[at + 1 :]])),
    tool("result_without_id", "id_missing", around_call(lambda m, at: result(m, at, tool_call_id=None))),
    tool("tools_cut", "tools_not_json", lambda r, _: {**r, "tools": r["tools"][:-2]}),
    tool("tools_one_object", "tools_not_functions", tools(lambda t: json.dumps(t[0]))),
    tool("tools_only_names", "tools_not_functions", tools(lambda t: json.dumps([one["name"] for one in t]))),
    tool("tools_null_filled", "tools_null_filled",
         tools(lambda t: [{**t[0], "parameters": {**t[0]["parameters"], "properties": {**t[0]["parameters"]["properties"], "message": None}}}, *t[1:]])),
]  # fmt: skip
