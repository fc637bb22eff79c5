import zipfile
from collections import defaultdict
from xml.etree import ElementTree as ET

import krippendorff
import numpy as np
import pytest

from datacheck.check import Ratio, Status
from datacheck.checks.low_agreement import LowAgreement
from datacheck.testing import finding, measure

RATED = {"columns": {"raters": ["a", "b", "c"], "source": "src"}}


def rated(*ratings, **more):
    return [{"text": "t", **dict(zip("abc", row, strict=False)), **more} for row in ratings]


def test_one_label_in_several_spellings():
    rows = [{"text": "t", "a": one, "b": other} for one, other in
            (("A", "Ａ"), ("a ", "A"), (5, "5.0"), ("５", 5.0), ("平局", "平局 "), ("Chosen", "chosen"), ("B", "b"))]  # fmt: skip
    result = measure(LowAgreement(), rows, source={"columns": {"raters": ["a", "b"]}})
    assert (result.value("agreement"), result.value("alpha")) == (Ratio(7, 7), 1.0)
    others = [
        {"text": "t", "a": one, "b": other} for one, other in (("A", "B"), (5, 5.5), ("5.0.1", "5"), ("A>B", "A<B"))
    ]
    assert measure(LowAgreement(), others, source={"columns": {"raters": ["a", "b"]}}).value("agreement") == Ratio(0, 4)


def test_values_and_divided_rows():
    result = measure(LowAgreement(), rated("AAA", "ABA", "BBB", "B"), source=RATED)
    assert result.value("agreement") == Ratio(3 + 1 + 3, 9)
    assert [(row["line"], row["problem"]) for row in result.first] == [(2, "raters_disagree")]
    assert result.evidence["row"].to_list() == [None]  # a row to read, not to drop
    assert result.not_checked == ("1 row has fewer than two ratings",)
    data = [[0, 0, 1], [0, 1, 1], [0, 0, 1]]
    assert result.value("alpha") == pytest.approx(krippendorff.alpha(np.array(data), level_of_measurement="nominal"))


def test_words_in_order_and_what_is_off_the_scale():
    check = LowAgreement(level="ordinal", order=("bad", "fair", "good"))
    rows = rated(("bad", "fair", ""), ("good", "good", "??"), ("bad", "bad", None))
    result = measure(check, rows, source=RATED)
    data = np.array([[0, 2, 0], [1, 2, 0]], dtype=float)
    assert result.value("alpha") == pytest.approx(krippendorff.alpha(data, level_of_measurement="ordinal"))
    assert result.not_checked == ("1 rating is not on the scale",)


def test_by_source():
    rows = rated("AA", "BB", "AB", src="x") + rated("AA", "AA", src="y")
    result = measure(LowAgreement(by="source"), rows, source=RATED)
    assert result.value("agreement", source="x") == Ratio(2, 3)
    assert result.value("agreement", source="y") == Ratio(2, 2)
    with pytest.raises(KeyError):
        result.value("alpha", source="y")  # no variation there


@pytest.mark.parametrize("rows", [[], rated("A"), rated("AA", "AA")])
def test_what_cannot_be_measured_is_an_error(rows):
    assert finding(LowAgreement(), rows, source=RATED).status == Status.ERROR


def test_without_raters_the_hint_says_so():
    result = measure(LowAgreement(), [{"text": "t"}])
    assert result.value("alpha") is None
    assert "source.columns.raters" in result.not_checked[0]


def annotations(realdata):
    """The first sheet of the workbook as a table of strings, read with the standard library."""
    path = realdata / "open_instruct/human_eval/data/eval_annotations_tulu_1.xlsx"
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as book:
        strings = [
            "".join(t.text or "" for t in item.iterfind(".//m:t", space))
            for item in ET.parse(book.open("xl/sharedStrings.xml")).getroot()
        ]
        sheet = ET.parse(book.open("xl/worksheets/sheet1.xml"))
    table = []
    for line in sheet.iterfind(".//m:row", space):
        cells = {}
        for cell in line.iterfind("m:c", space):
            value = cell.find("m:v", space)
            if value is not None:
                name = cell.get("r").rstrip("0123456789")
                cells[name] = strings[int(value.text)] if cell.get("t") == "s" else value.text
        table.append(cells)
    names = table[0]
    return [{names[k]: v for k, v in row.items() if k in names} for row in table[1:]]


SCALE = ["b-is-better", "b-is-slightly-better", "tie", "a-is-slightly-better", "a-is-better"]


def test_tulu_annotations_agree_little(realdata):
    """Human preferences of open-instruct: pairs that two or three people judged, as if by raters a, b and c."""
    judged = defaultdict(list)
    for row in annotations(realdata):
        if "evaluator" in row:
            models = sorted((row["model_a"], row["model_b"]))
            level = SCALE.index(row["preference"])
            judged[(row["instance_id"], *models)].append(level if row["model_a"] == models[0] else 4 - level)
    table = [levels[:3] for levels in judged.values()]
    data = np.array([[row[n] if n < len(row) else np.nan for row in table] for n in range(3)])
    expected = krippendorff.alpha(data, level_of_measurement="ordinal")
    records = rated(*([SCALE[level] for level in row] for row in table))
    check = LowAgreement(level="ordinal", order=tuple(SCALE))
    result = measure(check, records, source=RATED)
    assert result.value("alpha") == pytest.approx(expected, abs=1e-9)
    assert 0.2 < expected < 0.67
    assert result.value("agreement").of == sum(len(row) * (len(row) - 1) // 2 for row in table)
    assert finding(check, records, source=RATED).status == Status.FAIL
