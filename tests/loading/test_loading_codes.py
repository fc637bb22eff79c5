"""Each kind of damage as literal bytes, with the code and line that a reader expects."""

import csv
import gzip
import hashlib
import io
import json
import re
import time

import polars as pl
import pytest
import zstandard

from datacheck.i18n.message import Message
from datacheck.loading.codes import CODES

GOOD = b'{"text": "good"}\n'

# name: (bytes of the bad line, code). The line stands between two good ones.
BAD_LINES = {
    "bare word": (b"hello", "json_syntax"),
    "trailing comma": (b'{"a": 1,}', "json_syntax"),
    "comment": (b'{"a": 1 /* x */}', "json_syntax"),
    "bad escape": (b'{"a": "\\x41"}', "json_syntax"),
    "leading zero": (b'{"a": 01}', "json_syntax"),
    "two objects": (b'{"a": 1} {"b": 2}', "two_objects"),
    "two objects glued": (b'{"a": 1}{"b": 2}', "two_objects"),
    "carriage returns alone": (b'{"a": 1}\r{"b": 2}\r{"c": 3}', "cr_line_ends"),
    "text after": (b'{"a": 1} x', "json_syntax"),
    "latin-1": (b'{"a": "caf\xe9"}', "not_utf8"),
    "gbk": ('{"text": "这是一个关于中国的问题，我们在这里说明"}'.encode("gbk"), "not_utf8"),
    "overlong utf-8": (b'{"a": "\xc0\xaf"}', "not_utf8"),
    "raw surrogate": (b'{"a": "\xed\xa0\x80"}', "not_utf8"),
    "high surrogate": (b'{"a": "\\ud83d"}', "lone_surrogate"),
    "low surrogate": (b'{"a": "\\ude00"}', "lone_surrogate"),
    "high surrogate in text": (b'{"a": "x\\ud83d y"}', "lone_surrogate"),
    "nul block": (b"\0" * 64, "nul_bytes"),
    "raw tab": (b'{"a": "x\ty"}', "control_character"),
    "number": (b"42", "not_an_object"),
    "string": (b'"text"', "not_an_object"),
    "null": (b"null", "not_an_object"),
    "list of numbers": (b"[1, 2, 3]", "not_an_object"),
    "empty list": (b"[]", "not_an_object"),
    "python repr": (b"{'a': 1}", "python_repr"),
    "python None": (b'{"a": None}', "python_repr"),
    "python True": (b'{"a": True}', "python_repr"),
    "duplicate key": (b'{"a": 1, "a": 2}', "duplicate_key"),
    "nested duplicate key": (b'{"m": [{"role": "x", "role": "y"}]}', "duplicate_key"),
    "escaped duplicate key": (b'{"a": 1, "\\u0061": 2}', "duplicate_key"),
    "NaN": (b'{"a": NaN}', "not_finite"),
    "Infinity": (b'{"a": Infinity}', "not_finite"),
    "minus Infinity": (b'{"a": -Infinity}', "not_finite"),
    "1e400": (b'{"a": 1e400}', "not_finite"),
    "1e400 in a list of numbers": (b'{"a": [1, -1e400]}', "not_finite"),
    "1e400 as content": (b'{"messages": [{"role": "user", "content": 1e400}]}', "not_finite"),
    "1e400 in tool calls": (b'{"messages": [{"role": "assistant", "tool_calls": [1e400]}]}', "not_finite"),
    "1e400 in a label": (b'{"text": "a", "s": {"x": 1e400}}', "not_finite"),
    "cut object": (b'{"a": "x', "truncated_line"),
    "conflict start": (b"<<<<<<< HEAD", "merge_conflict"),
    "conflict middle": (b"=======", "merge_conflict"),
    "conflict end": (b">>>>>>> branch", "merge_conflict"),
    "bom": (b'\xef\xbb\xbf{"a": 1}', "bom_inside"),
    "deep": (b'{"a": ' + b"[" * 70 + b"]" * 70 + b"}", "too_deep"),
    "very deep": (b"[" * 100_000, "too_deep"),
    "many keys": (json.dumps(dict.fromkeys(map(str, range(1001)), 0)).encode(), "too_many_keys"),
    "many nested keys": (json.dumps({"a": dict.fromkeys(map(str, range(1001)), 0)}).encode(), "too_many_keys"),
    "many turns": (json.dumps({"messages": [{"role": "user", "content": ""}] * 2001}).encode(), "too_many_turns"),
    "long integer": (b'{"a": ' + b"9" * 4301 + b"}", "integer_too_long"),
    "long text": (b'{"text": "' + b"x" * (4 * 1024**2 + 1) + b'"}', "text_too_long"),
    "html": (b"<p>hello</p>", "html_page"),
    "lone bracket": (b"}", "pretty_printed"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_line_has_its_code_and_position_and_hides_no_other(load, name):
    bad, code = BAD_LINES[name]
    loaded = load(GOOD + bad + b"\n" + GOOD)
    assert loaded.lines.select("line", "byte", "length", "code", "sha256").rows() == [
        (1, len(GOOD), len(bad), code, hashlib.sha256(bad).hexdigest())
    ]
    assert loaded.rows.select("line", "byte").rows() == [(0, 0), (2, len(GOOD) + len(bad) + 1)]
    assert loaded.counts == (3, 0, 1, 2, 2 * len(GOOD) + len(bad) + 1)


@pytest.mark.parametrize("name", BAD_LINES)
def test_messages_hold_no_content(load, name):
    """A canary in place of every word of the bad line must not come back in a message."""
    bad, _ = BAD_LINES[name]
    canary = re.sub(rb'"(a|m|text|x|s)"', b'"C4n4ryKey"', bad) + b"C4n4ryTail"
    messages = load(GOOD + canary + b"\n").lines["message"].to_list()
    assert not any("C4n4ry" in message for message in messages)


def test_column_points_at_the_cause(load):
    loaded = load(b'{"a": 1, "b": NaN}\n')
    assert loaded.lines["column"].to_list() == [15]


FILES = {
    "empty": ("a.jsonl", b"", "empty_file"),
    "zip": ("a.jsonl", b"PK\x03\x04" + b"\0" * 60, "wrong_container"),
    "pickle": ("a.jsonl", b"\x80\x04\x95\0\0", "wrong_container"),
    "tar": ("a.jsonl", b"a.jsonl".ljust(257, b"\0") + b"ustar\00000" + b"\0" * 248, "wrong_container"),
    "sqlite": ("a.json", b"SQLite format 3\0" + b"\0" * 80, "wrong_container"),
    "numpy": ("a.jsonl", b"\x93NUMPY\x01\0", "wrong_container"),
    "lfs": ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "lfs_pointer"),
    "html": ("a.jsonl", b"<!DOCTYPE html>\n<html></html>", "html_page"),
    "utf-16": ("a.jsonl", '{"text": "你好"}\n'.encode("utf-16"), "not_utf8"),
    "utf-16 without mark": ("a.jsonl", '{"text": "hello"}\n'.encode("utf-16-le"), "not_utf8"),
    "utf-32": ("a.jsonl", '{"text": "hello"}\n'.encode("utf-32"), "not_utf8"),
    "parquet name": ("a.parquet", GOOD, "wrong_container"),
    "parquet content": ("a.jsonl", b"PAR1" + b"\0" * 60, "wrong_container"),
    "plain text": ("a.txt", b"hello\n", "wrong_container"),
    "array": ("a.jsonl", b'[\n{"text": "a"},\n{"text": "b"}\n]\n', "array_in_jsonl"),
    "array on one line": ("a.jsonl", b'[{"text": "a"}, {"text": "b"}]', "array_in_jsonl"),
    "pretty": ("a.jsonl", b'{\n  "text": "a"\n}\n{\n  "text": "b"\n}\n', "pretty_printed"),
    "json lines": ("a.json", GOOD + GOOD, "jsonl_in_json"),
    "bom": ("a.jsonl", b"\xef\xbb\xbf" + GOOD, "bom"),
    "line ends": ("a.jsonl", GOOD + GOOD.replace(b"\n", b"\r\n"), "mixed_line_ends"),
    "no final newline": ("a.jsonl", GOOD[:-1], "no_final_newline"),
    "cut gzip": ("a.jsonl.gz", gzip.compress(GOOD * 100)[:-12], "truncated_compression"),
    "broken gzip": ("a.jsonl.gz", gzip.compress(GOOD * 9)[:-8] + b"\0" * 8, "bad_compression"),
    "cut zstd": ("a.jsonl.zst", zstandard.compress(GOOD * 100)[:-4], "truncated_compression"),
    "cut zstd between frames": (
        "a.jsonl.zst",
        zstandard.compress(GOOD) + b"\x50\x2a\x4d\x18\x09\0\0\0abc",
        "truncated_compression",
    ),
    "broken zstd": ("a.jsonl.zst", zstandard.compress(GOOD * 100)[:6] + b"\xff" * 40, "bad_compression"),
    "csv header": ("a.csv", b"a,a\n1,2\n", "csv_header"),
    "csv header with an open quote": ("a.csv", b'a,"b\n1,2\n3,4\n', "csv_header"),
    "csv header in GBK": ("a.csv", "文本,数".encode("gbk") + b"\n1,2\n", "not_utf8"),
    "csv delimiter": ("a.csv", b"a;b\n1;2\n", "csv_delimiter"),
    "csv with CR": ("a.csv", b"a,b\r1,2\r", "cr_line_ends"),
    "parquet null": ("a.parquet", b"PAR1" + b"\0" * 60, "bad_parquet"),
    "two documents": ("a.json", b'[{"text": "a"}]\n[{"text": "b"}]\nx', "jsonl_in_json"),
    "open array": ("a.json", b'[{"text": "a"},\n', "truncated_line"),
    "missing comma": ("a.json", b'[{"text": "a"}\n{"text": "b"}]', "json_syntax"),
    "double comma": ("a.json", b'[{"text": "a"},,\n{"text": "b"}]', "json_syntax"),
    "text after the array": ("a.json", b'[{"text": "a"},\n{"text": "b"}] x', "two_objects"),
    "lists inside": ("a.json", b'{"examples": [{"text": "a"}]}', "lists_inside"),
    "conversations inside": ("a.json", b'{"conversations": [{"conversations": []}]}', "lists_inside"),
}


@pytest.mark.parametrize("name", FILES)
def test_file_has_its_code(load, name):
    file, data, code = FILES[name]
    loaded = load(data, file)
    assert code in [found for _, found in loaded.codes]
    assert loaded.seen.sha256 == hashlib.sha256(data).hexdigest()
    assert loaded.seen.bytes == len(data)


def test_every_code_that_the_loader_gives_is_described():
    given = {code for _, code in BAD_LINES.values()} | {code for _, _, code in FILES.values()}
    assert given <= set(CODES)
    for code in CODES.values():
        assert all(any("\u4e00" <= char <= "\u9fff" for char in Message(text).said("zh")) for text in code[1:])


def test_array_in_jsonl_still_gives_its_rows(load):
    loaded = load(b'[\n{"text": "a"},\n{"text": "b"}\n]\n')
    assert loaded.rows.select("line", "byte", "length").rows() == [(1, 2, 13), (2, 17, 13)]


def test_damaged_element_does_not_hide_the_others(load):
    data = b'[\n  {\n    "text": "a"\n  },\n  {\n    "text": "b\n  },\n  {\n    "text": "c"\n  }\n]\n'
    loaded = load(data, "a.json")
    assert loaded.turns["text"].to_list() == ["a", "c"]
    assert loaded.lines.select("line", "code").rows() == [(4, "control_character")]


@pytest.mark.parametrize("lost", [b"}", b"{"])
def test_lost_bracket_does_not_hide_the_others(load, lost):
    elements = [b'  {\n    "text": "%d"\n  }' % n for n in range(20)]
    at = elements[4].rindex(lost)
    elements[4] = elements[4][:at] + elements[4][at + 1 :]
    loaded = load(b"[\n" + b",\n".join(elements) + b"\n]\n", "a.json")
    assert loaded.turns["text"].to_list() == [str(n) for n in range(20) if n != 4]
    assert loaded.counts[2] >= 1


def test_gzip_members_and_zstd_frames_are_joined(load):
    assert load(gzip.compress(GOOD) + gzip.compress(GOOD), "a.jsonl.gz").counts[3] == 2
    frames = zstandard.compress(GOOD) + b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstandard.compress(GOOD)
    assert load(frames, "a.jsonl.zst").counts[3] == 2
    assert load(gzip.compress(GOOD) + b"\0" * 512, "a.jsonl.gz").codes == []


def test_cut_gzip_still_gives_the_whole_lines(load):
    lines = b"".join(b'{"text": "%s"}\n' % hashlib.sha256(b"%d" % n).hexdigest().encode() for n in range(5000))
    loaded = load(gzip.compress(lines)[:-1000], "a.jsonl.gz")
    assert loaded.counts[3] > 4000
    assert loaded.codes[0][1] == "truncated_compression"


def test_bomb_stops(load):
    bomb = gzip.compress((b'{"text": "' + b"x" * 99_987 + b'"}\n') * 400, compresslevel=9)
    limits = {"ratio_above_bytes": 1_000_000}
    loaded = load(bomb, "a.jsonl.gz", limits=limits)
    assert "bomb_ratio" in [code for _, code in loaded.codes]
    assert loaded.seen.sha256 == hashlib.sha256(bomb).hexdigest()
    assert loaded.seen.decoded <= 200 * len(bomb)


def test_long_line_is_passed_over(load):
    long = b'{"text": "' + b"x" * 5000 + b'"}\n'
    limits = {"line_bytes": 1000, "chunk_bytes": 2000}
    loaded = load(GOOD + long + GOOD, limits=limits)
    assert loaded.rows["line"].to_list() == [0, 2]
    assert loaded.codes == [(2, "line_too_long")]
    assert loaded.rows["byte"].to_list() == [0, len(GOOD) + len(long)]
    shorter = load(GOOD + long + GOOD, limits={"line_bytes": 1000})
    assert shorter.codes == [(2, "line_too_long")]


def test_links_pipes_and_missing_files_are_refused(tmp_path):
    from loading_helpers import load_file

    (tmp_path / "real.jsonl").write_bytes(GOOD)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    import os

    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("link.jsonl", "folder.jsonl", "pipe.jsonl", "absent.jsonl"):
        assert load_file(tmp_path / name).codes == [(None, "unreadable_file")]


def test_glob_characters_and_urls_are_plain_names(tmp_path):
    from loading_helpers import load_file

    for name in ("data[1].jsonl", "x*.jsonl"):
        (tmp_path / name).write_bytes(GOOD)
        assert load_file(tmp_path / name).counts[3] == 1


def test_change_while_reading_is_noticed(tmp_path):
    from datacheck.loading.reader import read
    from datacheck.loading.reading import Reading

    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * 10)
    reader = read(path, Reading(limits={"chunk_bytes": 64}))
    next(reader)
    with path.open("ab") as file:
        file.write(GOOD)
    seen = []
    while not seen:
        try:
            next(reader)
        except StopIteration as stop:
            seen.append(stop.value)
    assert "changed_while_read" in [event.code for event in seen[0].events]


