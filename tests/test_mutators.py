"""Real rows, broken on purpose: the check that must see a fault names exactly the lines that were broken.

Each mutator is applied to the first, the middle and the last of 24 real rows (chat, preference pairs, instructions,
tool calls); what is found there and was not found before must be those lines, with that problem, and nothing else.
"""

import gzip
import io
import json
import re
from functools import cache
from random import Random

import pytest
from mutators import (
    COPIES,
    EMPTY,
    IDENTIFIERS,
    LINES,
    PAIRS,
    ROLES,
    SCHEMA,
    TEXTS,
    TOOLS,
    UNKNOWN_SHAPE,
    Mutator,
    question_of,
    with_question,
)

from datacheck.check import Ratio
from datacheck.checks.leakage import Leakage
from datacheck.checks.unreadable_lines import UnreadableLines
from datacheck.loading.codes import CODES
from datacheck.testing import jsonl, measure

SIZE = 24
POSITIONS = (0, SIZE // 2, SIZE - 1)
FILES = {
    "chat": "medicalgpt/data/sft/medical_sft_1K_format.jsonl",
    "alpaca": "huatuo/data-literature/liver_cancer.json",
    "preference": "llama_factory/data/dpo_zh_demo.json",
    "tools": "llama_factory/data/glaive_toolcall_zh_demo.json",
}
CODE = re.compile(r"```|import |def |;|print")
MUTATORS = [*LINES, *SCHEMA, *UNKNOWN_SHAPE, *ROLES, *EMPTY, *TEXTS, *COPIES, *PAIRS, *TOOLS]


@cache
def rows(folder, base):
    text = (folder / FILES[base]).read_text(encoding="utf-8")
    records = json.loads(text) if text.startswith("[") else [json.loads(one) for one in text.splitlines()]
    if base == "tools":
        records = [as_messages(record) for record in records if good_call(record)]
    if base == "chat":
        records = [record for record in records if len(record["conversations"]) == 2]
    if base == "preference":  # texts of code are judged more leniently: a template field may belong there
        records = [record for record in records if not CODE.search(json.dumps(record, ensure_ascii=False))]
    return records[:SIZE]


def good_call(record):
    """Exactly one call, with a required argument, that its own tool's schema allows (the file has a few that break it)."""
    made = [json.loads(m["value"]) for m in record["conversations"] if m["from"] == "function_call"]
    if len(made) != 1 or not made[0]["arguments"] or "dimensions" in made[0]["arguments"]:
        return False
    schema = next(tool["parameters"] for tool in json.loads(record["tools"]) if tool["name"] == made[0]["name"])
    return set(schema.get("required", [])) & set(made[0]["arguments"]) and "enum" not in json.dumps(schema)


def as_messages(record):
    """A row of glaive as OpenAI writes it: tool_calls with ids, arguments as JSON text."""
    names = {"human": "user", "gpt": "assistant", "observation": "tool", "function_call": "assistant"}
    messages = []
    for number, message in enumerate(record["conversations"]):
        new = {"role": names[message["from"]], "content": message["value"]}
        if message["from"] == "function_call":
            made = json.loads(message["value"])
            function = {"name": made["name"], "arguments": json.dumps(made["arguments"], ensure_ascii=False)}
            new |= {"content": None, "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}]}
        if message["from"] == "observation":
            new["tool_call_id"] = f"call_{number - 1}"
        messages.append(new)
    return {"messages": messages, "tools": record["tools"]}


def prepared(folder, base, mutator):
    records = rows(folder, base)
    return [mutator.prepare(record, number) if mutator.prepare else record for number, record in enumerate(records)]


_found = {}


def places(check, data, source):
    """(line, problem) of all that is found; many mutators begin with the same file."""
    key = (repr(check), repr(source), data)
    if key not in _found:
        found = measure(check, data, source=source).evidence
        _found[key] = sorted(found.select("line", "problem").unique().rows())
    return _found[key]


def mutated(records, base, mutator, mutate):
    lines = [json.dumps(record, ensure_ascii=False).encode() for record in records]
    for position in POSITIONS:
        random = Random(f"{mutator.name} {base} {position}")
        lines[position] = mutate(records, lines[position], position, random)
    return b"".join(line + b"\n" for line in lines)


def found_after(folder, base, mutator, mutate):
    """What is found in the mutated file and was not there before."""
    records = prepared(folder, base, mutator)
    before = places(mutator.check, jsonl(records), mutator.source)
    after = places(mutator.check, mutated(records, base, mutator, mutate), mutator.source)
    return sorted(set(after) - set(before))


def one_line(mutator):
    def mutate(records, line, position, random):
        if mutator.raw:
            return mutator.change(line, random)
        return json.dumps(mutator.change(records[position], random), ensure_ascii=False).encode()

    return mutate


def copied(mutator):
    def mutate(records, line, position, random):
        near = records[position - 1 if position else 1]
        return json.dumps(mutator.change(near, random), ensure_ascii=False).encode()

    return mutate


def expected(mutator):
    """(line, problem) of the three places; lines move where a mutator makes one line two."""
    shift = max((further for further, _ in mutator.after), default=0)
    wanted = []
    for number, position in enumerate(POSITIONS):
        line = position + 1 + number * shift
        wanted += [(line, problem) for problem in (mutator.problem, *mutator.also)]
        wanted += [(line + further, problem) for further, problem in mutator.after]
    return sorted(wanted)


def cases(mutators):
    """Every check meets every kind of file, and every mutator one kind; the kinds take turns. Half of them are quick."""
    met, chosen = set(), []
    for number, m in enumerate(mutators):
        turn = m.bases[number % len(m.bases)]
        for base in m.bases:
            if base == turn or (type(m.check), base) not in met:
                met.add((type(m.check), base))
                marks = () if base == turn and number % 3 == 0 else pytest.mark.slow
                chosen.append(pytest.param(m, base, id=f"{m.name}-{base}", marks=marks))
    return chosen


@pytest.mark.parametrize(
    ("mutator", "base"), cases([m for m in MUTATORS if m not in COPIES and m.name != "not_unique"])
)
def test_the_broken_lines_are_named(realdata, mutator, base):
    assert found_after(realdata, base, mutator, one_line(mutator)) == expected(mutator)


@pytest.mark.parametrize(("mutator", "base"), cases(COPIES))
def test_the_later_copy_is_named(realdata, mutator, base):
    found = found_after(realdata, base, mutator, copied(mutator))
    assert {line for line, _ in found} == {2, POSITIONS[1] + 1, SIZE}
    assert {problem for _, problem in found} == {mutator.problem}


def test_a_value_that_must_be_unique(realdata):
    mutator = next(m for m in SCHEMA if m.name == "not_unique")
    assert found_after(realdata, "chat", mutator, one_line(mutator)) == [
        (2, "not_unique"), (POSITIONS[1] + 1, "not_unique"), (SIZE, "not_unique"),
    ]  # fmt: skip


@pytest.mark.parametrize("base", ["chat", "alpaca", "preference"])
def test_identifiers_in_every_disguise(realdata, base):
    """A row is judged by itself, so the files of all disguises are read as one."""
    records = rows(realdata, base)
    check, source = IDENTIFIERS[0].check, IDENTIFIERS[0].source
    assert all((m.check, m.source, m.prepare, m.raw) == (check, source, None, False) for m in IDENTIFIERS)
    before = set(places(check, jsonl(records), source))
    after = places(check, b"".join(mutated(records, base, m, one_line(m)) for m in IDENTIFIERS), source)
    found = {m.name: [] for m in IDENTIFIERS}
    for line, problem in after:
        file, own = divmod(line - 1, SIZE)
        found[IDENTIFIERS[file].name] += {(own + 1, problem)} - before
    assert found == {m.name: expected(m) for m in IDENTIFIERS}


@pytest.mark.parametrize("base", ["chat", "alpaca", "preference"])
@pytest.mark.parametrize("how", ["verbatim", "embedded", "in_full_width", "with_more_space"])
def test_a_leaked_question(realdata, base, how):
    wanted = [
        json.loads(line)["question"]
        for line in (realdata / "gsm8k/grade_school_math/data/test.jsonl").read_text(encoding="utf-8").splitlines()[:3]
    ]
    ways = {
        "verbatim": lambda record, item: item,
        "embedded": lambda record, item: f"{question_of(record)}\n{item}\n请回答。",
        "in_full_width": lambda record, item: item.translate({c: c + 0xFEE0 for c in range(0x21, 0x7F)}),
        "with_more_space": lambda record, item: item.replace(" ", "  \n"),
    }
    records = list(rows(realdata, base))
    for position, item in zip(POSITIONS, wanted, strict=True):
        records[position] = with_question(records[position], ways[how](records[position], item))
    result = measure(
        Leakage(against=("eval",)), records, others={"eval": [{"question": q, "answer": "1"} for q in wanted]}
    )
    assert result.value("rate") == Ratio(3, 3)
    leaked = result.evidence.filter(result.evidence["problem"] == "leaked")
    assert sorted(leaked.select("line", "other").rows()) == [
        (position + 1, f"eval/data.jsonl:{n + 1}") for n, position in enumerate(POSITIONS)
    ]


# ── whole files ─────────────────────────────────────────────────────────────────────────────────────
def arrow(data, name):
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"text": [line.decode() for line in data.splitlines()]}), out)
    return out.getvalue()


