"""The id of a version in `history` can be looked up, whatever digits it has."""

from datacheck.gate.ledger import Entry
from datacheck.registry.history import words_of


def test_an_id_of_digits_is_no_telephone_number():
    facts = '{"channel":"sft"}'
    entry = Entry(3, "2026-01-01T00:00:00Z", "publish", f"sha256:e3060921523a{'0' * 52}", "sft", facts, "", "")
    assert words_of(entry, "en").startswith("e3060921523a  ")
    entry = entry._replace(payload='{"channel":"13000000000"}')
    assert "13000000000" not in words_of(entry, "en")
