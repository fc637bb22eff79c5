"""Calling C: what is no array of its type is refused, and kernels of other sources are not taken."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from core_helpers import ROOT

from datacheck.text.columns import Column, Lookup, lookup
from datacheck.text.native import library, place
from datacheck.text.native.library import kernel


@pytest.mark.parametrize(
    "array", [np.zeros(4, np.int32), np.zeros(8, np.uint32)[::2], np.zeros((4, 4), np.uint32).T], ids=str
)
def test_only_arrays_of_its_type_side_by_side_are_given_to_a_kernel(array):
    with pytest.raises(TypeError, match="side by side"):
        library.address(array, np.uint32)
    sort = kernel("sort_hashes", np.uint32, int, np.uint32, returns=int)
    with pytest.raises(Exception, match="side by side"):
        sort(array, 1, np.zeros(8, np.uint32))


def test_a_structure_takes_what_it_is_made_of():
    with pytest.raises(TypeError, match="made of plain, longer"):
        Lookup(plain=1)
    rows, table = Column(pl.Series(["天地"])).rows, lookup(())
    with pytest.raises(TypeError, match="takes Rows, not Lookup"):
        type(rows).from_param(table)


def test_a_kernel_without_memory_says_so():
    for result in (False, -1, -2):
        with pytest.raises(MemoryError):
            library.done(result)
    assert library.done(0) == 0


def test_kernels_of_other_sources_are_not_taken():
    program = (
        "from datacheck.text.native import place\nplace.digest = lambda: '0' * 16\nimport datacheck.text.kernels\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert "not compiled for this machine" in done.stderr


@pytest.mark.parametrize(
    ("system", "machine", "cpuinfo", "found"),
    [
        ("linux", "x86_64", "flags\t\t: fpu avx2 bmi2 fma\n", ["linux-x86_64_v3", "linux-x86_64"]),
        ("linux", "x86_64", "flags\t\t: fpu sse4_2 avx\n", ["linux-x86_64"]),
        ("linux", "aarch64", "", ["linux-aarch64"]),
        ("darwin", "arm64", "", ["darwin-arm64"]),
        ("win32", "AMD64", "", []),
    ],
)
def test_which_kernels_a_machine_can_run(tmp_path, monkeypatch, system, machine, cpuinfo, found):
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(place, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert place.candidates() == found


def test_both_libraries_of_x86_64_give_the_same():
    """The one without AVX2 runs here as well, where the machine is an x86-64."""
    if "linux-x86_64" not in place.candidates():
        pytest.skip("needs an x86-64 machine with Linux")
    program = (
        "import sys, hashlib, polars as pl\n"
        "from datacheck.text.native import place\n"
        "place.candidates = lambda: [sys.argv[1]]\n"
        "from datacheck.text.sketches import Unit, sketch, sets\n"
        "from datacheck.text.rules import RULES\n"
        "texts = pl.Series([f'第{i}行：今天的天气不错，我们去公园吧。The {i * i}th row ½' * (i % 9) for i in range(500)])\n"
        "unit = Unit(RULES, 'chars', 3)\n"
        "found, own = sketch(texts, unit, (64, 21, 3)), sets(texts, unit)\n"
        "parts = [*found, own.sets.offsets, own.sets.hashes, own.texts]\n"
        "print(hashlib.sha256(b''.join(part.tobytes() for part in parts)).hexdigest())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program, target], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
        for target in place.candidates()
    ]
    assert len(set(said)) == 1
    assert said[0].strip()
