"""What `apply --redact` promises: only strings change, and in them only the values; all else is byte for byte the same.

The truth is json, csv and pyarrow over both files, and difflib over their bytes. What is to be found is planted, so
that it is known without the recognizers.
"""

import base64
import csv
import gzip
import hashlib
import io
import json
import re

import phonenumbers
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
import yaml
import zstandard
from core_helpers import contract, jsonl, mostly_slow, report
from rich.cells import cell_len
from rich.console import Console

from datacheck.derive.apply import derive
from datacheck.derive.redact import Redactor
from datacheck.derive.terminal import print_manifest
from datacheck.errors import LoadError, UsageError
from datacheck.pii.canaries import canary
from datacheck.pii.pseudonyms import key_id
from datacheck.pii.redact.anonymise import Anonymiser
from datacheck.pii.redact.surrogates import Surrogates
from datacheck.pii.rules import Rules
from datacheck.session.session import Options, Session

PHONES = [canary("CN_MOBILE", 100 + n) for n in range(6)]
MAIL = canary("EMAIL_ADDRESS", 5)
KEY = "a key of the test, long enough"
PSEUDONYM = re.compile(r"<([A-Z][A-Z0-9_]*)_(v[0-9]+|[0-9a-fx]{8})>")
PLANTED = {*PHONES, MAIL}
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
pytestmark = pytest.mark.usefixtures("here")


def chat(user, answer="好", **more):
    return {"messages": [{"role": "user", "content": user}, {"role": "assistant", "content": answer}], **more}


def audited(folder, *, source="data", **settings):
    """Run a contract with the check pii on `data`; returns the contract, the report and its folder."""
    path = contract(folder, [{"check": "pii", **settings}], source={"path": source})
    with Session(path, {}, Options(out=folder / "report")) as session:
        session.run()
        session.finish()
    return path


def redact(folder, *, source="data", **settings):
    path = audited(folder, source=source, **settings)
    return derive(folder / "report", {"train": str(folder / source)}, folder / "out", redact=True, contract=path)


def answers(folder, *chats):
    """What is answered in each conversation after a redaction of all; the names of each are counted from 1."""
    jsonl(folder / "data" / "a.jsonl", *chats)
    redact(folder)
    return [counted(line) for line in kept(folder, "a.jsonl").decode().splitlines()]


def counted(line):
    said, answered = (turn["content"] for turn in json.loads(line)["messages"])
    order = list(dict.fromkeys(re.findall("<PERSON_v[0-9]+>", said + answered)))  # a pseudonym may be made in vain
    return re.sub("<PERSON_v[0-9]+>", lambda found: f"<PERSON_v{order.index(found[0]) + 1}>", answered)


def kept(folder, name):
    return (folder / "out" / "kept" / "train" / name).read_bytes()


def ledger(folder):
    return [json.loads(line) for line in (folder / "out" / "changes.jsonl").read_text("utf-8").splitlines()]


def restored(text):
    """Leaves with pseudonyms, as patterns that the old leaves must match: what stands around a value stays."""
    return re.compile("(.+?)".join(map(re.escape, PSEUDONYM.split(text)[::3])), re.DOTALL)


def compare(old, new):
    """Equal but for pseudonyms in strings; returns the pairs of strings that differ."""
    assert type(old) is type(new)
    if isinstance(old, dict):
        assert list(old) == list(new)
        return [pair for key in old for pair in compare(old[key], new[key])]
    if isinstance(old, list):
        assert len(old) == len(new)
        return [pair for one, two in zip(old, new, strict=True) for pair in compare(one, two)]
    if old == new:
        return []
    assert isinstance(old, str)
    assert PSEUDONYM.search(new)
    assert restored(new).fullmatch(old)
    return [(old, new)]


def test_only_values_in_strings_change_and_every_other_byte_stays(tmp_path):
    arguments = json.dumps({"to": PHONES[0], "text": f"回电{PHONES[1]}", "n": 3}, ensure_ascii=False)
    call = {"id": "c1", "type": "function", "function": {"name": "sms", "arguments": arguments}}
    nested = json.dumps({"inner": json.dumps({"deep": [f"tel {PHONES[2]}", 1.50]})})
    lines = [
        json.dumps(chat(f"打{PHONES[0]}或{PHONES[1]} {PHONES[0]}吧"), ensure_ascii=False),
        r'{ "messages" :[{"role":"user","content":"斜\/线 \u4f60\u597d 电话'
        + PHONES[2]
        + r'\n\"引\""}, {"role":"assistant","content":"x\u0001"}], "n": 1.500, "e": 1E5 }',
        json.dumps(chat("查一下", "好", meta={"call": call, "note": None, "nested": nested}), ensure_ascii=False),
        json.dumps(
            {
                "messages": [
                    {"role": "user", "content": "发"},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                ]
            }
        ),
        json.dumps(chat("干净的一行"), ensure_ascii=False),
        json.dumps(chat(f"信箱{MAIL}，同上{PHONES[0]}"), ensure_ascii=True),
        json.dumps(chat("电话" + PHONES[3].translate(WIDE)), ensure_ascii=True),
        json.dumps(chat("同" + PHONES[3]), ensure_ascii=False),
    ]
    data = ("\r\n".join(lines) + "\n").encode()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_bytes(data)
    manifest = redact(tmp_path)
    new = kept(tmp_path, "a.jsonl")
    before, after = (list(map(json.loads, text.decode().splitlines())) for text in (data, new))
    pairs = compare(before, after)
    assert len(pairs) == 8  # one in each line but the third (two) and the fifth (none)
    assert not any(value in new.decode() for value in PLANTED)
    assert manifest.datasets["train"].rows_dropped == 0
    # tool calls stay JSON, with the same structure
    inner = json.loads(after[2]["meta"]["call"]["function"]["arguments"])
    assert compare(json.loads(arguments), inner)
    assert inner["n"] == 3
    deep = json.loads(json.loads(after[2]["meta"]["nested"])["inner"])["deep"]
    assert deep[0].startswith("tel <CN_MOBILE_")
    assert deep[1] == 1.5
    # equal values have equal pseudonyms, written in whatever way; others have others
    names = PSEUDONYM.findall(after[0]["messages"][0]["content"])
    assert names[0] == names[2] != names[1]
    assert inner["to"] == f"<{'_'.join(names[0])}>"
    assert after[6]["messages"][0]["content"] == f"电话{after[7]['messages'][0]['content'][1:]}"
    # byte for byte: put the old strings back at the places of the ledger
    undone = new
    for change in ledger(tmp_path):
        start = change["byte"]
        old = data[start : start + change["length"]]
        undone = undone[:start] + old + undone[start + change["new_length"] :]
        assert not PSEUDONYM.search(old.decode())
    assert undone == data
    # escapes of a changed string are as they were
    assert rb"\/\xe7\xba\xbf \u4f60\u597d" in new.replace("线".encode(), rb"\xe7\xba\xbf")
    assert b'"n": 1.500, "e": 1E5 }\r\n' in new


