"""The samples and what is promised of them, looked at with json, bytes and brute force; no datacheck code judges here."""

import hashlib
import importlib.util
import itertools
import json
import re
import statistics
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
EXPECTED = yaml.safe_load((SAMPLES / "expected.yaml").read_text("utf-8"))
BAD = EXPECTED["sample_data/bad.yaml"]["datasets"]
CHECKS = {path.stem for path in (ROOT / "datacheck/checks").glob("[a-z]*.py")}

# The traditional characters of line 68, written down by hand: the truth is not a conversion table of the program.
TRADITIONAL = str.maketrans(
    "單鏡頭個點擦鏡試氣淨塵籤量潔從開內別後會變應該維處時進濕裡掉嗎組偏劑",
    "单镜头个点擦镜试气净尘签量洁从开内别后会变应该维处时进湿里掉吗组偏剂",
)


def read(name):
    return [json.loads(line) for line in (SAMPLES / name).read_text("utf-8").splitlines()]


def line_of(name, at):
    """The record on a line that expected.yaml names."""
    file, _, number = at.partition("/")[2].partition(":")
    return read(f"{name}/{file}")[int(number) - 1]


def places(dataset, check):
    return BAD[dataset]["findings"][check]["places"]


def expected_lines(check, problem=None):
    return [int(p["at"].split(":")[1]) for p in places("train", check) if problem in (None, p["problem"])]


def plain(text):
    folded = unicodedata.normalize("NFKC", text).translate(TRADITIONAL).casefold()
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LN")


def shingles(text, n=3):
    text = plain(text)
    return {text[i : i + n] for i in range(len(text) - n + 1)}


def jaccard(one, other):
    return len(one & other) / max(1, len(one | other))


def spoken(row, roles=("user", "assistant")):
    return "\n".join(m["content"] or "" for m in row["messages"] if m["role"] in roles)


def text(value):
    return value if isinstance(value, str) else value[0]["content"]


def pairs(name):
    return [
        (text(r["chosen"]), text(r["rejected"]), r["score_chosen"], r["score_rejected"])
        for r in read(f"preference_{name}/pairs.jsonl")
    ]


def questions():
    return [
        (f"{name}/{name}.jsonl:{line}", row["question"])
        for name in ("questions", "choices")
        for line, row in enumerate(read(f"eval/{name}.jsonl"), 1)
    ]


def leaked(rows, threshold):
    """(line, question) where at least `threshold` of the question's 5-grams stand in one message."""
    found = []
    for line, row in enumerate(rows, 1):
        grams = [shingles(part, 5) for part in row]
        for at, question in questions():
            wanted = shingles(question, 5)
            if any(len(wanted & g) / len(wanted) >= threshold for g in grams):
                found.append((line, at))
    return found


def identifiers(content):
    """(kind, digits or address) by patterns of this test's own, checksums included."""
    content = unicodedata.normalize("NFKC", content)
    found = [("email_address", m) for m in re.findall(r"[\w.]+@[\w.-]+\w", content, re.ASCII)]
    for run in re.findall(r"(?<![0-9])[0-9](?:[ -]?[0-9])*[Xx]?(?![0-9])", content):
        digits = re.sub(r"[ -]", "", run)
        if len(digits) == 11 and digits.startswith("1"):
            found.append(("cn_mobile", digits))
        elif len(digits) == 18 and digits[6:8] in ("19", "20"):
            found.append(("cn_resident_id", digits))
        elif 15 <= len(digits) <= 19:
            found.append(("cn_bank_card", digits))
    return sorted(found)


def mod_11_2(digits):
    """ISO 7064: the weighted sum of all 18 characters is 1 modulo 11."""
    values = [10 if c in "Xx" else int(c) for c in digits]
    return sum(value * pow(2, 17 - i, 11) for i, value in enumerate(values)) % 11 == 1


def luhn(digits):
    doubled = [int(c) * (2 - (i % 2 == 0)) for i, c in enumerate(reversed(digits))]
    return sum(sum(divmod(value, 10)) for value in doubled) % 10 == 0


