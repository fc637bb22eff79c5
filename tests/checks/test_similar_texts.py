import json
import math
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import datacheck
from datacheck.check import Ratio, Status
from datacheck.checks import similar_texts
from datacheck.checks.similar_texts import SimilarTexts
from datacheck.testing import dataset, finding, jsonl, measure
from datacheck.text.neighbours import Neighbours, searchable

# Each says the same twice, in other words; no two others have much in common.
TWINS = [
    (
        "学校的图书馆每天早上八点开门，晚上九点关门，周末不开放。",
        "每天早上八点学校图书馆就开门了，到晚上九点才关门；不过周末是不开放的。",
    ),
    ("小明有十二个苹果，送给小红五个，还剩几个？", "小明送给了小红五个苹果，他原来有十二个，还剩下几个苹果？"),
]
OTHERS = [
    "请解释量子力学中的不确定性原理及其意义。",
    "如何用面粉和酵母在家里烤一块松软的面包？",
    "Write a short poem about the sea in winter.",
    "从北京坐高铁到上海大约需要多长时间，票价多少？",
    "请把这段代码从 Python 翻译成 Rust 并说明所有权。",
]


def prompts(texts):
    return [{"prompt": text} for text in texts]


def listed(result):
    """(line, line of the other row), best first."""
    table = result.evidence.sort("score", descending=True)
    return [(line, int(other.rpartition(":")[2])) for line, other in table.select("line", "other").iter_rows()]


ROWS = prompts([*(first for first, _ in TWINS), *OTHERS, *(second for _, second in TWINS)])


def test_paraphrases_are_listed_and_nothing_else():
    result = measure(SimilarTexts(cosine=0.5), ROWS)
    assert sorted(listed(result)) == [(8, 1), (9, 2)]
    assert result.value("pairs") == 2
    assert result.evidence["problem"].unique().to_list() == ["similar_text"]
    assert all(detail["detail"].startswith("rank ") for detail in result.first)
    assert "图书馆" in "".join(detail["detail"] for detail in result.first)


def test_the_list_names_no_row_so_that_none_is_dropped():
    result = measure(SimilarTexts(cosine=0.5), ROWS)
    assert result.evidence["row"].null_count() == result.evidence.height == 2
    assert result.evidence["file"].null_count() == 0


def test_it_informs_and_does_not_judge():
    found = finding(SimilarTexts(cosine=0.5), ROWS)
    assert found.status is Status.PASS
    by_name = {value.name: value for value in found.values}
    assert by_name["pairs"].status is Status.INFO
    assert by_name["planted_recall"].status is Status.PASS


def test_a_contract_may_set_a_limit():
    check = SimilarTexts.model_validate({"cosine": 0.5, "limits": {"pairs": {"warn_max": 0}}})
    assert finding(check, ROWS).status is Status.WARN


def test_near_duplicates_and_copies_are_left_out():
    text = "学校的图书馆每天早上八点开门，晚上九点关门，周末和节假日都不对外开放，请提前安排好时间。"
    rows = prompts([text, text, text.replace("请", "请您"), *OTHERS])
    result = measure(SimilarTexts(), rows)
    assert result.value("pairs") == 0
    assert any(note.startswith("1 row repeats") for note in result.not_checked)
    assert listed(measure(SimilarTexts(near=1), rows)) == [(3, 1)]


def test_the_top_pairs_are_kept():
    both = measure(SimilarTexts(cosine=0.5), ROWS)
    one = measure(SimilarTexts(cosine=0.5, top=1), ROWS)
    assert listed(one) == listed(both)[:1]
    assert one.first[0]["detail"].startswith("rank 1:")


def test_a_rephrased_question_of_an_evaluation_set():
    evaluation = [
        {"question": TWINS[1][1], "answer": "7"},
        {"question": "光合作用发生在植物的哪个部位？", "answer": "叶"},
    ]
    check = SimilarTexts(against="eval", cosine=0.5)
    result = measure(check, prompts([*OTHERS, TWINS[1][0]]), others={"eval": evaluation})
    assert result.evidence.select("line", "other", "problem", "row").rows() == [
        (6, "eval/data.jsonl:1", "similar_to_evaluation", None)
    ]
    assert "小红" in result.first[0]["detail"]


def test_an_evaluation_set_is_weighed_like_this_dataset():
    """Its rows, were they verbatim, have a cosine of 1 with themselves here; verbatim ones are leakage's business."""
    words = ["".join(chr(0x4E00 + 50 * at + place) for place in range(6)) for at in range(200)]
    rows = prompts(f"请用通俗的语言详细解释下面这个概念的含义、来历和用途：{word}" for word in words)
    result = measure(SimilarTexts(against="eval"), rows, others={"eval": rows[:4]})
    assert result.figures["nearest"]["rows"] == [*[0] * 19, 4]
    assert result.value("pairs") == 0


def test_an_evaluation_set_without_rows_is_an_error():
    found = finding(SimilarTexts(against="eval"), prompts(OTHERS), others={"eval": b""})
    assert found.status is Status.ERROR


