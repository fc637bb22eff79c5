"""`datacheck pack`: a scan against a pack finds what a scan against the file finds, and a pack holds no text."""

import json
import random
from pathlib import Path

import polars as pl
import pytest
from core_helpers import contract, jsonl, report

from datacheck.loading import benchmarks
from datacheck.text import packs
from datacheck.text.leak_plants import Item, leaks

THINGS = ("lantern", "barrel", "ledger", "violin", "anchor", "kettle", "saddle", "candle", "mirror", "basket")
PLACES = ("Ravensford", "Oakhaven", "Millbrook", "Stonegate", "Fairwater", "Kingsmere", "Eastvale", "Northwick")
OPENINGS = (
    "A merchant trades every {0} he owns, {1} in all, against one {2} at {3}. What did each cost him in copper?",
    "If {3} lies {1} miles upstream, how long does a raft that carries a {0} and a {2} need to drift home?",
    "Which of the {1} brothers inherits the {2} when the {0} is sold by the mayor of {3} before noon?",
    "Draw lots among {1} shepherds near {3}: with what chance do the tallest two win both {0} and {2}?",
    "The bell of {3} rings {1} times. Between two strokes a smith mends one {0}, never a {2}. How many by dusk?",
    "Paint cans empty at a rate of {1} per hour while {3} repairs its fence; the {0} hides a {2}. When is it done?",
    "Twice as many visitors came to {3} after the {2} was found, {1} fewer than hoped. Who counted the {0}?",
    "Suppose that gravity doubled in {3}: would a falling {0} of {1} grams overtake the {2} beside it, and why?",
    'Translate the sign above the inn of {3}, "{0} and {2}", into verse of {1} syllables, without any rhyme.',
    "Rank these by weight as sold in {3}: one {0}, a {2}, and {1} goose feathers tied with a length of string.",
)
WARES = ("铜壶", "竹篮", "瓷碗", "油灯", "马鞍", "蜡烛", "木桶", "琴弦", "账本", "船锚")
TOWNS = ("清河镇", "白石村", "东篱县", "南浦港", "北岭关", "西泽乡", "云溪寨", "松林堡")


def exam() -> list[dict]:
    """Questions of three shapes that share no more than everyday words, and two that are very short."""
    rng, rows = random.Random(7), []
    for at in range(10):
        one, two, town = rng.choice(THINGS), rng.choice(THINGS), rng.choice(PLACES)
        rows.append({"question": OPENINGS[at].format(one, rng.randint(12, 98), two, town), "answer": str(at)})
        ware, other, town = rng.choice(WARES), rng.choice(WARES), rng.choice(TOWNS)
        rows.append(
            {
                "question": f"{town}的第{at}位货郎用{rng.randint(12, 98)}个{ware}换回一批{other}，途中遗失{rng.randint(3, 9)}个，最后清点剩余多少？",
                "A": f"剩余{at + 3}个{ware}",
                "B": f"剩余{at + 5}个{ware}",
                "C": f"剩余{at + 8}个{other}",
                "D": f"全部遗失在{town}",
                "answer": "A",
            }
        )
    brief = {
        "question": "下列器物名称写法有误的一组是哪一个",
        "A": "铜壶与竹篮器",
        "B": "瓷碗与油灯盏",
        "C": "马鞍与蜡烛台",
        "D": "木桶与琴弦轴",
    }
    return [*rows, {**brief, "answer": "B"}, {"question": "7*8?", "answer": "56"}]


def training(rows: list[dict], host: str) -> list[dict]:
    """Each third question in every way in which it could leak, the brief one with its options before it, and others."""
    texts = [host, f"{host} Not one of them."]
    for row in rows[::3]:
        item = Item(row["question"], tuple(row[letter] for letter in "ABCD" if letter in row))
        texts += leaks(item, host).values()
    brief = rows[-2]
    texts += [
        f"{brief['D']}；{brief['B']}；{brief['C']}；{brief['A']}。{brief['question']}",
        brief["question"],
        "7*8？",
    ]
    return [{"messages": [{"role": "user", "content": t}, {"role": "assistant", "content": "好的。"}]} for t in texts]


HOST = "The weather over the northern hills had been mild for a week when the travellers set out for the coast."


@pytest.fixture
def folder(tmp_path, monkeypatch, here):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "exam.jsonl", *exam())
    jsonl(tmp_path / "data.jsonl", *training(exam(), HOST))
    return tmp_path