def test_make_reproduces_every_file():
    spec = importlib.util.spec_from_file_location("sample_data_make", SAMPLES / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    built = make.build()
    drawn = {p.relative_to(SAMPLES).as_posix() for p in SAMPLES.glob("media/**/*.pbm")}
    assert {p.relative_to(SAMPLES).as_posix() for p in SAMPLES.glob("*/*.jsonl")} | drawn == set(built)
    for name, data in built.items():
        assert (SAMPLES / name).read_bytes() == data, name


@pytest.mark.parametrize("contract", sorted(EXPECTED))
def test_row_counts_are_the_promised_ones(contract):
    document = yaml.safe_load((ROOT / contract).read_text("utf-8"))
    base = yaml.safe_load((SAMPLES / document["extends"]).read_text("utf-8")) if "extends" in document else document
    for name, promised in EXPECTED[contract]["datasets"].items():
        own = document["datasets"].get(name, {}).get("source", {})
        path = SAMPLES / (own.get("path") or base["datasets"][name]["source"]["path"])
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        rows = sum(_readable(raw) for file in files for raw in file.read_bytes().split(b"\n"))
        assert rows == promised["rows"], name


def _readable(raw):
    """Valid JSON by the standard library, in UTF-8, and no key twice."""

    def once(items):
        if len(dict(items)) != len(items):
            raise ValueError("duplicate key")
        return dict(items)

    try:
        return isinstance(json.loads(raw.decode("utf-8"), object_pairs_hook=once), dict)
    except ValueError:
        return False


def test_good_conversations_keep_the_schema_and_the_order_of_roles():
    rows = read("sft_good/train.jsonl") + read("sft_good/valid.jsonl")
    assert len({r["uid"] for r in rows}) == len(rows)
    for row in rows:
        assert re.fullmatch("[a-z]{2}-[0-9]{4}", row["uid"])
        assert row["src"] in {"forum", "manual", "tickets", "tools", "tutorial", "wiki"}
        assert row["fold"] in {"train", "valid"}
        shape = "".join({"system": "s", "user": "u", "assistant": "a", "tool": "t"}[m["role"]] for m in row["messages"])
        assert re.fullmatch(r"s?(u(at+)*a)+", shape), (row["uid"], shape)
        for message in row["messages"]:
            assert (message["content"] or "").strip() or "tool_calls" in message, row["uid"]


def test_good_tool_calls_pair_up_and_fit_their_schema():
    rows = [r for r in read("sft_good/train.jsonl") + read("sft_good/valid.jsonl") if r["src"] == "tools"]
    parallel = 0
    for row in rows:
        known = {t["function"]["name"]: t["function"]["parameters"] for t in row["tools"]}
        calls = [c for m in row["messages"] for c in m.get("tool_calls", [])]
        parallel += any(len(m.get("tool_calls", [])) > 1 for m in row["messages"])
        results = [m["tool_call_id"] for m in row["messages"] if m["role"] == "tool"]
        assert sorted(c["id"] for c in calls) == sorted(results), row["uid"]
        for call in calls:
            arguments = json.loads(call["function"]["arguments"])
            assert set(arguments) == set(known[call["function"]["name"]]["required"]), row["uid"]
    assert len(rows) >= 10
    assert parallel >= 3


def test_good_conversations_are_diverse():
    rows = read("sft_good/train.jsonl") + read("sft_good/valid.jsonl")
    for roles in (("user", "assistant"), ("user",), ("assistant",)):
        sets = [shingles(spoken(r, roles)) for r in rows]
        assert max(jaccard(a, b) for a, b in itertools.combinations(sets, 2)) < 0.5, roles


def test_nothing_good_holds_an_identifier_or_an_evaluation_question():
    chat = [
        [m["content"] or "" for m in r["messages"]] for f in ("train", "valid") for r in read(f"sft_good/{f}.jsonl")
    ]
    choice = [
        [text(r[k]) for k in ("prompt", "chosen", "rejected")]
        for f in ("good", "bad")
        for r in read(f"preference_{f}/pairs.jsonl")
    ]
    maths = [[r["question"], r["answer"]] for r in read("rlvr_good/gsm_style.jsonl")]
    for rows in (chat, choice, maths):
        assert leaked(rows, 0.4) == []
        assert [found for row in rows for part in row if (found := identifiers(part))] == []


def test_broken_lines():
    lines = (SAMPLES / "sft_bad/broken.jsonl").read_bytes().split(b"\n")
    assert len(lines) == 9
    unreadable = [n for n, raw in enumerate(lines, 1) if raw and not _readable(raw)]
    assert unreadable == expected_lines("unreadable_lines")
    assert lines[3] == b""
    with pytest.raises(json.JSONDecodeError, match="':' delimiter"):
        json.loads(lines[1])
    with pytest.raises(json.JSONDecodeError, match="Extra data"):
        json.loads(lines[2])
    with pytest.raises(UnicodeDecodeError):
        lines[4].decode("utf-8")
    assert "优惠券" in json.loads(lines[4].decode("gbk"))["messages"][0]["content"]
    assert lines[5].count(b'"src": ') == 2
    assert json.loads(lines[5])["src"] == "forum"  # the last one wins here, the first elsewhere
    with pytest.raises(json.JSONDecodeError, match="Unterminated string"):
        json.loads(lines[8])


def test_schema_faults():
    rows = read("sft_bad/train.jsonl")
    problem = {p["problem"]: line_of("sft_bad", p["at"]) for p in places("train", "schema_violations")}
    assert "src" not in problem["missing_field"]
    assert problem["not_in_enum"]["fold"] == "test"
    assert isinstance(problem["wrong_type"]["uid"], int)
    assert problem["not_unique"]["uid"] == rows[1]["uid"]
    faulty = expected_lines("schema_violations")
    seen = set()
    for line, row in enumerate(rows, 1):
        sound = row.get("src") in {"forum", "manual", "tickets", "tools", "tutorial", "wiki"} and row["fold"] == "train"
        sound &= isinstance(row["uid"], str) and row["uid"] not in seen
        seen.add(row["uid"])
        assert sound == (line not in faulty), line


def test_role_faults():
    faults = {}
    for line, row in enumerate(read("sft_bad/train.jsonl"), 1):
        roles = [m["role"] for m in row["messages"]]
        if set(roles) - {"system", "user", "assistant", "tool"}:
            faults[line] = "unknown_role"
        elif "system" in roles[1:]:
            faults[line] = "system_not_first"
        elif roles[-1] != "assistant":
            faults[line] = "no_answer"
    assert faults == {int(p["at"].split(":")[1]): p["problem"] for p in places("train", "role_errors")}


def test_empty_messages():
    faults = {}
    for line, row in enumerate(read("sft_bad/train.jsonl"), 1):
        for number, message in enumerate(row["messages"]):
            content = message["content"]
            if "tool_calls" not in message and not any(c.isalnum() for c in content or ""):
                kind = {None: "null_content", "": "empty"}.get(content)
                white = "only_white_space" if content is not None and not content.strip() else "only_punctuation"
                faults[line, f"messages[{number}].content"] = kind or white
    wanted = {(int(p["at"].split(":")[1]), p["where"]): p["problem"] for p in places("train", "empty_turns")}
    assert faults == wanted


def test_duplicates_are_the_only_similar_rows():
    sets = [shingles(spoken(r)) for r in read("sft_bad/train.jsonl")]
    similar = {
        (late + 1, early + 1): jaccard(sets[early], sets[late])
        for early, late in itertools.combinations(range(len(sets)), 2)
        if jaccard(sets[early], sets[late]) >= 0.5
    }
    wanted = {
        tuple(int(p[key].split(":")[1]) for key in ("at", "other")): p["problem"]
        for p in places("train", "near_duplicates")
    }
    assert set(similar) == set(wanted)
    for pair, similarity in similar.items():
        assert (similarity == 1) == (wanted[pair] == "exact_copy")
        assert similarity >= 0.8  # clear of the default threshold 0.7
    rows = read("sft_bad/train.jsonl")
    (copy,) = places("train", "exact_duplicates")
    assert line_of("sft_bad", copy["at"])["messages"] == line_of("sft_bad", copy["other"])["messages"]
    assert spoken(rows[65])[:4] == "Ｗｈａｔ"
    assert "鏡頭" in spoken(rows[67])


def test_leaked_questions():
    rows = [[m["content"] or "" for m in r["messages"]] for r in read("sft_bad/train.jsonl")]
    wanted = [(int(p["at"].split(":")[1]), p["other"]) for p in places("train", "leakage")]
    assert leaked(rows, 0.6) == leaked(rows, 0.4) == wanted
    verbatim, embedded = (dict(questions())[other] for _, other in wanted)
    assert rows[wanted[0][0] - 1][0] == verbatim
    assert embedded in rows[wanted[1][0] - 1][0]
    assert embedded != rows[wanted[1][0] - 1][0]


def test_identifiers_are_where_they_are_said_to_be_and_valid():
    found = []
    for line, row in enumerate(read("sft_bad/train.jsonl"), 1):
        for number, message in enumerate(row["messages"]):
            found += [
                (f"train/train.jsonl:{line}", f"messages[{number}].content", *hit)
                for hit in identifiers(message["content"] or "")
            ]
    places_found = Counter(hit[:3] for hit in found)
    assert places_found == Counter((p["at"], p["where"], p["problem"]) for p in places("train", "pii"))
    for _, _, kind, value in found:
        if kind == "cn_resident_id":
            assert mod_11_2(value)
            assert value[6:14] == "19000101"
        if kind == "cn_bank_card":
            assert luhn(value)
        if kind == "cn_mobile":
            assert value[:3] == "145" or value == "13800138000"
        if kind == "email_address":
            assert value.endswith(".zz")


def test_checksums_of_this_test_against_published_examples():
    assert mod_11_2("11010519491231002X")  # GB 11643-1999, annex
    assert not mod_11_2("110105194912310021")
    assert luhn("79927398713")  # ISO/IEC 7812-1
    assert not luhn("79927398710")


def test_bad_pairs():
    faults = {"identical_pairs": {}, "small_gap": {}}
    for line, (chosen, rejected, high, low) in enumerate(pairs("bad"), 1):
        if chosen == rejected:
            faults["identical_pairs"][line] = "identical"
        if high is None or low is None:
            faults["small_gap"][line] = "missing_score"
        elif high < low:
            faults["small_gap"][line] = "wrong_sign"
        elif high - low < 0.3:
            faults["small_gap"][line] = "small_gap"
    for check, found in faults.items():
        assert found == {int(p["at"].split(":")[1]): p["problem"] for p in places("pairs", check)}


@pytest.mark.parametrize(("name", "biased"), [("good", False), ("bad", True)])
def test_length_bias_however_it_is_measured(name, biased):
    table = [p for p in pairs(name) if None not in p]
    length = [len(p[0]) for p in table] + [len(p[1]) for p in table]
    score = [p[2] for p in table] + [p[3] for p in table]
    side = [1] * len(table) + [0] * len(table)
    more = [len(p[0]) - len(p[1]) for p in table]
    better = [p[2] - p[3] for p in table]
    for one, other in ((length, score), (length, side), (more, better)):
        assert (abs(statistics.correlation(one, other)) > 0.3) == biased
    longer = sum(m > 0 for m in more) / sum(m != 0 for m in more)
    assert (longer > 0.6) == biased
    assert (statistics.mean(len(p[0]) / len(p[1]) for p in table) > 1.3) == biased


def test_good_pairs_are_far_apart():
    gaps = [high - low for _, _, high, low in pairs("good")]
    assert min(gaps) >= 0.3
    assert statistics.mean(gaps) >= 0.5
    assert all(0 <= s <= 1 for *_, high, low in pairs("good") for s in (high, low))
    sets = [(shingles(c), shingles(r)) for c, r, *_ in pairs("good")]
    assert max(jaccard(*pair) for pair in sets) < 0.5


def test_both_styles_of_pairs_are_there():
    for name in ("good", "bad"):
        kinds = Counter(type(r["chosen"]).__name__ for r in read(f"preference_{name}/pairs.jsonl"))
        assert min(kinds["str"], kinds["list"]) >= 9


def test_maths_answers_end_in_a_number_and_questions_differ():
    rows = read("rlvr_good/gsm_style.jsonl")
    assert all(re.search(r"\n#### -?[0-9]+$", r["answer"]) for r in rows)
    sets = [shingles(r["question"] + r["answer"]) for r in rows]
    assert max(jaccard(a, b) for a, b in itertools.combinations(sets, 2)) < 0.5


def of(dataset, check):
    """{(line, problem)} that expected.yaml names."""
    return {(int(p["at"].split(":")[1]), p["problem"]) for p in places(dataset, check)}


@pytest.mark.parametrize("which", ["good", "bad"])
def test_judged_pairs(which):
    """Every fault by brute force; a contradiction is a way back from the loser to the winner."""
    rows = read(f"judged_{which}/judged.jsonl")
    faults = {name: set() for name in ("identical_pairs", "score_outliers", "prompt_mismatch", "low_agreement")}
    beats = {}
    for line, row in enumerate(rows, 1):
        (asked, better), (other, worse) = ([m["content"] for m in row[side]] for side in ("chosen", "rejected"))
        if better[:16] == worse[:16]:
            faults["identical_pairs"].add((line, "identical_when_cut"))
        if jaccard(shingles(better), shingles(worse)) >= 0.95:
            faults["identical_pairs"].add((line, "near_identical"))
        for score in (row["score_chosen"], row["score_rejected"]):
            if not isinstance(score, float):
                faults["score_outliers"].add((line, "not_a_number"))
            elif not 0 <= score <= 1:
                faults["score_outliers"].add((line, "off_scale"))
        if asked != other:
            faults["prompt_mismatch"].add((line, "different_prompts"))
        if len({row[f"rater_{n}"] for n in (1, 2, 3)}) > 1:
            faults["low_agreement"].add((line, "raters_disagree"))
        beats[line] = ((asked, better), (asked, worse))

    def reaches(start, goal, seen=()):
        return start == goal or any(
            reaches(loser, goal, (*seen, start)) for winner, loser in beats.values() if winner == start not in seen
        )

    turned = {(loser, winner) for winner, loser in beats.values()}
    faults["contradictory_pairs"] = {
        (line, "opposite_pair" if (winner, loser) in turned else "cycle")
        for line, (winner, loser) in beats.items() if reaches(loser, winner)
    }  # fmt: skip
    wanted = {check: of("judged", check) if which == "bad" else set() for check in faults}
    assert faults == wanted


@pytest.mark.parametrize("which", ["good", "bad"])
def test_verifiable_answers(which):
    rows = read(f"rlvr_{which}/gsm_style.jsonl")
    faults = {name: set() for name in ("unverifiable_answers", "template_collapse", "pass_rates", "thin_reasoning")}
    skeletons = {}
    for line, row in enumerate(rows, 1):
        way, *golds = row["answer"].split("####")
        if not golds:
            faults["unverifiable_answers"].add((line, "no_marker"))
        elif len(golds) > 1:
            faults["unverifiable_answers"].add((line, "several_answers"))
        elif not re.fullmatch("-?[0-9]+", golds[0].strip()):
            faults["unverifiable_answers"].add((line, "unreadable_answer"))
        if skeletons.setdefault(re.sub("[0-9]+|小.", "", row["question"]), line) != line:
            faults["template_collapse"].add((line, "same_template"))
        if len(way.strip()) <= 15:
            faults["thin_reasoning"].add((line, "thin_reasoning"))
        problem = {0: "never", 1: "always"}.get(row["pass_rate"])
        if problem or not 0 <= row["pass_rate"] <= 1:
            faults["pass_rates"].add((line, problem or "invalid_pass_rate"))
    assert faults == {check: of("rlvr", check) if which == "bad" else set() for check in faults}


@pytest.mark.parametrize("which", ["good", "bad"])
def test_questions_with_words_as_golds(which):
    rows = read(f"quiz_{which}/quiz.jsonl")
    given = {(line, "answer_in_prompt") for line, r in enumerate(rows, 1) if r["answer"] in r["question"]}
    several = {
        (line, "conflicting_answer")
        for line, row in enumerate(rows, 1)
        if any(row["question"] == r["question"] and row["answer"] != r["answer"] for r in rows)
    }
    wanted = [of("quiz", c) if which == "bad" else set() for c in ("answer_in_prompt", "conflicting_answers")]
    assert [given, several] == wanted
    letters = Counter(row["answer"] for row in read(f"exam_{which}/exam.jsonl"))
    assert (max(letters.values()) / letters.total() > 0.4) == (which == "bad")


@pytest.mark.parametrize("which", ["good", "bad"])
def test_what_the_mix_is_made_of(which):
    rows, bad = read(f"mix_{which}/mix.jsonl"), which == "bad"
    known = {row["id"] for row in read("catalogue/things.jsonl")}
    lost = {(line, "unknown_id") for line, row in enumerate(rows, 1) if set(row["items"]) - known}
    assert lost == (of("mix", "broken_references") if bad else set())
    banned = {(line, "banned_term") for line, row in enumerate(rows, 1) if "AcmeBag" in json.dumps(row)}
    assert banned == (of("mix", "banned_terms") if bad else set())
    shares = Counter(row["src"] for row in rows)
    targets = {"book": 0.4, "forum": 0.4, "model-a": 0.2}
    drift = max(abs(shares[label] / len(rows) - targets.get(label, 0)) for label in {*shares, *targets})
    assert (drift > 0.05) == bad
    assert (sum(n for label, n in shares.items() if label.startswith("model-")) > 0.5 * len(rows)) == bad
    openings = Counter(row["messages"][1]["content"][:10] for row in rows)
    assert (max(openings.values()) > 0.2 * len(rows)) == bad
    assert any(len(row["messages"][1]["content"]) >= 100 for row in rows) == bad
    asked = [shingles(row["messages"][0]["content"], 2) for row in rows]
    alike = {
        (a + 1, b + 1) for a, b in itertools.combinations(range(len(rows)), 2) if jaccard(asked[a], asked[b]) > 0.5
    }
    assert alike == ({(11, 12)} if bad else set())


@pytest.mark.parametrize("which", ["good", "bad"])
def test_pictures_that_conversations_name(which):
    there = {p.relative_to(SAMPLES / "media").as_posix() for p in SAMPLES.glob("media/**/*.*")}
    faults = set()
    for line, row in enumerate(read(f"vision_{which}/vision.jsonl"), 1):
        named, asked = row.get("images", []), row["messages"][0]["content"]
        if isinstance(asked, list):
            named = [part["value"] for part in asked if part["type"] == "image"]
        elif 0 < asked.count("<image>") != len(named):
            faults.add((line, "wrong_count"))
        faults |= {(line, "outside_root" if ".." in name else "missing_file") for name in named if name not in there}
    assert faults == (of("vision", "missing_files") if which == "bad" else set())
    assert len(there) == 4


def test_drawings_are_bitmaps():
    for path in SAMPLES.glob("media/**/*.pbm"):
        kind, size, *dots = path.read_text("ascii").split("\n")
        width, height = map(int, size.split())
        assert kind == "P1"
        assert [len(line) for line in dots] == [width] * height + [0]
        assert set("".join(dots)) == {"0", "1"}


def test_evaluation_sets():
    free, choice = read("eval/questions.jsonl"), read("eval/choices.jsonl")
    assert Counter(r["lang"] for r in free) == {"zh": 22, "en": 22}
    assert all(r["answer"] in "ABCD" and len({r[k] for k in "ABCD"}) == 4 for r in choice)
    assert len({r["question"] for r in free + choice}) == len(free + choice)


def test_frozen_sets_have_the_hash_that_the_contract_names():
    contract = yaml.safe_load((SAMPLES / "good.yaml").read_text("utf-8"))
    for name in ("questions", "choices"):
        source = contract["datasets"][name]["source"]
        assert hashlib.sha256((SAMPLES / source["path"]).read_bytes()).hexdigest() == source["sha256"]


@pytest.mark.parametrize(
    "path", sorted((*ROOT.glob("contracts/*.yaml"), SAMPLES / "good.yaml", SAMPLES / "bad.yaml")), ids=lambda p: p.name
)
def test_contracts_name_checks_of_this_round_once_each(path):
    document = yaml.safe_load(path.read_text("utf-8"))
    for name, dataset in document["datasets"].items():
        listed = [check["check"] for check in dataset.get("checks", [])]
        called = [check.get("id", check["check"]) for check in dataset.get("checks", [])]
        assert set(listed) <= CHECKS, name
        assert len(set(called)) == len(called), name
        assert listed or "extends" in document, name
        for check in dataset.get("checks", []):
            assert set(check.get("against", [])) <= set(document["datasets"]), name
    if path.parent.name == "contracts":
        assert all("path" not in d["source"] for d in document["datasets"].values())


def test_the_baskets_name_tokens_that_the_index_does_not_have():
    index = {row["token"] for row in read("catalogue/codes.jsonl")}
    unknown = [
        line
        for line, row in enumerate(read("basket_bad/basket.jsonl"), 1)
        if set(re.findall(r"<[a-z]_\d+>", row["history_item_sid"] + row["item_sid"])) - index
    ]
    assert unknown == [int(place["at"].split(":")[1]) for place in places("basket", "unknown_sid_tokens")]


def test_the_answers_that_stop_in_the_middle():
    answers = [row["messages"][-1]["content"] for row in read("service_bad/service.jsonl")]
    stopped = [n for n, answer in enumerate(answers, 1) if answer.endswith("，") or answer.count("```") % 2]
    assert stopped == [int(place["at"].split(":")[1]) for place in places("service", "unfinished_answers")]