OTHERS = ["a.jsonl.gz", "a.jsonl.zst", "a.json", "gbk.jsonl"]


@pytest.mark.parametrize(
    "name", mostly_slow(["a.jsonl", "pretty.json", "a.csv", "a.tsv", "wide.jsonl", *OTHERS], {"pretty.json", "a.tsv"})
)
def test_every_container(tmp_path, name):
    rows = [
        chat(f"第{n}问 {PHONES[n % 6]} 谢谢", f"打{PHONES[0]}") if n % 3 == 0 else chat(f"第{n}问") for n in range(20)
    ]
    encoding = {"gbk.jsonl": "gbk", "wide.jsonl": "utf-16-le"}.get(name, "utf-8")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if name == "a.json":
        text = json.dumps(rows, ensure_ascii=False)
    if name == "pretty.json":
        text = json.dumps(rows, ensure_ascii=False, indent=2)
    delimiter = {"a.csv": ",", "a.tsv": "\t"}.get(name)
    if delimiter:
        out = io.StringIO(newline="")
        table = csv.writer(out, delimiter=delimiter)
        table.writerow(["question", "note", "answer"])
        table.writerows(
            [n, f'他说"打{PHONES[1]}, 好"\n完' if n % 4 == 0 else "", json.dumps(row["messages"], ensure_ascii=False)]
            for n, row in enumerate(rows)
        )
        text = out.getvalue()
    pack = {"gz": gzip.compress, "zst": zstandard.compress}.get(name.rpartition(".")[2], bytes)
    unpack = {"gz": gzip.decompress, "zst": lambda b: zstandard.ZstdDecompressor().decompressobj().decompress(b)}.get(
        name.rpartition(".")[2], bytes
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_bytes(pack(text.encode(encoding)))
    path = contract(tmp_path, ["pii"], source={"path": "data", "encoding": encoding})
    with Session(path, {}, Options(out=tmp_path / "report")) as session:
        session.run()
        assert session.finish().findings[0].status == "fail"
    manifest = derive(
        tmp_path / "report", {"train": str(tmp_path / "data")}, tmp_path / "out", redact=True, contract=path
    )
    assert manifest.datasets["train"].rows_kept == 20
    new = unpack(kept(tmp_path, name)).decode(encoding)

    def read(text):
        if delimiter:
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        return json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]

    pairs = compare(read(text), read(new))
    expected = 7 + 5 if delimiter else 14
    assert len(pairs) == expected == manifest.redaction.strings == manifest.datasets["train"].files[0].redacted
    assert not any(value in new for value in PLANTED)
    data, undone = text.encode(encoding), new.encode(encoding)
    for change in ledger(tmp_path):
        at, length = change["byte"], change["length"]
        undone = undone[:at] + data[at : at + length] + undone[at + change["new_length"] :]
    assert undone == data
    assert manifest.validation.exit_code == 0


def test_parquet_keeps_its_schema_and_all_other_values(tmp_path):
    rows = [
        {
            **chat(f"打{PHONES[n]}" if n % 2 else "天气"),
            "n": n,
            "when": None,
            "tags": [f"tel {PHONES[0]}", "x"],
            "raw": b"\xff",
        }
        for n in range(6)
    ]
    schema = pa.schema(
        [
            ("messages", pa.list_(pa.struct([("role", pa.string()), ("content", pa.large_string())]))),
            pa.field("n", pa.int8(), nullable=False),
            ("when", pa.timestamp("ns", tz="Asia/Shanghai")),
            ("tags", pa.list_(pa.string())),
            ("raw", pa.binary()),
        ],
        metadata={"made": "by the test"},
    )
    (tmp_path / "data").mkdir()
    table = pa.Table.from_pylist(rows, schema=schema)
    pq.write_table(table, tmp_path / "data" / "a.parquet", row_group_size=4, compression="zstd")
    table = pq.read_table(tmp_path / "data" / "a.parquet")
    manifest = redact(tmp_path)
    target = tmp_path / "out" / "kept" / "train" / "a.parquet"
    new = pq.read_table(target)
    assert new.schema.equals(table.schema, check_metadata=True)
    assert pq.ParquetFile(target).metadata.num_row_groups == 2
    assert (
        len(compare(json.loads(json.dumps(rows, default=repr)), json.loads(json.dumps(new.to_pylist(), default=repr))))
        == 9
    )
    assert manifest.redaction.strings == 9
    assert not any(value.encode() in target.read_bytes() for value in PLANTED)


WRITERS = {"a.arrow": pa.ipc.new_file, "stream.arrow": pa.ipc.new_stream}


def write_table(path, table):
    """In pieces of three rows."""
    path.parent.mkdir()
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=3)
        return
    with pa.OSFile(str(path), "wb") as file, WRITERS[path.name](file, table.schema) as out:
        out.write_table(table, max_chunksize=3)


