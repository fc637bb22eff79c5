"""A file from literal bytes, loaded."""

import pytest
from loading_helpers import Loaded, load_file

from datacheck.loading.reading import Reading


@pytest.fixture
def load(tmp_path):
    def from_bytes(data: bytes, name: str = "data.jsonl", **reading) -> Loaded:
        path = tmp_path / name
        path.write_bytes(data)
        return load_file(path, Reading(**reading))

    return from_bytes