def test_big_integers_are_noted(load):
    loaded = load(b'{"text": "a", "id": 123456789012345678901}\n{"text": "b", "id": 18446744073709551615}\n')
    assert loaded.codes == [(1, "big_integer")]
    assert loaded.cells["text"].to_list()[1] == "123456789012345678901"


def test_line_ends_and_separators(load):
    lines = ['{"text": "a\u2028b\u0085c"}', "", '{"text": "d"}', "   ", '{"text": "e"}']
    expected = ["a\u2028b\u0085c", "d", "e"]
    for end in ("\n", "\r\n"):
        loaded = load(end.join(lines).encode())
        assert loaded.turns["text"].to_list() == expected
        assert loaded.counts[:4] == (5, 2, 0, 3)
    assert load(b"\xef\xbb\xbf" + "\n".join(lines).encode()).turns["text"].to_list() == expected


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_named_encoding_is_read_and_positions_are_those_of_the_raw_bytes(load, encoding):
    lines = ['{"text": "一二三"}\n', "\n", '{"text": "上海\u4e0a"}\n', '{"text": }\n']
    raw = [line.encode(encoding) for line in lines]
    loaded = load(b"".join(raw), encoding=encoding)
    assert loaded.turns["text"].to_list() == ["一二三", "上海\u4e0a"]
    newline = len("\n".encode(encoding))
    assert loaded.rows.select("line", "byte", "length").rows() == [
        (0, 0, len(raw[0]) - newline),
        (2, len(raw[0]) + len(raw[1]), len(raw[2]) - newline),
    ]
    assert [code for _, code in loaded.codes] == ["blank", "json_syntax"]