def read_table(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return (pa.ipc.open_file if path.name == "a.arrow" else pa.ipc.open_stream)(path.read_bytes()).read_all()


@pytest.mark.parametrize("name", mostly_slow(["a.arrow", "stream.arrow", "a.parquet"], {"a.arrow"}))
@pytest.mark.parametrize("how", ["redact", "drop"])
def test_a_dictionary_keeps_no_value_of_what_went(tmp_path, name, how):
    texts = ["x", f"tel {PHONES[0]}", "y", "v", f"tel {PHONES[1]}", "x", "z"]
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    tags = pa.array([None, "t", None, "t", "u", "t", None], pa.dictionary(pa.int32(), pa.large_string()))
    table = pa.table({"question": pa.array(texts, kind), "answer": ["a"] * len(texts), "tag": tags})
    assert PHONES[0].encode() in table.slice(5).column(0).chunk(0).dictionary.to_string().encode()
    write_table(tmp_path / "data" / name, table)
    if how == "redact":
        redact(tmp_path)
        expected = ["x", "tel <CN_MOBILE_v1>", "y", "v", "tel <CN_MOBILE_v2>", "x", "z"]
    else:
        audited(tmp_path)
        derive(tmp_path / "report", {"train": str(tmp_path / "data")}, tmp_path / "out")
        expected = ["x", "y", "v", "x", "z"]
        gone = read_table(tmp_path / "out" / "dropped" / "train" / name)
        assert gone["question"].to_pylist() == [texts[1], texts[4]]
        assert all(set(chunk.dictionary.to_pylist()) <= {texts[1], texts[4]} for chunk in gone["question"].chunks)
    target = tmp_path / "out" / "kept" / "train" / name
    kept = read_table(target)
    assert kept.schema.equals(read_table(tmp_path / "data" / name).schema)
    assert kept["question"].to_pylist() == expected
    listed = {value for chunk in kept["question"].chunks for value in chunk.dictionary.to_pylist()}
    assert listed == set(expected)
    stay = tags.to_pylist() if how == "redact" else [None, None, "t", "t", None]
    assert kept["tag"].to_pylist() == stay
    assert not any(value.encode() in target.read_bytes() for value in PHONES)


def test_a_dictionary_inside_a_list_is_refused(tmp_path):
    inner = pa.array([f"tel {PHONES[0]}", "x"]).dictionary_encode()
    table = pa.table({"tags": pa.ListArray.from_arrays([0, 1, 2], inner), "question": ["y", "z"], "answer": ["y", "z"]})
    write_table(tmp_path / "data" / "a.arrow", table)
    with pytest.raises(LoadError, match="the column tags has a dictionary inside"):
        redact(tmp_path)


@pytest.mark.parametrize("name", ["a.arrow", "stream.arrow"])
def test_arrow_is_written_again_with_its_schema(tmp_path, name):
    (tmp_path / "data").mkdir()
    table = pa.table(
        {"question": [f"tel {PHONES[n]}" for n in range(4)], "answer": pa.array(["y"] * 4, pa.large_string())}
    )
    new = pa.ipc.new_file if name == "a.arrow" else pa.ipc.new_stream
    with pa.OSFile(str(tmp_path / "data" / name), "wb") as file, new(file, table.schema) as out:
        out.write_table(table, max_chunksize=3)
    redact(tmp_path)
    target = tmp_path / "out" / "kept" / "train" / name
    read = (pa.ipc.open_file if name == "a.arrow" else pa.ipc.open_stream)(target.read_bytes()).read_all()
    assert read.schema.equals(table.schema)
    assert read["question"].to_pylist() == [f"tel <CN_MOBILE_v{n}>" for n in range(1, 5)]
    assert read["answer"].equals(table["answer"])


def test_keys_and_numbers_are_replaced_in_kind(tmp_path):
    rows = [
        chat("天气", phone=int(PHONES[0])),
        chat("x", **{f"note {PHONES[1]}": 1}),
        chat(f"打{PHONES[2]}"),
        chat("好"),
        chat("y", call={"arguments": json.dumps({"phone": int(PHONES[3]), PHONES[4]: [1.5]})}),
        chat(f"再打{PHONES[0]}", phone=int(PHONES[0])),
    ]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    manifest = redact(tmp_path)
    assert manifest.redaction.not_redactable == manifest.datasets["train"].rows_dropped == 0
    text = kept(tmp_path, "a.jsonl").decode()
    assert not any(value in text for value in PLANTED)
    number, key, _, _, call, again = map(json.loads, text.splitlines())
    assert isinstance(number["phone"], int)
    assert again["phone"] == number["phone"]
    assert f"<CN_MOBILE_v{number['phone']}>" in again["messages"][0]["content"]  # one value, one name
    assert any(re.fullmatch("note <CN_MOBILE_v[0-9]>", name) for name in key)
    arguments = json.loads(call["call"]["arguments"])
    assert isinstance(arguments["phone"], int)
    assert [name for name in arguments if name.startswith("<CN_MOBILE_")] == list(arguments)[1:]
    assert manifest.validation.exit_code == 0


def test_one_value_has_one_name_whatever_hides_it(tmp_path):
    phone = PHONES[0]
    forms = [
        phone,
        f"\u202e{phone[::-1]}\u202c",
        "\u200b".join(phone),
        phone.translate(WIDE),
        f"{phone[:3]} {phone[3:]}",
    ]
    jsonl(tmp_path / "data" / "a.jsonl", *(chat(f"电话：{form}") for form in forms))
    redact(tmp_path)
    names = [PSEUDONYM.findall(line) for line in kept(tmp_path, "a.jsonl").decode().splitlines()]
    assert names == [[("CN_MOBILE", "v1")]] * len(forms)


def test_a_number_in_a_table_stays_a_number_of_its_column(tmp_path):
    (tmp_path / "data").mkdir()
    table = pa.table({
        "prompt": ["你好", f"打{PHONES[0]}"], "response": ["好", "好的"],
        "phone": pa.array([3, int(PHONES[0])], pa.int64()), "score": [0.1, 0.25], "none": [None, 1],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "data" / "a.parquet")
    redact(tmp_path)
    made = pq.read_table(tmp_path / "out" / "kept" / "train" / "a.parquet")
    assert made.schema.equals(table.schema)
    assert made["phone"].to_pylist() == [3, 1]
    assert made["prompt"].to_pylist() == ["你好", "打<CN_MOBILE_v1>"]
    assert str(made.select(["score", "none"])) == str(table.select(["score", "none"]))


@pytest.mark.slow
def test_with_a_key_a_number_gets_the_same_number_in_every_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("PII_KEY", KEY)
    found = []
    for name, others in (("one", []), ("two", [chat(f"打{PHONES[3]}")])):
        jsonl(tmp_path / name / "data" / "a.jsonl", *others, chat("天气", phone=int(PHONES[0])))
        redact(tmp_path / name, key="env:PII_KEY")
        found.append(json.loads(kept(tmp_path / name, "a.jsonl").splitlines()[-1])["phone"])
    assert found[0] == found[1]
    assert 1000 <= found[0] <= 9999


def test_what_stands_in_the_names_of_columns_cannot_be_replaced(tmp_path):
    (tmp_path / "data").mkdir()
    table = pa.table({"prompt": ["你好", "x"], "response": ["好", "y"], f"tel {PHONES[0]}": ["a", None]})
    pq.write_table(table, tmp_path / "data" / "a.parquet")
    assert redact(tmp_path).redaction.not_redactable == 1  # the row in which that column has no value keeps none
    assert (tmp_path / "out" / "dropped" / "train" / "a.parquet").stat().st_mode & 0o777 == 0o600
    assert [c["problems"] for c in ledger(tmp_path) if "problems" in c] == [["not_redactable"]]


def test_what_cannot_be_read_cannot_be_redacted_and_goes(tmp_path):
    broken = f'{{"messages": [{{"role": "user", "content": "打{PHONES[0]}'.encode()
    jsonl(tmp_path / "data" / "a.jsonl", chat("好"), broken, chat(f"打{PHONES[1]}"))
    manifest = redact(tmp_path)
    assert manifest.datasets["train"].unreadable_dropped == 1
    assert not any(value.encode() in kept(tmp_path, "a.jsonl") for value in PLANTED)


def test_a_key_is_told_by_its_id_and_makes_names_that_are_no_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("PII_KEY", KEY)
    jsonl(tmp_path / "data" / "a.jsonl", chat(PHONES[0]))
    manifest = redact(tmp_path, key="env:PII_KEY")
    assert (manifest.redaction.key, manifest.redaction.key_id) == ("env:PII_KEY", key_id(KEY.encode()))
    said = json.loads(kept(tmp_path, "a.jsonl"))["messages"][0]["content"]
    assert re.fullmatch(r"<CN_MOBILE_[0-9a-f]{8}>", said)


@pytest.mark.slow
def test_with_a_key_every_copy_has_the_same_pseudonyms_and_without_none_can_be_linked(tmp_path, monkeypatch):
    monkeypatch.setenv("PII_KEY", KEY)
    texts = {}
    for name, numbers in {"one": (0, 1), "two": (1, 0)}.items():
        for key in (None, "env:PII_KEY"):
            folder = tmp_path / f"{name}-{key is None}"
            jsonl(folder / "data" / "a.jsonl", *(chat(PHONES[n]) for n in numbers))
            manifest = redact(folder, **({"key": key} if key else {}))
            new = kept(folder, "a.jsonl").decode()
            texts[name, key] = [json.loads(line)["messages"][0]["content"] for line in new.splitlines()]
            assert manifest.redaction.key == key
            assert (manifest.redaction.key_id is None) == (key is None)
            assert all((change["before"] is not None if key else "before" not in change) for change in ledger(folder))
            shown = report(folder / "report")["findings"][0]["evidence"]["first"]
            if key:  # the name in the report is that in the data
                assert {p["detail"].split(", ")[-1].partition(": ")[0] for p in shown} == {
                    PSEUDONYM.search(t)[2] for t in texts[name, key]
                }
    assert texts["one", "env:PII_KEY"] == texts["two", "env:PII_KEY"][::-1]
    assert texts["one", None] == texts["two", None] == ["<CN_MOBILE_v1>", "<CN_MOBILE_v2>"]


def test_a_number_given_in_parts_is_replaced_in_all_of_them(tmp_path):
    asked = [
        ("user", "我的手机号是１３８2233"),
        ("assistant", "嗯，后面呢"),
        ("user", "5566，谢谢"),
        ("assistant", "好"),
    ]
    known = [
        ("user", "手机13822335566"),
        ("assistant", "核对一下"),
        ("user", "138"),
        ("assistant", "嗯"),
        ("user", "22335566"),
    ]
    rows = [{"messages": [{"role": role, "content": text} for role, text in each]} for each in (asked, known)]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    assert redact(tmp_path).redaction.left == 0
    first, second = (json.loads(line)["messages"] for line in kept(tmp_path, "a.jsonl").decode().splitlines())
    assert [first[at]["content"] for at in (0, 2)] == ["我的手机号是<CN_MOBILE_v1>", "<CN_MOBILE_v1>，谢谢"]
    assert [second[at]["content"] for at in (0, 2, 4)] == ["手机<CN_MOBILE_v1>", "<CN_MOBILE_v1>", "<CN_MOBILE_v1>"]


def test_a_value_of_letters_and_digits_is_replaced_inside_other_letters(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat("微信号sunny_linda4569", "glued:xsunny_linda4569y"))
    assert redact(tmp_path).redaction.left == 0
    assert b"4569" not in kept(tmp_path, "a.jsonl")


def test_a_hash_of_the_old_string_is_no_plain_hash(tmp_path):
    """A string of one number could be found again by trying them all."""
    jsonl(tmp_path / "data" / "a.jsonl", chat(PHONES[0]))
    redact(tmp_path)
    said = (tmp_path / "out" / "changes.jsonl").read_text("utf-8")
    assert hashlib.sha256(PHONES[0].encode()).hexdigest() not in said
    assert hashlib.sha256(b"<CN_MOBILE_v1>").hexdigest() in said


def test_the_contract_decides_what_is_replaced(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"{PHONES[0]} {PHONES[1]} 13800138000 {MAIL}"))
    allowed = {"entity": "CN_MOBILE", "value": PHONES[1], "owner": "a", "reason": "b", "expires": "2999-01-01"}
    manifest = redact(tmp_path, allow=[allowed], entities={"EMAIL_ADDRESS": "profile"})
    content = json.loads(kept(tmp_path, "a.jsonl"))["messages"][0]["content"]
    assert content == f"<CN_MOBILE_v1> {PHONES[1]} 13800138000 {MAIL}"
    assert manifest.redaction.values == {"CN_MOBILE": 1}


def test_other_findings_are_dropped_as_ever(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat(PHONES[0]), chat(""), chat(f"{PHONES[1]} x"))
    path = contract(tmp_path, ["pii", {"check": "empty_turns", "limits": {"rate": {"max": 0}}}])
    with Session(path, {}, Options(out=tmp_path / "report")) as session:
        session.run()
        session.finish()
    manifest = derive(
        tmp_path / "report", {"train": str(tmp_path / "data")}, tmp_path / "out", redact=True, contract=path
    )
    assert [f.id for f in manifest.findings] == ["train.empty_turns"]
    assert manifest.datasets["train"].rows_kept == 2
    assert manifest.not_mended == ()


def test_a_copy_in_which_something_still_blocks_is_not_written(tmp_path, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", chat(PHONES[0]))
    path = audited(tmp_path)
    monkeypatch.setattr(Redactor, "_mend", lambda _self, records, _form, _others: [False for _ in records])
    with pytest.raises(LoadError, match="1 blocking hit is left"):
        derive(tmp_path / "report", {"train": str(tmp_path / "data")}, tmp_path / "out", redact=True, contract=path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contract.yaml", "data", "report"]


def test_what_is_left_on_purpose_is_counted_by_entity(tmp_path):
    hotline = "客服热线 010-65112418，客服邮箱 kefu@museum-shop.com"
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"我的手机是{PHONES[0]}", hotline), chat("好", hotline))
    told = redact(tmp_path).redaction
    assert (told.public, told.left) == ({"CN_LANDLINE": 2, "EMAIL_ADDRESS": 2}, 0)
    assert told.values == {"CN_MOBILE": 1}


def apply_redact(command, folder, *options):
    """The two commands of the docs: a run, then its redaction."""
    path = contract(folder, ["pii"])
    command("run", path, "--out", folder / "report")
    return command(
        "apply", folder / "report", "--out", folder / "out", "--data", f"train={folder / 'data'}", "--contract", path,
        "--redact", *options,
    )  # fmt: skip


FORMS = ["wx{}", "电话{}a", "No{}x", "v:{}", "{}号", "\u202e{reversed}\u202c", "{wide}", "{spaced}"]


def test_a_value_found_once_is_replaced_in_every_turn_and_form(tmp_path, command):
    """Measured before: of 300 conversations 300 kept the name and 242 the number, and the verdict was PASS."""
    given, rows = "建国", []
    for number, (form, family) in enumerate(zip(FORMS, "王李张刘陈杨赵黄", strict=True)):
        name, phone = family + given, canary("CN_MOBILE", 200 + number)
        other = form.format(
            phone, reversed=phone[::-1], wide=phone.translate(WIDE),
            spaced=" ".join(phone),
        )  # fmt: skip
        turns = [f"我叫{name}，电话：{phone}", f"{name}您好", f"加我{other}，{family} {given}", f"好的{name}"]
        rows.append({"messages": [{"role": ("user", "assistant")[n % 2], "content": t} for n, t in enumerate(turns)]})
    jsonl(tmp_path / "data" / "a.jsonl", *rows, chat("好"))
    code, out, _ = apply_redact(command, tmp_path)
    *lines, _ = kept(tmp_path, "a.jsonl").decode().splitlines()
    assert (code, "left.jsonl" in out, len(lines)) == (0, False, len(FORMS))
    for form, line in zip(FORMS, lines, strict=True):
        plain = "".join(message["content"] for message in json.loads(line)["messages"])
        assert (form, plain.count("<PERSON_"), plain.count("<CN_MOBILE_")) == (form, 4, 2)
        assert given not in plain
        assert not re.search(r"[0-9０-９]{5}", plain)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_redaction_leaves_is_listed_and_no_success(tmp_path, command, lang):
    """The name of a column is the schema of the file."""
    name = "王建国"
    (tmp_path / "data").mkdir()
    table = pa.table({"prompt": ["你好", f"我叫{name}"], "response": ["好", "好的"], name: ["x", "y"]})
    pq.write_table(table, tmp_path / "data" / "a.parquet")
    code, out, _ = apply_redact(command, tmp_path, "--lang", lang)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    left = [json.loads(line) for line in (tmp_path / "out" / "left.jsonl").read_bytes().splitlines()]
    assert manifest["validation"]["exit_code"] == 0  # the contract sees nothing of it
    assert code == 1
    assert manifest["redaction"]["left"] == len(left)
    assert (2, "{key}", "PERSON") in {(each["line"], each["where"], each["entity"]) for each in left}
    assert "{key}" in out
    assert name not in (tmp_path / "out" / "left.jsonl").read_text("utf-8") + out


def test_what_is_left_is_found_in_the_copy_and_not_believed_of_the_redaction(tmp_path, command, monkeypatch):
    """The sabotage: nothing is replaced but what a recognizer sees."""
    monkeypatch.setattr(Redactor, "_replace_traces", lambda *_: None)
    monkeypatch.setattr(Redactor, "_add_names", lambda *_: None)
    jsonl(tmp_path / "data" / "a.jsonl", chat("我叫王建国", "好的，王建国"))
    code, out, _ = apply_redact(command, tmp_path)
    assert code == 1
    assert "train/a.jsonl:1  messages[1].content  PERSON" in out


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_left_in_a_table_is_found_too(tmp_path, command, monkeypatch, suffix):
    monkeypatch.setattr(Redactor, "_replace_traces", lambda *_: None)
    monkeypatch.setattr(Redactor, "_add_names", lambda *_: None)
    (tmp_path / "data").mkdir()
    table = pa.table({"prompt": ["你好", "我叫王建国"], "response": ["好", "王建国您好"]})
    path = tmp_path / "data" / f"a.{suffix}"
    pq.write_table(table, path) if suffix == "parquet" else pa_csv.write_csv(table, path)
    code, out, _ = apply_redact(command, tmp_path)
    assert code == 1
    assert "  response  PERSON" in out


def test_the_command_says_what_was_replaced(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"{PHONES[0]} {MAIL}"), chat("好", phone=int(PHONES[1])))
    manifest = redact(tmp_path)
    for lang, redacted in (("en", "Redacted"), ("zh", "已脱敏")):
        for width in (40, 90):
            console = Console(width=width, file=io.StringIO(), highlight=False)
            print_manifest(manifest, console, lang, folder=str(tmp_path / "out"))
            said = console.file.getvalue()
            assert {"CN_MOBILE", "EMAIL_ADDRESS"} <= set(re.findall(r"[A-Z_]{5,}", said))
            assert redacted in said
            assert not any(value in said for value in PLANTED)
            head = said.partition(str(tmp_path)[:20])[0]
            assert max(map(cell_len, head.splitlines())) <= width


