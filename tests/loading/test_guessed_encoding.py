import pytest

from datacheck.loading.sniff import guess_encoding


@pytest.mark.parametrize(
    ("raw", "guess"),
    [
        ("Win a £1000 prize".encode("latin-1"), "cp1252"),
        (b"Win a \xe5\xa31000 prize", "cp1252 or gbk"),  # £ that went through two encodings, or one rare character
        ("café au lait, s'il vous plaît".encode("cp1252"), "cp1252"),
        ("你好，世界".encode("gbk"), "gbk"),
        ("我們的 order 在這裡".encode("big5"), "big5"),
    ],
)
def test_what_bytes_that_are_not_utf_8_may_be(raw, guess):
    assert guess_encoding(raw) == guess
