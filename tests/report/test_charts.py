"""What a figure draws: read back from the SVG."""

import re

import pytest

from datacheck.report.charts import chart
from datacheck.report.figures import name_of, table_of


def rects(svg):
    """(x, width, height, class) of every drawn rectangle."""
    found = re.findall(r'<rect x="(\S+)" y="\S+" width="(\S+)" height="(\S+)" class="([\w-]+)"/>', svg)
    return [(float(x), float(w), float(h), kind) for x, w, h, kind in found]


def words(svg):
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def test_bars_are_named_by_all_columns_of_words():
    """Two types of one field are two bars, and a reader sees which is which."""
    said = words(chart({"field": ["uid", "uid"], "type": ["number", "string"], "rows": [1, 72]}).svg)
    assert said[::2] == ["uid · number", "uid · string"]


def test_counts_and_shares_do_not_share_an_axis():
    figure = {"label": ["a", "b"], "rows": [400, 100], "share": [0.8, 0.2], "target": [0.5, 0.5]}
    drawn = chart(figure)
    assert "400" not in words(drawn.svg)
    lengths = [width for _, width, _, kind in rects(drawn.svg) if kind in ("series-0", "series-1")]
    legend, bars = lengths[:2], lengths[2:]
    assert legend == [10, 10]
    assert [round(bar / bars[0], 2) for bar in bars] == [1, 0.62, 0.25, 0.62]  # 0.8, 0.5, 0.2, 0.5
    assert drawn.columns == ("label", "rows", "share", "target")  # the table keeps all of them


@pytest.mark.parametrize(
    ("x", "slots"),
    [
        ([0, 1, 2], [0, 1, 2]),
        ([0, 1, 4], [0, 1, 4]),  # a gap is a gap
        ([-0.5, 0.5, 1.5], [0, 1, 2]),
        ([64, 128, 256, 512], [0, 1, 2, 3]),  # bins that double have one width
        ([0.0, 0.001, 5.0], [0, 1, 2]),  # no room for all the gaps
        ([3, 1, 2], [0, 1, 2]),
        ([7], [0]),
    ],
)
def test_columns_stand_where_their_number_is(x, slots):
    places = [(left, width) for left, width, _, kind in rects(chart({"x": x, "rows": [1] * len(x)}).svg)]
    room = places[0][1] / 0.8
    assert [round((left - places[0][0]) / room, 1) for left, _ in places] == slots


def test_the_lines_across_are_named_from_the_lowest_to_the_highest():
    assert words(chart({"x": [1, 2, 3], "rows": [20, 0, 40]}).svg)[:3] == ["0", "20", "40"]
    assert words(chart({"x": [1, 2, 3], "gap": [20, -20, 40]}).svg)[:3] == ["-20", "10", "40"]


def test_figures_in_chinese_keep_the_data():
    table = {"kind": ["1 % edits", "my kind"], "plants": [3, 4], "found": [2, 4]}
    assert name_of("planted", "zh") == "埋入样例的检出"
    assert name_of("lsh_recall", "en") == "recall of the quick search"
    assert name_of("my_figure", "zh") == "my_figure"
    assert table_of(table, "zh") == {"种类": ["改动 1%", "my kind"], "埋入": [3, 4], "检出": [2, 4]}
    assert table_of(table, "en") == table
    assert list(table_of({"chars": [1], "characters": [2]}, "zh")) == ["chars", "characters"]  # never one column fewer
