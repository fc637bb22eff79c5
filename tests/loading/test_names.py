"""The names of formats: whoever brings one says once what it means."""

from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from datacheck.loading import formats
from datacheck.loading.formats.base import Format, Name
from datacheck.loading.reading import Reading


@pytest.mark.parametrize(
    "brought",
    [
        {"FORMATS": (Format("telegrams", 5, frozenset({"wire"}), lambda *_: None),)},  # what for, nobody says
        {"NAMES": (Name("qa", "plain"),)},  # said by answers.py already
    ],
)
def test_a_name_that_nobody_or_somebody_else_explains_is_refused(monkeypatch, brought):
    monkeypatch.setattr(formats, "plugged", lambda _group: (SimpleNamespace(**brought),))
    monkeypatch.setattr(formats, "formats", formats.formats.__wrapped__)
    with pytest.raises(ValueError, match="must stand in the NAMES of one file"):
        formats.known_names.__wrapped__()


def test_every_name_is_one_that_a_contract_may_say():
    assert [Reading(format=name).format for name in formats.known_names()] == [*formats.known_names()]
    with pytest.raises(ValidationError, match="did you mean 'sharegpt'"):
        Reading(format="share_gpt")
