"""What real files taught near_duplicates."""

import itertools
import json
import os
import random
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.near_duplicates import NearDuplicates
from datacheck.testing import dataset, finding, measure
from datacheck.text.normalise import normalise
from datacheck.text.rules import RULES

REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[2].parent / "shared" / "realdata")
PROMPT = {
    "zh": "请先判断问题所属的科室，再分点说明可能的原因、检查项目与用药禁忌，最后提醒患者及时就医。",
    "en": "Reason step by step, keep every unit, and finish with the number alone on the last line of the answer. ",
}
STEM = "下列说法不正确的是"  # stands in front of dozens of different questions of real examinations


def question(*options):
    return {"question": STEM, "options": list(options), "answer": "A"}


@pytest.mark.parametrize("on", ["conversation", "prompt"])
def test_one_stem_with_other_options_is_another_question(on):
    first = question("晶体硅的导电性介于导体和绝缘体之间", "高压钠灯发出的黄光透雾能力强")
    second = question("用标准液润洗滴定管后将润洗液从上口倒出", "铝热反应非常剧烈要戴上石棉手套")
    result = measure(NearDuplicates(on=on), [first, second, first])
    assert result.problems == [(2, "exact_copy")]
    assert result.value("rate") == Ratio(1, 3)
    assert result.value("exact_share") == Ratio(1, 3)


def test_rows_too_short_to_plant_in_are_measured_all_the_same():
    result = finding(NearDuplicates(), dataset("user: 3+5= | assistant: 8", "user: 4+9= | assistant: 13"))
    assert result.status is Status.PASS
    assert result.error is None
    assert any("made-up sentences" in str(note) for note in result.not_checked)


def test_rows_without_text_are_none_of_n_with_a_note():
    result = measure(NearDuplicates(), [{"tokens": [1, 2]}, {"tokens": [3]}])
    assert result.value("rate") == Ratio(0, 2)
    assert any(note.startswith("2 rows have no conversation text") for note in result.not_checked)


def test_zero_rows_are_not_measured():
    assert measure(NearDuplicates(), b"\n").value("planted_recall") is None


def test_where_no_edited_copy_can_reach_the_threshold_plain_copies_are_tried():
    """With threshold 1 and nothing normalised every edit changes the set of n-grams."""
    rows = dataset("user: 请介绍一下北京的历史和文化特色 | assistant: 北京是一座古老的城市，有三千多年建城史。")
    recall = measure(NearDuplicates(threshold=1, normalise=()), rows).value("planted_recall")
    assert isinstance(recall, Ratio)
    assert recall.n == recall.of > 0


def texts(language):
    """Distinct real texts of 120 to 600 characters."""
    if language == "zh":
        lines = (REALDATA / "medicalgpt/data/sft/medical_sft_1K_format.jsonl").read_text("utf-8").splitlines()
        found = [turn["value"] for line in lines for turn in json.loads(line)["conversations"]]
        for file in sorted((REALDATA / "alpaca_hikariming").rglob("*.json")):
            found += [row["output"] for row in json.loads(file.read_text("utf-8")) if isinstance(row["output"], str)]
    else:
        lines = next((REALDATA / "gsm8k").rglob("*train*.jsonl")).read_text("utf-8").splitlines()
        found = [f"{row['question']} {row['answer']}" for row in map(json.loads, lines)]
    return [text for text in dict.fromkeys(found) if 120 <= len(text) <= 600][:3000]


def own_trigrams(rows):
    """Sets of character 3-grams of normalised texts without those that a twentieth of the distinct texts have.

    Of Latin ones only stretches of 20 and more are left out, and five letters are counted.
    """
    plain = normalise(pl.Series(rows), RULES).to_list()
    counts = Counter(gram for text in dict.fromkeys(plain) for gram in set(counted(text)))
    common = {gram for gram, count in counts.items() if count >= 0.05 * len(set(rows))}
    return [own(text, common) for text in plain], common


def counted(text):
    wide = ["@" < text[i] < "\u0250" and i + 5 <= len(text) for i in range(len(text) - 2)]
    return [text[i : i + (5 if five else 3)] for i, five in enumerate(wide)]


def own(text, common):
    kept, at = set(), 0
    for loose, stretch in itertools.groupby(counted(text), lambda gram: gram in common and "@" < gram[0] < "\u0250"):
        several = list(stretch)
        kept |= {
            text[at + i : at + i + 3]
            for i, gram in enumerate(several)
            if (loose and len(several) < 20) or gram not in common
        }
        at += len(several)
    return kept


@pytest.mark.slow
@pytest.mark.skipif(not REALDATA.is_dir(), reason="realdata is absent")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_real_texts_just_above_the_threshold_are_found_behind_a_shared_prompt(language):
    """Half of a real text's end is another's, so that J lies between .70 and .75 without the prompt; J by plain sets."""
    draw, originals = random.Random(5), texts(language)
    copies = []
    for text, other in zip(originals, originals[1:] + originals[:1], strict=True):
        keep = round(len(text) * (1 - draw.uniform(0.12, 0.19)))
        copies.append(text[:keep] + other[-(len(text) - keep) :])
    rows = [PROMPT[language] + text for text in originals + copies]
    sets, common = own_trigrams(rows)
    assert len(common) >= 20  # of the prompt
    count = len(originals)
    near = [i for i in range(count) if 0.70 <= len(sets[i] & sets[count + i]) / len(sets[i] | sets[count + i]) <= 0.75]
    assert len(near) >= 400
    result = measure(NearDuplicates(), [{"text": row} for row in rows])
    gone = {row for row, problem in result.problems if problem != "opposite_labels"}
    assert sum(not gone.isdisjoint((i, count + i)) for i in near) >= 0.995 * len(near)
    wrong = gone - set(range(count, 2 * count))
    assert not any(max(len(sets[i] & other) / len(sets[i] | other) for other in sets[:i]) < 0.7 for i in wrong)