def scanned(folder: Path, command, name: str, check=None, data="data.jsonl"):
    """(exit code, the finding of leakage, its evidence, what was printed) of a run against a file."""
    path = contract(
        folder,
        [check or {"check": "leakage", "against": ["eval"]}],
        name=f"{name}.yaml",
        source={"path": data},
        eval=({"path": name}, ["too_few_rows"]),
    )
    code, out, err = command("run", path, "--out", folder / f"report-{name}")
    (found,) = [each for each in report(folder / f"report-{name}")["findings"] if each["check"] == "leakage"]
    evidence = folder / f"report-{name}" / "evidence" / "train.leakage.parquet"
    return code, found, pl.read_parquet(evidence) if evidence.exists() else None, out + err


def numbers(finding):
    return [(v["name"], v.get("slice"), v.get("value"), v.get("count")) for v in finding["values"][:-1]]


def test_a_pack_finds_what_its_file_finds(folder, command):
    code, out, _ = command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    assert (code, out) == (0, command("pack", "show", "exam.pack")[1])
    code, file, places, _ = scanned(folder, command, "exam.jsonl")
    packed_code, packed, packed_places, printed = scanned(folder, command, "exam.pack")
    assert (code, packed_code) == (1, 1)
    assert numbers(file) == numbers(packed)
    same = ["line", "where", "problem", "score"]
    assert places.select(same).equals(packed_places.select(same))
    where = pl.col("other").str.extract(r":(\d+)$")
    assert places.select(where).equals(packed_places.select(where))
    assert packed_places["other"][0].startswith("eval/exam.pack:")
    # by hand: rows 0, 3, …, 21 (the short one), the brief question with its options
    leaked = packed_places.filter(problem="leaked")
    assert set(leaked["other"].str.extract(r":(\d+)$").cast(pl.Int64)) == {*range(1, 23, 3), 21}
    assert packed["values"][-1]["of"] >= 60
    assert "Evaluation sets" in printed
    said = " ".join(printed.split())
    assert "eval: 9 of 22 questions seen (40.9 %), 3 for review; first at data.jsonl:3," in said


def test_a_pack_holds_no_text_and_is_the_same_each_time(folder, command):
    command("pack", "build", "exam.jsonl", "--to", "one.pack", "--name", "exam")
    command("pack", "build", "exam.jsonl", "--to", "two.pack", "--name", "exam")
    data = (folder / "one.pack").read_bytes()
    assert data == (folder / "two.pack").read_bytes()
    for row in exam()[:-1]:
        for text in filter(lambda each: isinstance(each, str) and len(each) > 6, row.values()):
            assert text[:6].encode() not in data
            assert text[-6:].encode() not in data
    command("pack", "build", "exam.jsonl", "--to", "odd.pack", "--name", "a\x1b[31mb\n\u202ec")
    assert not {*"\x1b\u202e"} & {*command("pack", "show", "odd.pack")[1]}  # a name may be anybody's
    for item in packs.read(data).items["shingles"]:
        assert item.is_sorted()
    code, out, _ = command("pack", "show", "one.pack")
    assert (code, out.splitlines()[0].startswith("exam: 22 rows, ")) == (0, True)


def test_a_run_that_finds_nothing_shows_nothing_of_the_set(folder, command):
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    jsonl(folder / "clean.jsonl", *training(exam(), HOST)[:2])
    code, found, _, printed = scanned(folder, command, "exam.pack", data="clean.jsonl")
    assert (code, found["status"]) == (0, "pass")
    written = "".join(path.read_text("utf-8") for path in (folder / "report-exam.pack").glob("*.*"))
    assert not any(text in written + printed for text in ("Merchant", "货郎", "铜壶与竹篮"))


@pytest.mark.parametrize("setting", [{"min_length": 9}])
def test_a_pack_of_other_rules_is_refused(folder, command, setting):
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    code, found, _, _ = scanned(folder, command, "exam.pack", {"check": "leakage", "against": ["eval"], **setting})
    assert (code, found["status"]) == (3, "error")
    assert "exam.pack: a pack made by other rules than this check has (min_length)" in found["error"]
    command("pack", "build", "exam.jsonl", "--to", "exam.pack", "--min-length", setting["min_length"])
    code, found, _, _ = scanned(folder, command, "exam.pack", {"check": "leakage", "against": ["eval"], **setting})
    assert (code, found["status"]) == (1, "fail")


def rewritten(data: bytes, change) -> bytes:
    """A pack with other items, whole and with the right digest."""
    pack = packs.read(data)
    return packs.write(pack._replace(items=change(pack.items)))


