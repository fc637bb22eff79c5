import pytest
from pydantic import ValidationError

from datacheck.check import Ratio, Status
from datacheck.checks.mixture_drift import MixtureDrift
from datacheck.testing import finding, measure

SOURCE = {"columns": {"source": "src"}}


def rows(**counts):
    return [{"text": f"{label} {n}", "src": label} for label, count in counts.items() for n in range(count)]


def test_drift_from_targets():
    check = MixtureDrift(targets={"law": 0.7, "general": 0.3})
    result = measure(check, rows(law=6, general=3, web=1), source=SOURCE)
    assert result.value("drift") == pytest.approx(0.1)
    assert result.value("drift", source="web") == pytest.approx(0.1)
    assert result.value("drift", source="general") == pytest.approx(0)
    assert result.value("labelled") == Ratio(10, 10)
    assert result.figures["mix"]["label"] == ["law", "general", "web"]  # the largest first
    assert finding(check, rows(law=7, general=3), source=SOURCE).status == Status.PASS


def kto(*labels):
    return [{"prompt": f"p{n}", "completion": "c", "label": label} for n, label in enumerate(labels)]


def test_drift_from_another_dataset():
    check = MixtureDrift(column="label", against="before")
    result = measure(check, kto(True, True, True, False), others={"before": kto(True, False)})
    assert result.value("drift") == pytest.approx(0.25)
    unlabelled = measure(check, kto(True), others={"before": [{"text": "a"}]})
    assert unlabelled.value("drift") is None
    assert unlabelled.not_checked == ("no row of before has a label",)


def test_rows_without_a_label_count():
    result = measure(
        MixtureDrift(targets={"law": 1}), [*rows(law=3), {"text": "x"}, {"text": "y", "src": " "}], source=SOURCE
    )
    assert result.value("drift") == pytest.approx(0.4)
    assert result.value("labelled") == Ratio(3, 5)


@pytest.mark.parametrize("records", [[], [{"text": "x"}]])
def test_without_labels_it_is_an_error_with_a_hint(records):
    assert finding(MixtureDrift(targets={"law": 1}), records, source=SOURCE).status == Status.ERROR
    result = measure(MixtureDrift(targets={"law": 1}), records)
    assert "source.columns.source" in result.not_checked[0]


@pytest.mark.parametrize(
    "settings", [{}, {"targets": {"a": 0.5}}, {"targets": {"a": 2, "b": -1}}, {"targets": {"a": 1}, "against": "b"}]
)
def test_targets_must_make_sense(settings):
    with pytest.raises(ValidationError):
        MixtureDrift(**settings)