def test_not_utf8_names_the_probable_encoding(load):
    text = "这是一个关于中国历史的问题，我们在这里学习和说明，你可以来看看"
    assert "gbk" in load(json.dumps({"text": text}, ensure_ascii=False).encode("gbk")).lines["message"][0]
    text = "這是一個關於中國歷史的問題，我們在這裡學習和說明，你可以來看看"
    assert "big5" in load(json.dumps({"text": text}, ensure_ascii=False).encode("big5")).lines["message"][0]


def test_records_names_the_list_inside_a_document(load):
    data = b'{\n "canary": "x\\"]",\n "data": {"k": [1], "examples": [\n  {"input": "i", "target": "t"},\n  {"input": "j" "target": "u"},\n  {"input": "k", "target": "v"}\n ]},\n "end": 1\n}\n'
    loaded = load(data, "a.json", records="data.examples")
    assert loaded.rows.select("line", "format").rows() == [(3, "qa"), (5, "qa")]
    assert loaded.codes == [(5, "json_syntax")]
    first = loaded.rows["byte"][0], loaded.rows["length"][0]
    assert data[first[0] : sum(first)] == b'{"input": "i", "target": "t"}'
    assert load(data, "a.json", records="data.none").codes == [(1, "records_missing")]
    assert load(data.replace(b'"end": 1', b'"end": nope'), "a.json", records="data.examples").counts[2] == 2