def test_nothing_to_compare():
    result = measure(SimilarTexts(), prompts(["你好", "在吗"]))
    assert result.value("pairs") == 0
    assert any(note.startswith("2 rows have no prompt of 10 characters") for note in result.not_checked)
    assert any("made-up sentences" in note for note in result.not_checked)
    recall = result.value("planted_recall")
    assert recall.n == recall.of > 0


def test_zero_rows_are_not_measured():
    result = measure(SimilarTexts(), b"\n")
    assert result.value("pairs") is None
    assert result.value("planted_recall") is None


def test_hostile_texts():
    """Rows of one character, of control characters, of marks, of nothing but punctuation, and a long one."""
    texts = ["a" * 5_000, "a" * 4_999 + "b", "\x00" * 50, "！？" * 40, "e" + "\u0301" * 300, "\u202e" * 20 + "ab" * 20]
    texts += ["字" * 20, "𠀀𠀁" * 30, "𠀁𠀀" * 30, "".join(map(chr, range(0x4E00, 0x9000)))]
    rows = (
        jsonl([*prompts(texts), {"prompt": None}, {"prompt": ""}, {"messages": []}]) + b'{"prompt": "\\ud800 lone"}\n'
    )
    result = measure(SimilarTexts(cosine=0.3, near=1), rows)
    assert 0 < result.value("pairs") <= 100
    assert result.evidence["score"].is_between(0.3, 1).all()


def test_many_near_duplicates_are_named_as_the_reason():
    rows = prompts([f"请计算第{number}号仓库本月的库存总量并写出详细的计算步骤和结论。" for number in range(200)])
    result = measure(SimilarTexts(top=1), rows)
    assert result.value("pairs") == 0
    assert any("near-duplicates" in note for note in result.not_checked)
    assert finding(SimilarTexts(top=1), rows).status is Status.PASS


def test_the_figure_counts_every_compared_row_once():
    figure = measure(SimilarTexts(), [*ROWS, {"prompt": "短"}]).figures["nearest"]
    assert sum(figure["rows"]) == len(ROWS)
    assert figure["cosine"][0] == "0.00"


def normal(text):
    """What the texts below need of normalising: letters and digits in lower case."""
    return "".join(c for c in text.lower() if c.isalnum())


