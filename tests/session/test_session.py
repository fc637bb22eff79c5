"""A session from its beginning to its end: what is left of it."""

import pytest
from core_helpers import GOOD, contract, jsonl

from datacheck.engine.workers import StepFailedError
from datacheck.session.session import Options, Session


def test_after_its_end_nothing_is_shared_with_steps_that_are_on_their_way(tmp_path, here):
    """A step of a flow that was stopped would write into a store that is gone."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    with Session(contract(tmp_path), {}, Options(out=tmp_path / "out")) as session:
        session.engine.sharing.share([1])
    with pytest.raises(StepFailedError):
        session.engine.sharing.share([2])
    assert not session.staging.exists()