@pytest.mark.parametrize(
    "change",
    [
        lambda items: items.with_columns(pl.col("shingles") ^ pl.lit(0, pl.UInt32)),
        lambda items: items.with_columns(
            pl.col("shingles").list.eval(pl.element() // 2 + pl.int_range(pl.len()).cast(pl.UInt32))
        ),
        lambda items: items.with_columns(pl.col("key") + 1),
        lambda items: items.with_columns(pl.col("options").list.eval(pl.element() + 65_536)),
        lambda items: items.with_columns(pl.col("length") + 1),
    ],
    ids=["nothing", "n-grams", "keys", "options", "lengths"],
)
def test_a_pack_by_other_hashes_is_no_pass(folder, command, change, request):
    """As if another version had built it: the made-up items are not found as they should be."""
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    jsonl(folder / "clean.jsonl", *training(exam(), HOST)[:2])
    whole = request.node.callspec.id == "nothing"
    if not whole:
        data = (folder / "exam.pack").read_bytes()
        (folder / "exam.pack").write_bytes(rewritten(data, change))
    code, found, _, _ = scanned(folder, command, "exam.pack", data="clean.jsonl")
    assert (code, found["status"]) == ((0, "pass") if whole else (3, "error"))
    if not whole:
        assert "planted_recall" in found["error"]


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-100], lambda d: d[:2000] + b"x" + d[2001:], lambda d: d.replace(b"pack 1", b"pack 9", 1)]
)
def test_a_damaged_pack_is_an_error_that_names_it(folder, command, damage):
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    (folder / "exam.pack").write_bytes(damage((folder / "exam.pack").read_bytes()))
    code, found, _, printed = scanned(folder, command, "exam.pack")
    assert (code, found["status"]) == (3, "error")
    assert "eval/exam.pack:1" in printed
    assert "bad_pack" in printed
    code, _, err = command("pack", "show", "exam.pack")
    assert (code, "exam.pack: no pack, or not a whole one" in err) == (3, True)


def test_no_other_check_passes_on_a_pack(folder, command):
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    path = contract(folder, ["exact_duplicates", "pii", "too_few_rows"], source={"path": "exam.pack"})
    assert command("run", path, "--out", "out")[0] == 3
    status = {each["check"]: each["status"] for each in report(folder / "out")["findings"]}
    assert {check: status[check] for check in ("exact_duplicates", "pii", "too_few_rows")} == {
        "exact_duplicates": "error", "pii": "error", "too_few_rows": "pass",
    }  # fmt: skip


@pytest.mark.slow
def test_a_look_without_a_contract_takes_a_pack(folder, command):
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    code, out, _ = command("audit", "data.jsonl", "--eval", "exam.pack", "--out", "out")
    assert (code, "train.leakage" in out) == (1, True)


def test_half_a_set_makes_no_pack(folder, command):
    jsonl(folder / "half.jsonl", *exam()[:5], b'{"question": "cut')
    code, _, err = command("pack", "build", "half.jsonl", "--to", "half.pack")
    assert (code, "half.jsonl: not all of it can be read" in err) == (3, True)
    assert not (folder / "half.pack").exists()
    (folder / "notes.pack").write_text("mine")
    assert command("pack", "build", "exam.jsonl", "--to", "notes.pack")[0] == 2  # nothing of others is replaced
    jsonl(folder / "odd.jsonl", {"q": exam()[0]["question"], "topic": "trade"})
    assert command("pack", "build", "odd.jsonl", "--to", "odd.pack", "--fields", "prompt=q")[0] == 0
    assert command("pack", "build", "odd.jsonl", "--to", "odd.pack", "--fields", "prompt")[0] == 2


# ── which benchmark it is ─────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def listed(folder, command, monkeypatch):
    """The exam stands in the table of benchmarks, as `Guild Exam`."""
    command("pack", "build", "exam.jsonl", "--to", "exam.pack")
    header = packs.read((folder / "exam.pack").read_bytes()).header
    exam_is = benchmarks.Benchmark(
        "Guild Exam", "v2", "CC0", "nowhere", "", 22, header["files"][0], header["questions"], {}
    )
    monkeypatch.setattr(benchmarks, "known", lambda: (exam_is,))
    return folder


def said(folder, command, name):
    _, found, _, printed = scanned(folder, command, name)
    return found["figures"]["recognised"]["known"], " ".join(printed.replace("  | ", "").split())


