"""How tables lie in files."""

import io
from pathlib import Path

import polars as pl
import pytest

from datacheck.engine import table_files

TEXTS = [f"一段足够长的文字，不会放在指针里 {n}" if n % 3 else None for n in range(200_000)]
MAPS = Path("/proc/self/maps")
TURNS = pl.DataFrame({"row": range(200_000), "role": "user", "text": TEXTS}, schema_overrides={"row": pl.UInt32})


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    """The file of texts of a part."""
    path = tmp_path / table_files.part_file("turns")
    table_files.write(TURNS, path, path)
    return path


@pytest.mark.parametrize("name", ["turns", "rows"])
def test_a_table_comes_back_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / table_files.part_file(name)
    for table in (TURNS, TURNS.clear()):
        table_files.write(table, path, path)
        assert table_files.read(path).equals(table)
        held = io.BytesIO()
        table_files.write(table, path, held)
        assert table_files.read_bytes(path, held.getvalue()).equals(table)
        assert held.getvalue() == path.read_bytes()  # what was held can be put into a folder, and be read there


def test_texts_are_mapped_for_as_long_as_somebody_has_them(mapped: Path) -> None:
    if not MAPS.exists():
        pytest.skip("only Linux says what is mapped")
    table = table_files.read(mapped)
    mapped.unlink()  # as a run's own store is: who has the table keeps it
    assert table["text"].n_chunks() == 1
    texts = table.lazy().filter(pl.col("row") < 3)
    held = table["text"].to_arrow(compat_level=pl.CompatLevel.newest()).buffers()[-1]
    assert any(held.address in places for places in _places(mapped))  # not copied from there
    assert texts.collect()["text"].to_list() == TEXTS[:3]
    del table, texts, held
    assert not _places(mapped)


def _places(path: Path) -> list[range]:
    """The addresses at which a file is mapped."""
    lines = [line for line in MAPS.read_text().splitlines() if str(path) in line]
    return [range(*(int(end, 16) for end in line.split()[0].split("-"))) for line in lines]


def test_half_a_table_is_none(mapped: Path) -> None:
    mapped.write_bytes(mapped.read_bytes()[:-100])
    with pytest.raises(ValueError, match="Arrow file"):
        table_files.read(mapped)


def test_texts_that_stand_in_all_rows_are_kept_once() -> None:
    for rows in ({"row": [1, 2], "same": ["messages"] * 2, "none": [None, None], "id": ["a", None]}, {"row": [1, 1]}):
        table = pl.DataFrame(rows, schema_overrides={"none": pl.String} if "none" in rows else None)
        for some in (table, table.clear()):
            lean, size = table_files.lean(some)
            assert lean.collect().equals(some)
            assert lean.collect_schema() == some.schema
            assert lean.filter(pl.col("row") > 1).collect().equals(some.filter(pl.col("row") > 1))
            assert (size == 0) == some.is_empty()


def test_what_a_text_takes_beside_its_letters_is_counted() -> None:
    _, same = table_files.lean(pl.DataFrame({"row": range(1000), "id": ["x"] * 1000}))
    _, other = table_files.lean(pl.DataFrame({"row": range(1000), "id": ["x", "y"] * 500}))
    assert other >= same + 16 * 1000