def test_csv_names_ragged_records_and_quotes(load):
    data = b'text,n\na,1\n"b\nc",2\nd\ne,3,4\n"f"g,5\n\n"open,6\nh,7\n'
    loaded = load(data, "a.csv")
    assert loaded.turns["text"].to_list() == ["a", "b\nc", "h"]
    assert loaded.rows["line"].to_list() == [1, 2, 9]
    assert loaded.codes == [(5, "csv_ragged"), (6, "csv_ragged"), (7, "csv_quote"), (8, "blank"), (9, "csv_quote")]
    assert loaded.counts == (8, 1, 4, 3, len(data))


def test_a_quote_inside_a_csv_field_is_text_wherever_the_file_is_cut(load):
    data = b'text,si"ze\na,5\n"b\nc","2 ""\n"\nd",e",3\ng,\n'
    whole = load(data, "a.csv")
    assert whole.turns["text"].to_list() == ["a", "b\nc", "g"]
    assert whole.codes == [(6, "csv_ragged")]  # d", e", 3
    for size in range(12, len(data)):
        parts = load(data, "a.csv", limits={"chunk_bytes": size})
        assert (parts.rows["line"].to_list(), parts.codes) == (whole.rows["line"].to_list(), whole.codes), size


def test_csv_values_stay_strings(load):
    loaded = load(b"text,zip,empty\n007,1e5,\n", "a.csv")
    assert loaded.cells.select("path", "json_type", "text").rows() == [
        ("text", "string", None),
        ("zip", "string", "1e5"),
        ("empty", "string", ""),
    ]
    assert loaded.turns["text"].to_list() == ["007"]
    assert load(b"text\tn\na,b\t1\n", "a.tsv").turns["text"].to_list() == ["a,b"]
    assert load(b"text;n\na,b;1\n", "a.csv", delimiter=";").turns["text"].to_list() == ["a,b"]