def test_what_is_asked_wrongly(tmp_path, monkeypatch):
    jsonl(tmp_path / "data" / "a.jsonl", chat(PHONES[0]))
    path = audited(tmp_path)
    data = {"train": str(tmp_path / "data")}
    with pytest.raises(UsageError, match="name it with --contract"):
        derive(tmp_path / "report", data, tmp_path / "out", redact=True)
    value = yaml.safe_load(path.read_text("utf-8"))
    value["datasets"]["train"]["checks"] = [{"check": "pii", "person": "labelled"}]
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(value), "utf-8")
    with pytest.raises(UsageError, match="was not measured like this"):
        derive(tmp_path / "report", data, tmp_path / "out", redact=True, contract=other)
    value["datasets"]["train"]["checks"] = ["empty_turns"]
    other.write_text(yaml.safe_dump(value), "utf-8")
    with pytest.raises(UsageError, match="no check pii for 'train'; leave out --data train="):
        derive(tmp_path / "report", data, tmp_path / "out", redact=True, contract=other)
    value["datasets"]["train"]["checks"] = ["pii", {"check": "pii", "id": "again"}]
    other.write_text(yaml.safe_dump(value), "utf-8")
    with pytest.raises(UsageError, match="has several checks pii in the contract"):
        derive(tmp_path / "report", data, tmp_path / "out", redact=True, contract=other)
    assert not (tmp_path / "out").exists()


