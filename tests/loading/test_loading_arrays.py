"""NumPy files as rows of facts: what stands in them, and nothing of them is ever run."""

import io
import zipfile

import numpy as np
import pytest
from core_helpers import contract

from datacheck.check import FieldRule, Ratio
from datacheck.checks.schema_violations import SchemaViolations
from datacheck.session.session import validate
from datacheck.testing import measure

RULES = SchemaViolations(
    fields={name: FieldRule(type="integer", max=0) for name in ("nan", "inf")} | {"zero": FieldRule(enum=[False])},
    format="rows",
)


def saved(*arrays, **named):
    file = io.BytesIO()
    np.savez(file, **named) if named else np.save(file, arrays[0], allow_pickle=True)
    return file.getvalue()


def rows_of(data, name="a.npy"):
    return measure(RULES, data, source={"format": "rows"}, name=name)


def numbers(shape=(6, 3), kind="f4"):
    return np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(kind)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f4", "i4", "u1", "c8", "?"])
def test_numbers_of_every_kind(kind):
    assert rows_of(saved(numbers(kind=kind))).value("rate") == Ratio(0, 6)


def test_what_is_no_number_is_counted_row_by_row():
    values = numbers()
    values[1, 0], values[2, 1:], values[4] = np.nan, -np.inf, 0
    for data in (saved(values), saved(np.asfortranarray(values))):
        found = rows_of(data)
        assert found.value("rate") == Ratio(3, 6)
        assert found.places == [(1, "nan", "out_of_range"), (2, "inf", "out_of_range"), (4, "zero", "not_in_enum")]


def test_arrays_of_an_archive_follow_each_other():
    data = saved(codebook_0=numbers((2, 3)), codebook_1=numbers((1, 2, 2)), one=np.float32(np.nan))
    assert rows_of(data, "a.npz").value("rate") == Ratio(1, 4)


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (["c_0", "c_1"], 0),
        (["c_1", "c_2"], 2),
        (["c_0", "c_2"], 1),
        (["c_1", "c_0"], 0),
        (["a", "b"], 0),
        (["c_1" + "0" * 400], 1),
    ],
)
def test_numbers_that_the_names_of_arrays_leave_out(names, wrong):
    rules = RULES.model_copy(update={"fields": {"skipped": FieldRule(type="integer", max=0)}})
    data = saved(**{name: numbers((1, 2)) for name in names})
    assert measure(rules, data, source={"format": "rows"}, name="a.npz").value("rate") == Ratio(wrong, len(names))


def lying(shape):
    """A header that promises more than there is."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return file.getvalue() + b"\0" * 16


def bombed():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.npy", b"\0" * (20 << 20))
    return file.getvalue()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.npy", saved(np.array([{}, 1], dtype=object)), "bad_array"),
        ("a.npy", saved(np.array(["text"])), "bad_array"),
        ("a.npy", lying((10**15, 2)), "bad_array"),
        ("a.npy", lying((10**15, 0)), "bad_array"),
        ("a.npy", saved(numbers())[:-1], "bad_array"),
        ("a.npy", b"\x93NUMPY\x09\x00xx", "bad_array"),
        ("a.npz", saved(a=numbers())[:-30], "bad_array"),
        ("a.npz", bombed(), "document_too_large"),
        ("a.npy", b'{"a": 1}\n', "wrong_container"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, name, data, code):
    (tmp_path / name).write_bytes(data)
    rules = contract(tmp_path, ["unreadable_lines"], source={"path": name, "format": "rows"})
    found = next(f for f in validate(rules, out=tmp_path / "out").findings if f.check == "unreadable_lines")
    assert found.status in ("fail", "error")
    assert [place.problem for place in found.evidence.first] == [code]


def test_a_file_with_bad_rows_is_put_aside_whole(tmp_path, here, command):
    values = numbers()
    values[2] = np.nan
    (tmp_path / "a.npy").write_bytes(saved(values))
    rules = tmp_path / "c.yaml"
    schema = "{nan: {type: integer, max: 0}}"
    source = "{path: a.npy, format: rows}"
    rules.write_text(f"name: c\ndatasets: {{e: {{source: {source}, schema: {schema}, checks: [schema_violations]}}}}\n")
    assert command("run", rules, "--out", tmp_path / "out")[0] == 1
    code, said, _ = command("apply", tmp_path / "out", "--data", f"e={tmp_path / 'a.npy'}", "--out", tmp_path / "kept")
    assert code == 0
    assert "put aside whole" in said
    assert not list((tmp_path / "kept/kept").rglob("*.npy"))
    assert len(list((tmp_path / "kept/dropped").rglob("a.npy"))) == 1