def test_only_the_first_csv_chunk_begins_with_a_mark_that_is_no_text(load):
    data = "\ufefftext,n\na,1\n\ufeffb,2\nc,3\n\ufeffd,4\n".encode()
    for limits in ({}, {"chunk_records": 2}):
        loaded = load(data, "a.csv", limits=limits)
        assert [chunk.data[:4] for chunk in loaded.chunks[1:]] == (
            [b"\xef\xbb\xbfb", b"\xef\xbb\xbfd"] if limits else []
        )
        assert loaded.turns["text"].to_list() == ["a", "\ufeffb", "c", "\ufeffd"]
        assert loaded.codes[0] == (1, "bom")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_an_array_on_one_line_that_lost_a_quote_is_told(load, name):
    data = b'[{"a": "x, y", "b": "]"}, {"a": "}", "b": "{"}, {"a": "z", "b": ", "}]\n'
    assert load(data, name).counts[3] == 3
    quotes = [at for at, sign in enumerate(data) if sign == ord('"')]
    assert len(quotes) == 24
    for at in quotes:
        loaded = load(data[:at] + data[at + 1 :], name)
        assert {CODES[code].level for _, code in loaded.codes} & {"error"}, at
        assert loaded.counts[2] > 0, at


def test_tiny_records_are_cut_into_small_chunks(load):
    limits = {"chunk_records": 10}
    loaded = load(b"\n" * 95 + b"{}\n", limits=limits)
    assert [chunk.size for chunk in loaded.chunks] == [10] * 9 + [8]
    assert loaded.counts[:4] == (96, 95, 0, 1)
    loaded = load(b"[" + b",".join([b"{}"] * 25) + b"]", "a.json", limits=limits)
    assert [chunk.last for chunk in loaded.chunks] == [False, False, True]
    assert loaded.counts[:4] == (25, 0, 0, 25)
    loaded = load(b"a,b\n" + b"1,2\n" * 25, "a.csv", limits=limits)
    assert [chunk.size for chunk in loaded.chunks] == [40, 40, 24]
    assert loaded.counts[:4] == (25, 0, 0, 25)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_chinese_without_mark_is_one_remark_on_the_file(load, encoding):
    text = json.dumps({"text": "这是一个关于中国的问题" * 30}, ensure_ascii=False) + "\n"
    loaded = load((text * 3).encode(encoding))
    assert loaded.codes == [(None, "not_utf8")]
    assert encoding in loaded.seen.events[0].message


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_a_wide_csv_is_cut_between_characters(load, encoding):
    """上 holds the byte 0x0A; 䨠 before a letter makes one across the border of two characters."""
    rows = [[f"上海{n}", f'说"上"\n{n}䨠a'] for n in range(300)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["question", "answer"], *rows])
    found = load(out.getvalue().encode(encoding), "a.csv", encoding=encoding, limits={"chunk_bytes": 997})
    assert found.codes == []
    texts = found.turns.sort("row", "turn").select("row", "part", "text").rows()
    assert [text for _, part, text in texts if part == "prompt"] == [question for question, _ in rows]
    assert [text for _, part, text in texts if part == "answer"] == [answer for _, answer in rows]


def test_an_array_of_strings_is_passed_over_in_one_pass(load):
    """Where the next record opens is looked for once, not for each of 5,000 strings: that took minutes in large files."""
    texts = ["这是一段说明，讲的是一种药的用法和用量。" * 8] * 5_000
    began = time.process_time()
    loaded = load(json.dumps(texts, indent=2, ensure_ascii=False).encode(), "data.json")
    assert time.process_time() - began < 4  # a tenth of it; 5,000 searches of 2 MB take four times as long
    assert loaded.lines.filter(pl.col("code") == "not_an_object").height == len(texts)