def test_a_file_of_many_blocks_is_not_taken_for_a_changed_one(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat("天" * 700_000), chat(f"打{PHONES[0]}"), chat("地" * 700_000))
    assert redact(tmp_path).redaction.strings == 1
    assert len(kept(tmp_path, "a.jsonl")) > 4_000_000


def test_who_is_named_in_full_is_the_same_person_by_a_part_of_the_name(tmp_path):
    said = "姓名：王建国，联系人：李秀兰，my name is Sarah Whitfield，电话"
    answer = "王先生好，李女士和秀兰好，张先生也来。Hi Sarah, Ms. Whitfield"
    jsonl(tmp_path / "data" / "a.jsonl", chat(said + PHONES[0], answer))
    redact(tmp_path, names="warn")
    turns = [turn["content"] for turn in json.loads(kept(tmp_path, "a.jsonl"))["messages"]]
    wang, li, sarah = (match[0] for match in PSEUDONYM.finditer(turns[0]) if match[1] == "PERSON")
    zhang = PSEUDONYM.findall(turns[1])[3]
    assert turns[1] == (f"{wang}先生好，{li}女士和{li}好，<{zhang[0]}_{zhang[1]}>先生也来。Hi {sarah}, Ms. {sarah}")
    assert f"<{zhang[0]}_{zhang[1]}>" not in {wang, li, sarah}