def test_a_file_is_recognised_by_its_bytes_and_by_its_questions(listed, command):
    known, printed = said(listed, command, "exam.jsonl")
    assert (known, "exam.jsonl is Guild Exam v2 (22 rows, CC0)" in printed) == (["file"], True)
    chat = [{"messages": [{"role": "user", "content": r["question"].upper().replace(" ", "  ")}]} for r in exam()]
    random.Random(1).shuffle(chat)
    jsonl(listed / "chat.jsonl", *chat)
    known, printed = said(listed, command, "chat.jsonl")
    assert known == ["questions"]
    assert "chat.jsonl is Guild Exam v2 (22 rows, CC0), recognised by its questions: 22 of 22" in printed
    known, printed = said(listed, command, "exam.pack")
    assert (known, "exam.pack is Guild Exam v2 (22 rows, CC0), as the pack says" in printed) == (["pack"], True)
    markdown = (listed / "report-exam.pack" / "report.md").read_text("utf-8")
    page = (listed / "report-exam.pack" / "report.html").read_text("utf-8")
    for face in (markdown, page):
        assert "exam.pack is Guild Exam v2 (22 rows, CC0), as the pack says" in face
        assert "Evaluation sets" in face
    assert "| `eval` | `22` | `9` | `40.9 %` |" in markdown
    assert "<td>eval</td><td>22</td><td>9</td><td>40.9 %</td>" in page


def test_another_file_is_not_taken_for_it(listed, command):
    rows = exam()
    jsonl(listed / "others" / "fewer.jsonl", *rows[1:])
    jsonl(listed / "others" / "changed.jsonl", {**rows[0], "question": "Is it?"}, *rows[1:])
    jsonl(listed / "others" / "twice.jsonl", *rows, rows[0])
    known, printed = said(listed, command, "others")
    assert (known, "Guild" in printed) == ([], False)


def test_many_files_of_a_benchmark_are_one_line(listed, command):
    for number in range(5):
        jsonl(listed / "many" / f"{number}.jsonl", *exam()[number:])
    data = (listed / "exam.jsonl").read_bytes()
    for name in "abcd":
        (listed / "many" / f"{name}.jsonl").write_bytes(data)
    path = contract(
        listed,
        [{"check": "leakage", "against": ["guild-exam"]}],
        source={"path": "data.jsonl"},
        **{"guild-exam": ({"path": "many"}, ["too_few_rows"])},
    )
    _, out, _ = command("run", path, "--out", "out")
    told = " ".join(out.replace("  | ", "").split())
    assert "5 files of guild-exam are Guild Exam v2 (110 rows, CC0): " in told
    assert "4 files of guild-exam are no known files of Guild Exam" in told


def test_a_benchmark_is_named_without_a_dataset(listed, command):
    path = contract(listed, [{"check": "leakage", "against": ["guild_exam"]}], source={"path": "data.jsonl"})
    code, _, err = command("run", path, "--out", "out")
    assert code == 2
    assert "give its file: --data guild_exam=PATH. Known files of Guild Exam" in err
    assert benchmarks.known()[0].sha256 in err
    code, out, _ = command("run", path, "--data", "guild_exam=exam.jsonl", "--out", "out")
    assert (code, "exam.jsonl is Guild Exam v2" in out) == (1, True)
    code, _, err = command("run", path, "--data", "guildexam=exam.jsonl", "--out", "out")
    assert code == 2  # no check names it like that
    jsonl(listed / "other.jsonl", *exam()[1:])
    code, out, _ = command("run", path, "--data", "guild_exam=other.jsonl", "--out", "out")
    assert (code, "other.jsonl: not a known file of Guild Exam" in out) == (1, True)


@pytest.mark.slow
def test_gsm8k_in_two_megabytes(realdata, folder, command):
    of = realdata / "gsm8k" / "grade_school_math" / "data"
    rows = [json.loads(line) for line in (of / "test.jsonl").read_text("utf-8").splitlines()]
    jsonl(folder / "exam.jsonl", *rows)
    jsonl(folder / "data.jsonl", *training([*rows[:60], exam()[-2], exam()[-1]], HOST))
    assert command("pack", "build", of / "test.jsonl", "--to", "gsm8k.pack")[0] == 0
    assert (folder / "gsm8k.pack").stat().st_size <= 2_000_000
    _, file, places, printed = scanned(folder, command, "exam.jsonl")
    assert file["figures"]["recognised"]["known"] == ["questions"]
    _, packed, packed_places, printed = scanned(folder, command, "gsm8k.pack")
    assert "gsm8k.pack is GSM8K test (1,319 rows, MIT), as the pack says" in printed
    assert numbers(file) == numbers(packed)
    same = ["line", "where", "problem", "score"]
    assert places.select(same).equals(packed_places.select(same))
    jsonl(
        folder / "train.jsonl",
        *[json.loads(line) for line in (of / "train.jsonl").read_text("utf-8").splitlines()][:500],
    )
    known, _ = said(folder, command, "train.jsonl")
    assert known == []
