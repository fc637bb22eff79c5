"""An entry in `history`: its id can be looked up, whatever digits it has, and why it was made is told."""

from datacheck.gate.ledger import Entry
from datacheck.registry.history import words_of


def test_an_id_of_digits_is_no_telephone_number():
    facts = '{"channel":"sft"}'
    entry = Entry(3, "2026-01-01T00:00:00Z", "publish", f"sha256:e3060921523a{'0' * 52}", "sft", facts, "", "")
    assert words_of(entry, "en").startswith("e3060921523a  ")
    entry = entry._replace(payload='{"channel":"13000000000"}')
    assert "13000000000" not in words_of(entry, "en")


def test_an_entry_says_why_and_what_was_waived():
    entry = Entry(
        3, "2026-01-01T00:00:00Z", "quarantine", f"sha256:{'a' * 64}", "sft", '{"reason":"pii (fail)"}', "", ""
    )
    assert words_of(entry, "en").endswith("; pii (fail)")
    entry = entry._replace(kind="waiver", payload='{"waived":"pii by Li Lei"}')
    assert words_of(entry, "en").endswith("; pii by Li Lei")