def test_a_number_in_two_lines_and_a_name_in_json_inside_json_are_replaced(tmp_path):
    number = PHONES[0]
    inner = json.dumps({"who": "王建国", "n": number})  # escaped once, and once more around it
    row = chat(
        f"我叫王建国，手机号{number}", f"记下了：{number[:6]}\n{number[6:]}", meta={"raw": json.dumps({"a": inner})}
    )
    jsonl(tmp_path / "data" / "a.jsonl", row)
    redact(tmp_path)
    text = kept(tmp_path, "a.jsonl").decode()
    assert number[6:] not in text
    deep = json.loads(json.loads(json.loads(text)["meta"]["raw"])["a"])
    assert deep == {"who": "<PERSON_v1>", "n": "<CN_MOBILE_v1>"}


def test_a_number_and_a_string_of_the_same_digits_in_one_json_text_are_told_apart(tmp_path):
    card = next(value for seed in range(99) if (value := canary("CN_RESIDENT_ID", seed)).isdigit())
    arguments = json.dumps({"value": card, "number": int(card)})
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"身份证号{card}", arguments))
    redact(tmp_path)
    written = json.loads(json.loads(kept(tmp_path, "a.jsonl"))["messages"][1]["content"])
    assert written["value"] == "<CN_RESIDENT_ID_v1>"
    assert isinstance(written["number"], int)


def test_a_record_that_would_read_otherwise_than_meant_goes_and_the_others_are_written(tmp_path, monkeypatch):
    def replaced(self, text, wanted):
        return "?" if PHONES[1] in text else right(self, text, wanted)

    right = Anonymiser.replaced
    monkeypatch.setattr(Anonymiser, "replaced", replaced)
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"电话{PHONES[0]}"), chat(f"电话{PHONES[1]}"), chat(f"电话{PHONES[2]}"))
    manifest = redact(tmp_path)
    assert [row["messages"][0]["content"] for row in map(json.loads, kept(tmp_path, "a.jsonl").splitlines())] == [
        "电话<CN_MOBILE_v1>",
        "电话<CN_MOBILE_v3>",
    ]
    assert manifest.redaction.not_redactable == 1


@pytest.mark.parametrize("written", ["(+86){}", "（+86）{}", "(0086){}"])
def test_no_half_of_a_pair_of_brackets_stays(tmp_path, written):
    jsonl(
        tmp_path / "data" / "a.jsonl",
        chat(f"电话{written.format(PHONES[0])}（家里的）", f"记下了{written.format(PHONES[0])}"),
    )
    redact(tmp_path)
    said = [turn["content"] for turn in json.loads(kept(tmp_path, "a.jsonl"))["messages"]]
    assert said == ["电话<CN_MOBILE_v1>（家里的）", "记下了<CN_MOBILE_v1>"]


def test_a_name_ends_before_the_next_label_and_at_the_full_stop(tmp_path):
    cases = [
        ("Thanks, Ms. Whitfield. I have noted it.", "Thanks, Ms. <PERSON_v1>. I have noted it."),
        ("sarah whitfield, noted", "<PERSON_v1>, noted"),
        ("Ｓａｒａｈ Ｗｈｉｔｆｉｅｌｄ, noted", "<PERSON_v1>, noted"),
    ]
    labels = ["Contact: {} Tel: {}", "Best,\n{}\n收货地址 杭州市西湖区望京东路81号8栋2单元1598室，{}"]
    asked = [(label.format("Sarah Whitfield", PHONES[0]), *case) for label in labels for case in cases]
    assert answers(tmp_path, *(chat(*said) for *said, _ in asked)) == [masked for *_, masked in asked]


def test_a_given_name_that_is_a_word_is_a_name_where_somebody_is_called(tmp_path):
    cases = [
        ("建国，记得带材料", "<PERSON_v1>，记得带材料"),
        ("建国以来最大的一次", "建国以来最大的一次"),
        ("小王今天来过", "<PERSON_v1>今天来过"),
        ("小王子是一本书", "小王子是一本书"),
    ]
    told = answers(tmp_path, *(chat(f"我叫王建国，手机号{PHONES[0]}", later) for later, _ in cases))
    assert told == [masked for _, masked in cases]


@pytest.mark.parametrize("name", ["Siobhan Kravczyk", "Zoë Okafor"])
def test_an_english_name_of_no_list_before_an_identifier_is_replaced(tmp_path, name):
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"Please ship to {name} ({PHONES[0]})", f"{name.split()[1]} is here."))
    redact(tmp_path)
    assert kept(tmp_path, "a.jsonl").decode().count("<PERSON_v1>") == 2


def test_surrogates_keep_the_form_and_are_nobodys(tmp_path, command):
    """Of many, as one could be nobody's by chance."""
    cards, phones = ([canary(entity, seed) for seed in range(7, 27)] for entity in ("CN_RESIDENT_ID", "CN_MOBILE"))
    row = chat(f"我叫王建国，手机号{phones[0]}，身份证{cards[0]}，{MAIL}", f"wx{phones[0]}a")
    more = [chat(f"手机号{phone}，身份证{card}") for phone, card in zip(phones[1:], cards[1:], strict=True)]
    jsonl(tmp_path / "data" / "a.jsonl", row, *more)
    path = audited(tmp_path)
    options = ["--data", f"train={tmp_path / 'data'}", "--contract", path, "--redact", "--surrogates"]
    assert command("apply", tmp_path / "report", "--out", tmp_path / "out", *options)[0] == 0
    rows = [json.loads(line)["messages"] for line in kept(tmp_path, "a.jsonl").splitlines()]
    first, second = (turn["content"] for turn in rows[0])
    made = re.fullmatch(r"我叫(.某.)，手机号([0-9]{11})，身份证[0-9]{17}[0-9X]，\w+@example\.com", first)
    assert made is not None, first
    assert second == f"wx{made[2]}a"
    for turns in rows:
        found = re.search(r"手机号([0-9]{11})，身份证([0-9]{17}[0-9X])", turns[0]["content"])
        assert found is not None
        assert not is_mobile(found[1])
        assert not is_resident(found[2])