def as_array(data):
    return b"[" + b",".join(data.splitlines()) + b"]"


def pretty(data):
    return b"\n".join(json.dumps(json.loads(line), indent=1).encode() for line in data.splitlines())


FILE_FAULTS = [
    ("utf16", "data.jsonl", "not_utf8", lambda d: d.decode().encode("utf-16")),
    ("utf16_without_mark", "data.jsonl", "not_utf8", lambda d: d.decode().encode("utf-16-le")),
    ("utf16_big_endian", "data.jsonl", "not_utf8", lambda d: d.decode().encode("utf-16-be")),
    ("utf32", "data.jsonl", "not_utf8", lambda d: d.decode().encode("utf-32")),
    ("array_on_one_line", "data.jsonl", "array_in_jsonl", as_array),
    ("array_over_lines", "data.jsonl", "array_in_jsonl", lambda d: as_array(d).replace(b"},{", b"},\n{")),
    ("pretty_printed", "data.jsonl", "pretty_printed", pretty),
    ("old_mac_line_ends", "data.csv", "cr_line_ends", lambda d: b"a,b\r1,2\r3,4\r"),
    ("html", "data.jsonl", "html_page", lambda d: b"<!DOCTYPE html>\n<html><body>404</body></html>\n"),
    ("lfs_pointer", "data.jsonl", "lfs_pointer",
     lambda d: b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12\n"),
    ("empty_file", "data.jsonl", "empty_file", lambda d: b""),
    ("gzip_cut", "data.jsonl.gz", "truncated_compression", lambda d: gzip.compress(d)[:-20]),
    ("gzip_damaged", "data.jsonl.gz", "bad_compression",
     lambda d: gzip.compress(d)[:2000] + bytes(64) + gzip.compress(d)[2064:]),
    ("parquet_by_another_name", "data.jsonl", "wrong_container", lambda d: arrow(d, "x")),
    ("parquet_cut", "data.parquet", "bad_parquet", lambda d: arrow(d, "x")[:-30]),
    ("array_cut", "data.json", "truncated_line", lambda d: as_array(d)[:-1]),
    ("array_cut_in_a_record", "data.json", "truncated_line", lambda d: as_array(d)[:-9]),
    ("csv_ragged", "data.csv", "csv_ragged", lambda d: b"a,b\n1,2\n1,2,3\n"),
    ("csv_quote", "data.csv", "csv_quote", lambda d: b'a,b\n1,"2\n3,4\n'),
    ("csv_header", "data.csv", "csv_header", lambda d: b"a,a\n1,2\n"),
]  # fmt: skip
NOTED = [
    ("bom", "data.jsonl", "bom", lambda d: b"\xef\xbb\xbf" + d),
    ("crlf_here_and_there", "data.jsonl", "mixed_line_ends", lambda d: d.replace(b"\n", b"\r\n", 5)),
    ("no_final_newline", "data.jsonl", "no_final_newline", lambda d: d[:-1]),
    ("lines_in_json", "data.json", "jsonl_in_json", lambda d: d),
    ("one_document", "data.json", "lists_inside", lambda d: b'{"rows": ' + as_array(d) + b"}"),
    ("other_delimiter", "data.csv", "csv_delimiter", lambda d: b"a;b\n1;2\n"),
    ("big_integer", "data.jsonl", "big_integer", lambda d: d[:-2] + b', "n": ' + b"9" * 30 + b"}\n"),
    ("parquet", "data.parquet", "null_is_missing", lambda d: arrow(d, "x")),
]


@pytest.mark.parametrize(("name", "file", "code", "change"), [pytest.param(*f, id=f[0]) for f in FILE_FAULTS])
def test_files_that_are_broken(realdata, name, file, code, change):
    result = measure(UnreadableLines(), change(jsonl(rows(realdata, "chat"))), name=file)
    assert code in result.evidence["problem"].to_list()
    assert result.value("rate").n >= 1


@pytest.mark.parametrize(("name", "file", "code", "change"), [pytest.param(*f, id=f[0]) for f in NOTED])
def test_files_that_are_only_odd(realdata, name, file, code, change):
    result = measure(UnreadableLines(), change(jsonl(rows(realdata, "chat"))), name=file)
    assert result.value("rate").n == 0
    assert any(f"{code} (" in line for line in result.not_checked)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("base", ["chat", "alpaca", "preference"])
def test_a_mark_between_joined_files(realdata, base, position):
    lines = jsonl(rows(realdata, base)).splitlines(keepends=True)
    lines[position] = b"\xef\xbb\xbf" + lines[position]
    result = measure(UnreadableLines(), b"".join(lines))
    wanted = [] if position == 0 else [(position + 1, "bom_inside")]
    assert result.evidence.select("line", "problem").rows() == wanted


@pytest.mark.parametrize("position", POSITIONS)
def test_a_blank_line_moves_no_number(realdata, position):
    lines = jsonl(rows(realdata, "chat")).splitlines(keepends=True)
    lines[position:position] = [b"\n", b"  \n", b"{\n"]
    result = measure(UnreadableLines(), b"".join(lines))
    assert result.evidence.select("line", "problem").rows() == [(position + 3, "pretty_printed")]


@pytest.mark.parametrize("position", POSITIONS)
def test_separators_that_only_python_splits_at(realdata, position):
    """U+2028 and U+0085 are no line ends in JSON lines (huggingface/tau #354)."""
    records = list(rows(realdata, "chat"))
    records[position] = with_question(records[position], "一\u2028二\u0085三\u2029四")
    result = measure(UnreadableLines(), records)
    assert result.value("rate") == Ratio(0, SIZE)


@pytest.mark.slow
def test_a_line_beyond_the_limit(realdata):
    lines = jsonl(rows(realdata, "chat")).splitlines(keepends=True)
    lines[5] = b'{"text": "' + b"a" * (16 * 1024**2) + b'"}\n'
    assert measure(UnreadableLines(), b"".join(lines)).evidence.select("line", "problem").rows() == [
        (6, "line_too_long")
    ]


# What no file of this module can show, and where it is shown instead.
ELSEWHERE = {
    "other_list": "needs a contract that names a list: tests/checks/test_untidy_files.py",
    "changed_while_read": "needs a writer beside the reader: tests/loading",
    "unreadable_file": "needs permissions: tests/loading",
    "rows_missing": "needs a saved dataset: tests/files/test_hf_saved.py",
    "records_missing": "needs a contract that names a list: tests/loading",
    "document_too_large": "needs 256 MiB: tests/loading lowers the limit",
    "bomb_ratio": "needs a bomb: tests/loading lowers the limit",
    "bad_pack": "needs a pack: tests/cli/test_pack.py",
    "bad_array": "needs arrays: tests/loading/test_loading_arrays.py",
    "blank": "an empty line is counted, not named",
}


def test_every_code_of_the_intake_has_a_mutator():
    shown = {m.problem for m in LINES} | {p for m in LINES for _, p in m.after}
    shown |= {code for _, _, code, _ in (*FILE_FAULTS, *NOTED)} | {"bom_inside", "line_too_long"}
    assert set(CODES) == shown | set(ELSEWHERE)
    assert not shown & set(ELSEWHERE)


def test_there_are_enough_mutators():
    names = [m.name for m in (*MUTATORS, *IDENTIFIERS)]
    assert len(names) == len(set(names)) >= 60
    assert all(isinstance(m, Mutator) and m.problem for m in MUTATORS)
