"""A drop that repeats what was published before is said so, with places in both; counted here by brute force."""

import json
import os
import random
import re
from collections import Counter

import polars as pl
import pytest
from core_helpers import jsonl, mostly_slow, report
from registry_helpers import Site

from datacheck.engine import ingest
from datacheck.engine import run as run_module
from datacheck.features import repeats
from datacheck.text import matching

CONTRACT = """
name: c
version: 1
datasets:
  last_week: {source: {}, checks: [{check: unreadable_lines}]}
  train:
    source: {}
    checks:
      - {check: exact_duplicates, against: last_week}
      - {check: near_duplicates, against: last_week}
"""
ROWS, COPIES = 400, 120


def text(rng: random.Random) -> str:
    return "".join(rng.choices([chr(0x4E00 + n) for n in range(1500)], k=rng.randrange(40, 120)))


def edited(told: str, rng: random.Random) -> str:
    letters = list(told)
    for _ in range(rng.randrange(1, 9)):  # some stay alike, some do not: the truth says which
        letters[rng.randrange(len(letters))] = rng.choice("寒来暑往秋收冬藏")
    return "".join(letters)


def drop(seed: int, rows: int = 100) -> tuple[list[str], list[str]]:
    """Last week's texts, and a drop of which 30 % are copies of them, half of these edited, in random places."""
    rng = random.Random(seed)
    last = [text(rng) for _ in range(rows)]
    copies = [told if n % 2 else edited(told, rng) for n, told in enumerate(rng.sample(last, rows * 3 // 10))]
    new = [*copies, *(text(rng) for _ in range(rows - len(copies)))]
    rng.shuffle(new)
    return last, new


def grams(told: str) -> set[str]:
    plain = re.sub("[，。：]", "", told)
    return {plain[at : at + 3] for at in range(len(plain) - 2)}


def frequent(sets: list[set[str]]) -> set[str]:
    """What stands in 5 % of the texts, and in 20."""
    counts = Counter(gram for own in sets for gram in own)
    return {gram for gram, count in counts.items() if count >= max(20, len(sets) / 20)}


def most_alike(
    last: list[str], new: list[str], least: float = 0.7, *, drop: bool = True
) -> dict[int, tuple[float, int]]:
    """Line of the drop → its similarity to the most similar line of last week, and that line."""
    both = [[grams(told) for told in side] for side in (last, new)]
    template = frequent(both[0]) | frequent(both[1]) if drop else set()
    there, here = ([own - template for own in side] for side in both)
    found = {}
    for line, own in enumerate(here, start=1):
        score, at = max((len(own & other) / len(own | other), -n) for n, other in enumerate(there, start=1))
        if score >= least:
            found[line] = (score, -at)
    return found


@pytest.fixture
def judged(tmp_path, command, here):
    """Run the contract on texts: exit code, what is printed, findings by check, their places."""

    def run(last, new, contract=CONTRACT, name="c.yaml", **files):
        paths = {}
        for dataset, texts in {"last_week": last, "train": new, **files}.items():
            paths[dataset] = jsonl(tmp_path / dataset / "a.jsonl", *({"text": told} for told in texts)).parent
        (tmp_path / name).write_text(contract, encoding="utf-8")
        data = [word for dataset, path in paths.items() for word in ("--data", f"{dataset}={path}")]
        code, out, err = command("run", tmp_path / name, *data, "--out", tmp_path / "out")
        findings = {f["check"]: f for f in report(tmp_path / "out")["findings"] if f["dataset"] == "train"}
        places = {
            check: pl.read_parquet(tmp_path / "out" / f["evidence"]["file"])
            for check, f in findings.items()
            if "file" in f["evidence"]
        }
        assert code in (0, 1), err
        return code, out, findings, places

    return run


def values(finding):
    return {
        (v["name"], v.get("slice", {}).get("against")): (v["count"], v["status"])
        for v in finding["values"]
        if "count" in v
    }


def test_a_drop_that_holds_30_percent_of_last_week_is_named_with_places_in_both(judged):
    last, new = drop(7, ROWS)
    truth = most_alike(last, new)
    verbatim = [line for line, told in enumerate(new, start=1) if told in last]
    assert len(verbatim) == COPIES // 2
    assert COPIES // 2 < len(truth) < COPIES  # both kinds of edits are there
    code, out, findings, places = judged(last, new)
    assert code == 0
    for check, lines in (("exact_duplicates", verbatim), ("near_duplicates", [*truth])):
        found = values(findings[check])
        assert found["repeated", None] == found["repeated", "last_week"] == (len(lines), "warn")
        assert findings[check]["status"] == "warn"
        assert places[check]["line"].to_list() == lines
        assert set(places[check]["problem"]) == {"repeats_earlier"}
        assert f"repeated {len(lines) / ROWS}" in out
    near = places["near_duplicates"]
    assert near["other"].to_list() == [f"last_week/a.jsonl:{at}" for _, at in truth.values()]
    assert near["score"].to_list() == [score for score, _ in truth.values()]
    first = findings["near_duplicates"]["evidence"]["first"][0]
    assert first["at"] == f"train/a.jsonl:{next(iter(truth))}"
    assert first["other"] in out


def test_without_an_earlier_dataset_nothing_is_said_of_one(judged):
    last, new = drop(3)
    plain = CONTRACT.replace(", against: last_week", "")
    _, _, findings, places = judged(last, new, plain)
    assert places == {}
    assert not [name for f in findings.values() for name, _ in values(f) if name == "repeated"]


def test_a_limit_on_what_is_not_measured_is_a_mistake_of_the_contract(tmp_path, command, here):
    (tmp_path / "c.yaml").write_text(
        "name: c\ndatasets:\n  train:\n    checks:\n      - {check: exact_duplicates, limits: {repeated: {max: 0}}}\n",
        encoding="utf-8",
    )
    code, _, err = command("plan", tmp_path / "c.yaml", "--data", f"train={tmp_path}")
    assert code == 2
    assert "c.yaml:5: datasets.train.checks.0.limits.repeated: with these settings this number is not measured" in err


@pytest.mark.parametrize("shared", mostly_slow(["here", "there", "both"], ["here"]))
def test_a_template_on_either_side_hides_no_copy_and_makes_none(judged, shared):
    """600 characters in front of every text of a side are boilerplate there: neither side's template is compared."""
    last, new = drop(5)
    template = "".join(text(random.Random(n)) for n in range(8))
    last = [template + told for told in last] if shared != "here" else last
    new = [template + told for told in new] if shared != "there" else new
    truth = most_alike(last, new)
    assert 15 < len(truth) < 31
    _, _, _, places = judged(last, new)
    found = set(places["near_duplicates"].filter(problem="repeats_earlier")["line"])
    assert found == set(truth)


def test_every_text_of_a_template_that_is_new_here_and_rare_there_is_no_copy(judged):
    last, new = drop(11)
    template = "图书馆三楼的灯坏了两盏，管理员在门口贴了告示，请读者先到一楼的自习区，周五下午修好。" * 9
    last, new = [*(template + told for told in last[:4]), *last[4:]], [template + told for told in new]
    _, _, _, places = judged(last, new)  # 4 %: no boilerplate there
    truth = most_alike(last, new)
    assert 15 < len(truth) < 31
    assert set(places["near_duplicates"].filter(problem="repeats_earlier")["line"]) == set(truth)


def test_other_media_or_labels_are_no_copy_and_copies_inside_are_counted_apart(tmp_path, command, here):
    told = "清晨的码头上，渔民把昨夜的收获一筐筐抬上岸，海鸥在头顶盘旋，空气里满是盐和柴油的味道。"
    kto = [{"prompt": "说一段话", "completion": told, "label": label} for label in (True, False, True)]
    jsonl(tmp_path / "last_week" / "a.jsonl", kto[1])
    jsonl(tmp_path / "train" / "a.jsonl", *kto)
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    data = [word for name in ("last_week", "train") for word in ("--data", f"{name}={tmp_path / name}")]
    command("run", tmp_path / "c.yaml", *data, "--out", tmp_path / "out")
    for finding in report(tmp_path / "out")["findings"]:
        if finding["check"] in ("exact_duplicates", "near_duplicates"):
            table = pl.read_parquet(tmp_path / "out" / finding["evidence"]["file"]).drop_nulls("row")
            found = sorted(table.select("line", "problem", "other").rows())
            inside = "exact_duplicate" if finding["check"] == "exact_duplicates" else "exact_copy"
            assert found == [(2, "repeats_earlier", "last_week/a.jsonl:1"), (3, inside, "train/a.jsonl:1")]


def test_an_earlier_version_without_rows_is_an_error(judged, tmp_path, command):
    _, new = drop(2)
    jsonl(tmp_path / "train" / "a.jsonl", *({"text": told} for told in new[:30]))
    jsonl(tmp_path / "last_week" / "a.jsonl")
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    data = [word for name in ("last_week", "train") for word in ("--data", f"{name}={tmp_path / name}")]
    assert command("run", tmp_path / "c.yaml", *data, "--out", tmp_path / "out")[0] == 3
    errors = {f["id"]: f.get("error") for f in json.loads((tmp_path / "out/report.json").read_bytes())["findings"]}
    assert "repeated" in errors["train.exact_duplicates"]["text"]
    assert "repeated" in errors["train.near_duplicates"]["text"]


def test_the_one_copy_behind_a_large_cluster_is_found(judged, monkeypatch):
    """Rows share most of their keys with a whole cluster of last week, are like none of it, and like one row behind it."""
    monkeypatch.setattr(matching, "CLOSEST", 25)
    monkeypatch.setattr(repeats, "CLOSEST", 25)
    rng = random.Random(4)
    template = "".join(text(rng) for _ in range(8))
    last = [template + text(rng)[:15] for _ in range(60)]
    new = [told.replace(told[at * 40], "寒", 1) for at, told in enumerate(last[-10:])]
    plain = CONTRACT.replace("near_duplicates, ", "near_duplicates, boilerplate: null, threshold: 0.98, ")
    truth = most_alike(last, new, 0.98, drop=False)
    assert [at for _, at in truth.values()] == [*range(51, 61)]
    inside = [grams(told) for told in last]
    assert max(len(a & b) / len(a | b) for at, a in enumerate(inside) for b in inside[:at]) < 0.98
    _, _, _, places = judged(last, new, plain)
    found = places["near_duplicates"].filter(problem="repeats_earlier")
    assert found["other"].to_list() == [f"last_week/a.jsonl:{line}" for line in range(51, 61)]


# ── what is kept ──────────────────────────────────────────────────────────────────────────────────────
WEEKLY = (
    CONTRACT.replace("last_week: {source: {}", "last_week: {source: {}, optional: true")
    .replace("    checks:\n", "    checks:\n      - exact_duplicates\n      - near_duplicates\n")
    .replace("against", "id: earlier, against")
    .replace("near_duplicates, id: earlier", "near_duplicates, id: near_earlier")
)


@pytest.fixture
def work_done(monkeypatch):
    """What is parsed (files), sketched and grouped (tables by name) since the last look."""
    done = []

    def watch(module, name, told):
        plain = getattr(module, name)

        def watched(task):
            done.append(told(task))
            return plain(task)

        monkeypatch.setattr(module, name, watched)

    watch(ingest, "parse_pieces", lambda task: ("parse", task.pieces[0].chunk.sha256))
    watch(run_module, "derive_part", lambda task: ("derive", task.given.loaded.dataset, type(task.given.of).__name__))
    watch(run_module, "group_part", lambda task: ("group", task.source.name))
    watch(run_module, "summarise", lambda task: ("summarise", task.given.loaded.dataset, type(task.given.of).__name__))

    def look():
        seen = done.copy()
        done.clear()
        return seen

    return look


def test_what_was_sketched_when_it_was_judged_is_not_parsed_or_sketched_again(
    tmp_path, command, here, monkeypatch, work_done
):
    """Week 1 is judged by itself; in week 2 its folder is only hashed, and its candidates are read from the store."""
    monkeypatch.setenv("DATACHECK_STORE", str(tmp_path / "store"))
    (tmp_path / "c.yaml").write_text(WEEKLY, encoding="utf-8")
    last, new = drop(7)
    weeks = [
        jsonl(tmp_path / f"week{n}" / "a.jsonl", *({"text": t} for t in texts))
        for n, texts in enumerate((last, new), 1)
    ]
    out = ("--out", tmp_path / "out")
    assert command("run", tmp_path / "c.yaml", "--data", f"train={weeks[0].parent}", *out)[0] == 0
    first = work_done()
    assert len([each for each in first if each[0] == "parse"]) == 1
    bound = ("--data", f"train={weeks[1].parent}", "--data", f"last_week={weeks[0].parent}")
    assert command("run", tmp_path / "c.yaml", *bound, *out)[0] == 0
    second = work_done()
    assert len([each for each in second if each[0] == "parse"]) == 1  # this week
    assert ("derive", "train", "Sketch") in second
    assert [each for each in second if "last_week" in each] == []
    assert {each for each in second if each[0] == "group"}.isdisjoint(first)
    found = {f["id"]: values(f) for f in report(tmp_path / "out")["findings"]}
    assert found["train.near_earlier"]["repeated", "last_week"] == (len(most_alike(last, new)), "warn")
    # A changed byte is seen, whatever the time stamp says.
    stamp = weeks[0].stat()
    weeks[0].write_bytes(weeks[0].read_bytes().replace(last[0].encode(), last[1].encode()))
    os.utime(weeks[0], ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert command("run", tmp_path / "c.yaml", *bound, *out)[0] == 0
    assert len([each for each in work_done() if each[0] == "parse"]) == 1


def test_the_published_folder_of_a_channel_is_an_earlier_version(tmp_path, command, here):
    """As `--data last_week=registry/published/CHANNEL`: its data, and nothing of what the registry put beside it."""
    (tmp_path / "site").mkdir()
    site, (last, new) = Site(tmp_path / "site"), drop(7)
    site.contract.write_text("name: sft\ndatasets: {train: {source: {}, checks: [too_few_rows]}}\n", encoding="utf-8")
    assert site.publish(site.drop("week1", *({"text": t} for t in last))).status == "published"
    jsonl(tmp_path / "new" / "a.jsonl", *({"text": t} for t in new))
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    bound = ("--data", f"train={tmp_path / 'new'}", "--data", f"last_week={site.reg / 'published' / 'sft'}")
    assert command("run", tmp_path / "c.yaml", *bound, "--out", tmp_path / "out")[0] == 0
    near = next(f for f in report(tmp_path / "out")["findings"] if f["check"] == "near_duplicates")
    assert values(near)["repeated", "last_week"][0] == len(most_alike(last, new))
    assert near["evidence"]["first"][0]["other"].startswith("last_week/data.jsonl:")


PASSAGE = (
    "老桥在村子的东边，建于清朝，全长四十米，桥头有两棵很老的柳树，夏天常有人在树下乘凉，河水从桥下流向南边的湖里。"
)


def test_another_question_on_a_passage_is_no_repeat(tmp_path, command):
    def rows(*told):
        return [
            {"messages": [{"role": "user", "content": PASSAGE + asked}, {"role": "assistant", "content": answer}]}
            for asked, answer in told
        ]

    last = rows(("桥有多长？", "桥全长四十米。"), ("水流向哪里？", "河水流向南边的湖里。"))
    new = rows(("谁在树下乘凉？", "夏天常有人在那里乘凉。"), ("桥有多少米长？", "桥全长四十米。"))
    data = []
    for name, records in (("last_week", last), ("train", new)):
        data += ["--data", f"{name}={jsonl(tmp_path / name / 'a.jsonl', *records).parent}"]
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    command("run", tmp_path / "c.yaml", *data, "--out", tmp_path / "out")
    found = pl.read_parquet(tmp_path / "out/evidence/train.near_duplicates.parquet")
    repeated = found.filter(problem="repeats_earlier")
    assert repeated.select("line", "other").rows() == [(2, "last_week/a.jsonl:1")]