def test_a_surrogate_that_could_be_somebodys_is_not_taken(monkeypatch):
    somebodys, nobodys = canary("CN_MOBILE", 3), "12300000000"
    monkeypatch.setattr(Surrogates, "_candidates", lambda *_: iter([somebodys, nobodys]))
    assert Surrogates(None, Rules()).of("CN_MOBILE", canary("CN_MOBILE", 4)) == nobodys


def is_resident(number):
    """Whether a number has a date of birth, and the check digit of all before it (ISO 7064 MOD 11-2)."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    right = "10X98765432"[sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False)) % 11]
    born = re.fullmatch("(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])", number[6:14])
    return number[-1] == right and born is not None


def is_mobile(number):
    """Whether a number is somebody's mobile in China; what begins like a prefix of long distance may be no number."""
    try:
        return phonenumbers.number_type(phonenumbers.parse(number, "CN")) == phonenumbers.PhoneNumberType.MOBILE
    except phonenumbers.NumberParseException:
        return False


def test_everywhere_a_value_is_replaced_in_rows_in_which_no_rule_finds_it(tmp_path):
    number = PHONES[0]
    rows = [chat(f"我叫王建国，手机号{number}"), chat(f"王建国：a{number}b"), chat("王先生", "别的")]
    jsonl(tmp_path / "data" / "a.jsonl", *rows)
    path = audited(tmp_path)
    made = derive(
        tmp_path / "report",
        {"train": str(tmp_path / "data")},
        tmp_path / "out",
        redact=True,
        everywhere=True,
        contract=path,
    )
    _, second, third = kept(tmp_path, "a.jsonl").decode().splitlines()
    assert "<PERSON_v1>：a<CN_MOBILE_v1>b" in second
    assert "王先生" in third  # of that surname there are many
    assert made.redaction.left == 0


def test_everywhere_words_dates_and_short_numbers_of_other_rows_stay(tmp_path):
    people = ["安静", "王丽", "方正"]
    rows = [chat(f"我叫{name}，手机号{PHONES[at]}") for at, name in enumerate(people)]
    rows += [chat(f"Name: {name}\nContact: {MAIL}") for name in ("Will", "Will Grant")]
    rows += [chat(f"QQ号：{number}，出生日期：1990年1月1日") for number in ("20240", "1064")]
    others = [
        "请保持安静，安静的房间，方正字体", "王丽娜来了，王丽说好。", "I will go, and I will grant you that.",
        "20240 人，1990年1月1日。",
    ]  # fmt: skip
    jsonl(tmp_path / "data" / "a.jsonl", *rows, *map(chat, others))
    path = audited(tmp_path)
    data = {"train": str(tmp_path / "data")}
    made = derive(tmp_path / "report", data, tmp_path / "out", redact=True, everywhere=True, contract=path)
    lines = kept(tmp_path, "a.jsonl").decode().splitlines()
    assert all(name not in line for name, line in zip(people, lines, strict=False))
    found = [json.loads(line)["messages"][0]["content"] for line in lines[-len(others) :]]
    # Who is named so is called so; the rest is what it was.
    assert [PSEUDONYM.sub("王丽", text) for text in found] == others
    assert [len(PSEUDONYM.findall(text)) for text in found] == [0, 1, 0, 0]
    assert made.redaction.left == 0


def test_what_only_a_stricter_look_sees_is_listed_and_no_success(tmp_path, command):
    other = "13911203947"
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"手机号{PHONES[0]}", f"ref_{other[:6]}\n{other[6:]}x"))
    path = audited(tmp_path)
    options = ["--data", f"train={tmp_path / 'data'}", "--contract", path, "--redact"]
    assert command("apply", tmp_path / "report", "--out", tmp_path / "out", *options)[0] == 1
    (line,) = (tmp_path / "out" / "left.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert told["entity"] == "CN_MOBILE"
    assert told["where"] == "messages[1].content"
    assert not told["replaced_elsewhere"]
    assert other not in line
    for lang, words, others in (("en", "no rule finds it", "replaced elsewhere"), ("zh", "没有规则", "在别处已替换")):
        said = command("apply", tmp_path / "report", "--out", tmp_path / lang, *options, "--lang", lang)[1]
        assert words in said.replace("\n", " ").replace("  ", " ")
        assert others not in said


def test_what_may_be_a_name_is_listed_and_no_success(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"手机号{PHONES[0]} 已登记。 Note of Zuberi Tembo here", "Zuberi, ok"))
    assert apply_redact(command, tmp_path)[0] == 1
    told = json.loads((tmp_path / "out" / "left.jsonl").read_text())
    assert (told["where"], told["entity"], told["replaced_elsewhere"]) == ("messages[0].content", "PERSON", False)


def test_a_mailbox_tells_the_folder_and_the_name_of_its_owner(tmp_path, command):
    jsonl(
        tmp_path / "data" / "a.jsonl",
        chat(r"C:\Users\ntembo\tax.xlsx is mine, mail ntembo@brook-hill.com", "thanks. – Nia Tembo. Bye, Nia!"),
    )
    assert apply_redact(command, tmp_path)[0] == 0
    assert re.findall("[Tt]embo|Nia", PSEUDONYM.sub("", kept(tmp_path, "a.jsonl").decode())) == []


def test_a_copy_is_searched_by_a_second_reading(tmp_path, command, monkeypatch):
    """What replaces values finds nothing here, neither before the copy is written nor in it."""
    monkeypatch.setattr("datacheck.pii.redact.traces.Traces.find", lambda *_: [])
    monkeypatch.setattr("datacheck.pii.redact.anonymise.rough_values", lambda *_: [])
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"我叫王建国，手机号{PHONES[0]}", f"ref_{PHONES[0]}x，请王工稍等"))
    code, _, _ = apply_redact(command, tmp_path)
    assert code == 1
    left = [json.loads(line) for line in (tmp_path / "out" / "left.jsonl").read_text().splitlines()]
    told = {(each["where"], each["entity"], each["replaced_elsewhere"]) for each in left}
    assert told == {("messages[1].content", "CN_MOBILE", True), ("messages[1].content", "PERSON", True)}