def brute_force(texts):
    """Cosines of TF-IDF vectors with a dictionary per text: another way to the same definition, without hashes."""
    bags = [Counter(t) + Counter(map("".join, pairwise(t))) for t in map(normal, texts)]
    documents = Counter(term for bag in bags for term in bag)
    names = {term: at for at, term in enumerate(documents)}
    vectors = np.zeros((len(texts), len(names)), np.float32)
    for line, bag in zip(vectors, bags, strict=True):
        for term, count in bag.items():
            line[names[term]] = (1 + math.log(count)) * (math.log((1 + len(texts)) / (1 + documents[term])) + 1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


def three_grams(text):
    plain = normal(text)
    return {plain[at : at + 3] for at in range(len(plain) - 2)}


def questions(realdata, count):
    path = realdata / "gsm8k/grade_school_math/data/train.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()[:count]
    texts = [json.loads(line)["question"] for line in lines]
    return [text for text in texts if text.isascii() and not set(text) & set("$+<=>^`|~")]


def rewritten(text, kind):
    """A rewriting by other means than the check's own plants."""
    sentences = [part for part in text.replace("? ", "?. ").split(". ") if part]
    if kind == "reversed":
        return ". ".join(reversed(sentences))
    if kind == "framed":
        return f"Here is a puzzle for children. {text} Explain how you got there, please."
    words = text.split(" ")
    return " ".join("some" if at % 8 == 3 else word for at, word in enumerate(words))


@pytest.mark.parametrize("kind", ["reversed", "framed", "words"])
def test_planted_rewritings_of_real_questions_lead_the_list(realdata, kind):
    """40 of 800 real questions are rewritten; the pairs above the cosine are what brute force says."""
    texts = questions(realdata, 800)
    sources = list(range(0, len(texts), len(texts) // 40))[:40]
    every = texts + [rewritten(texts[at], kind) for at in sources]
    result = measure(SimilarTexts(top=1000, near=1, cosine=0.7), prompts(every))
    cosines = brute_force(every)
    left, right = np.nonzero(np.triu(cosines >= 0.7, 1))
    truth = {(b + 1, a + 1) for a, b in zip(left.tolist(), right.tolist(), strict=True)}
    truth = {(b, a) for b, a in truth if three_grams(every[a - 1]) != three_grams(every[b - 1])}
    found = set(listed(result))
    clear = {(b, a) for b, a in truth if cosines[a - 1, b - 1] > 0.71}
    assert len(found & clear) >= 0.99 * len(clear)
    assert all(cosines[a - 1, b - 1] > 0.69 for b, a in found)
    planted = {(len(texts) + at + 1, source + 1) for at, source in enumerate(sources)}
    assert len(planted & truth) >= 30
    assert len(found & planted & truth) >= 0.99 * len(planted & truth)
    scores = {
        (line, int(other.rpartition(":")[2])): s
        for line, other, s in result.evidence.select("line", "other", "score").rows()
    }
    assert all(abs(score - cosines[a - 1, b - 1]) < 0.01 for (b, a), score in scores.items())


def test_of_rewritten_questions_the_near_duplicates_are_left_out(realdata):
    """Of the planted pairs some are near-duplicates and some are not: by sets of 3-grams, those below .7 are listed."""
    texts = questions(realdata, 400)
    every = texts + [rewritten(text, "words") for text in texts[:80]]
    found = set(listed(measure(SimilarTexts(top=1000), prompts(every))))
    cosines, grams = brute_force(every), [three_grams(text) for text in every]
    planted = {(len(texts) + at + 1, at + 1) for at in range(80)}
    jaccard = {(b, a): len(grams[a - 1] & grams[b - 1]) / len(grams[a - 1] | grams[b - 1]) for b, a in found | planted}
    assert max(jaccard[pair] for pair in found) < 0.7
    different = {(b, a) for b, a in planted if jaccard[b, a] < 0.7 and cosines[a - 1, b - 1] > 0.61}
    assert 5 < len(different) < 75
    assert different <= found


@pytest.mark.slow
def test_the_graph_finds_what_the_complete_search_finds(realdata, monkeypatch):
    texts = questions(realdata, 1_000)
    rows = prompts(texts + [rewritten(text, "framed") for text in texts[:50]])
    check = SimilarTexts(top=1000, near=1)
    complete = measure(check, rows)
    monkeypatch.setattr(similar_texts, "Neighbours", partial(similar_texts.Neighbours, exact_rows=0))
    graph, again = measure(check, rows), measure(check, rows)
    assert graph.evidence.equals(again.evidence)
    assert graph.figures == again.figures
    found, truth = set(listed(graph)), set(listed(complete))
    assert len(truth) > 50
    assert len(found & truth) > 0.98 * len(truth)


@pytest.mark.slow
def test_the_same_in_one_file_and_in_several(tmp_path):
    reports = {}
    for name, cuts in (("one", [0, len(ROWS)]), ("several", [0, 2, 3, 7, len(ROWS)])):
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        for number, (start, end) in enumerate(pairwise(cuts)):
            (folder / "data" / f"{number}.jsonl").write_bytes(jsonl(ROWS[start:end]))
        (folder / "c.yaml").write_text(
            "name: c\nversion: 1\ndatasets:\n  train:\n    source: {path: data}\n"
            "    checks: [{check: similar_texts, cosine: 0.5}]\n",
            encoding="utf-8",
        )
        report = datacheck.validate(folder / "c.yaml", out=folder / "out")
        reports[name] = next(found for found in report.findings if found.check == "similar_texts")
    one, several = (reports[name].evidence.first for name in ("one", "several"))
    assert reports["one"].status is Status.PASS
    assert sorted((p.score, p.detail) for p in one) == sorted((p.score, p.detail) for p in several)
    assert {(p.at, p.other) for p in several} == {
        ("train/3.jsonl:1", "train/0.jsonl:1"),
        ("train/3.jsonl:2", "train/0.jsonl:2"),
    }


def test_the_same_in_every_order_of_the_rows():
    """Nothing is fitted or drawn, so the list does not hang on where a row stands."""
    turned = ROWS[::-1]
    scores = [measure(SimilarTexts(cosine=0.4), rows).evidence["score"].sort().to_list() for rows in (ROWS, turned)]
    assert scores[0] == scores[1]


def test_conversations_can_be_compared_too():
    rows = dataset(*(f"user: 请回答 | assistant: {text}" for text in (*TWINS[0], *OTHERS)))
    assert measure(SimilarTexts(on="prompt"), rows).value("pairs") == 0
    assert listed(measure(SimilarTexts(on="response", cosine=0.5), rows)) == [(2, 1)]


def test_recall_is_a_ratio_of_plants_and_copies_count_where_no_edit_can_reach_the_cosine():
    recall = measure(SimilarTexts(cosine=1), prompts(OTHERS)).value("planted_recall")
    assert isinstance(recall, Ratio)
    assert recall.n == recall.of > 0


def test_too_many_texts_without_graphs_are_not_measured(monkeypatch):
    """Without usearch all pairs are compared, up to a number; beyond it the check says what to install."""
    monkeypatch.setattr("datacheck.text.neighbours._has_graphs", lambda: False)
    assert Neighbours(np.zeros((20_000, 4), np.float16)).exact
    assert searchable(200_000)
    assert not searchable(200_001)
    monkeypatch.setattr("datacheck.checks.similar_texts.searchable", lambda rows: rows <= 2)
    found = finding(SimilarTexts(), prompts(OTHERS))
    assert found.status == "error"
    assert "datacheck-llm[similar]" in str(found.error)