NAMED = {
    "Drew Smith, card <CN_BANK_CARD_v1>": "Let me check with Smith, Drew first, or with drew_smith.",
    "帮罗长江查一下，卡号": "罗总说没问题，明天长江会来，罗工也到。",
    "这是我同事欧阳海涛，卡号": "给欧阳发了短信，收到，海涛哥。",
    "Ship to Sanne de Vries, card": "Ms. Vries, thanks",
    "Customer: Li Xiaoming; card": "Please tell Li to wait. lixiaoming",
    "Hi, José Yılmaz, card": "JOSE YILMAZ and Jose",
}


def test_a_name_that_nothing_introduces_is_replaced_in_somebodys_row(tmp_path, command):
    card = canary("CN_BANK_CARD", 5)
    said = {f"{said.removesuffix('<CN_BANK_CARD_v1>')} {card}": answer for said, answer in NAMED.items()}
    jsonl(tmp_path / "data" / "a.jsonl", *map(chat, said, said.values()), *map(chat, said.values()))
    assert apply_redact(command, tmp_path)[0] == 0
    lines = kept(tmp_path, "a.jsonl").decode().splitlines()
    names = "Drew|Smith|drew|罗|长江|欧阳|海涛|Sanne|Vries|Li\\b|[Xx]iao|Jos|JOS|Y.lmaz|YIL"
    assert [re.findall(names, PSEUDONYM.sub("", line)) for line in lines[: len(said)]] == [[]] * len(said)
    nobodys = [json.loads(line)["messages"][0]["content"] for line in lines[len(said) :]]
    assert nobodys == list(said.values())  # they stay as they are


def test_a_name_of_wechat_that_letters_touch_is_replaced(tmp_path, command):
    jsonl(tmp_path / "data" / "a.jsonl", chat("微信号：bobonana", "记下了 vxbobonana，BOBONANA，b\u200bobonana"))
    assert apply_redact(command, tmp_path)[0] == 0
    assert "bonana" not in kept(tmp_path, "a.jsonl").decode().lower().replace("\u200b", "")


def test_how_to_redact_is_said_with_redact_only(tmp_path):
    jsonl(tmp_path / "data" / "a.jsonl", chat("好"))
    path = audited(tmp_path)
    data, both = {"train": str(tmp_path / "data")}, {"surrogates": True, "everywhere": True}
    with pytest.raises(UsageError, match="add --redact"):
        derive(tmp_path / "report", data, tmp_path / "out", surrogates=True, contract=path)
    with pytest.raises(UsageError, match="choose one"):
        derive(tmp_path / "report", data, tmp_path / "out", redact=True, contract=path, **both)


def test_what_only_the_name_of_a_column_tells_is_replaced(tmp_path):
    """A CSV has its labels in the header, a hundred rows away from the values."""
    values = {"姓名": "雷海波", "住院号": "3959658", "QQ": "382910475", "出生日期": "1986-03-12"}
    header = ",".join([*values, "question", "answer"])
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text(f"{header}\n{','.join(values.values())},出院后多久复查？,两周后。\n")
    manifest = redact(tmp_path)
    assert manifest.redaction.not_redactable == 0
    (row,) = csv.DictReader(io.StringIO(kept(tmp_path, "a.csv").decode()))
    assert [PSEUDONYM.fullmatch(row[name])[1] for name in values] == [
        "PERSON", "CN_MEDICAL_RECORD", "QQ", "DATE_OF_BIRTH",
    ]  # fmt: skip
    assert row["answer"] == "两周后。"
    assert manifest.validation.exit_code == 0


def test_what_only_the_head_of_a_column_tells_is_replaced_everywhere(tmp_path):
    row = chat("列个表", "| 姓名 | QQ |\n|---|---|\n| 高磊 | 604914573 |", meta={"n": "备注604914573"})
    jsonl(tmp_path / "data" / "a.jsonl", row)
    redact(tmp_path)
    text = kept(tmp_path, "a.jsonl").decode()
    assert "604914573" not in text
    assert json.loads(text)["messages"][1]["content"] == "| 姓名 | QQ |\n|---|---|\n| <PERSON_v1> | <QQ_v1> |"


def test_letters_for_digits_and_base64_are_replaced(tmp_path):
    number = "18602233567"
    spelt = number.replace("1", "l").replace("0", "O")
    coded = base64.b64encode(f"tel {number}".encode()).decode()
    jsonl(tmp_path / "data" / "a.jsonl", chat(f"我的手机号是{spelt}", f"已登记 {number}。", meta={"raw": coded}))
    redact(tmp_path)
    text = kept(tmp_path, "a.jsonl").decode()
    assert not [form for form in (number, spelt, coded) if form in text]


def test_who_is_called_by_a_nickname_alone_is_replaced(tmp_path):
    """Nobody says the full name: the form tells, in a row that holds somebody's data, and in no other."""
    told = chat("我的手机号是13822335566，同组的小煜反馈不错", "已告知小煜")
    kin = chat("My phone is 415-867-5309. Wife Zuleika asked, ask Zuleika", "Zuleika knows")
    clean = chat("同组的小煜反馈不错", "已告知小煜，共42条")
    assert answers(tmp_path, told, kin, clean) == ["已告知<PERSON_v1>", "<PERSON_v1> knows", "已告知小煜，共42条"]


def test_who_is_called_by_one_part_of_a_name_is_replaced(tmp_path):
    cases = [
        ("患者欧阳晓雯，手机13822335566，接诊顾医生", "顾医生和小瞿都在", "<PERSON_v2>医生和<PERSON_v3>都在"),
        ("我是顾晓雯，手机13822335566", "顾医生您好", "<PERSON_v1>医生您好"),
        ("请让褚同学回电13822335566", "八点接褚同学", "八点接<PERSON_v1>同学"),
        ("My name is Jago  Korhonen, 415-867-5309", "Thanks, Korhonen", "Thanks, <PERSON_v1>"),
        ("Ｎame is Jago　Korhonen, 415-867-5309", "Thanks, Jago.", "Thanks, <PERSON_v1>."),
        ("my mail is anna.k @ lumen.io", "Tobias will write to anna.k@lumen.io", "<PERSON_v1> will write to <EMAIL_ADDRESS_v1>"),
        ("翻译格林女士的信，寄给我，电话13822335566", "格林女士您好", "格林女士您好"),
    ]  # fmt: skip
    told = answers(tmp_path, *(chat(user, answer) for user, answer, _ in cases))
    assert told == [masked for *_, masked in cases]


def test_numbers_of_products_in_a_list_are_not_listed(tmp_path):
    """Ten digits that are all of a field are a telephone of America, but not where a table is full of numbers."""
    products = {f"product {n}": f"{4155550000 + 137731 * n}" for n in range(40)}
    jsonl(tmp_path / "data" / "a.jsonl", chat("Mail mary.allen77@northgate.com " + json.dumps(products)))
    assert redact(tmp_path).redaction.left == 0
