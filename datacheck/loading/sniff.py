"""Name what a file holds from its first bytes, and guess the encoding of text that is not UTF-8."""

import re
from typing import Literal, NamedTuple

from datacheck.i18n.message import Message
from datacheck.loading.rejected import remark


class Foreign(NamedTuple):
    """Content that is not read: its code and a message."""

    code: str
    message: str


# Magic numbers from the formats' own specifications.
_MAGIC: tuple[tuple[bytes, Message], ...] = (
    (b"PK\x03\x04", Message("a zip archive")),
    (b"PK\x05\x06", Message("an empty zip archive")),
    (b"SQLite format 3\0", Message("a SQLite database")),
    (b"BZh", Message("a bzip2 file")),
    (b"\xfd7zXZ\0", Message("an xz file")),
    (b"7z\xbc\xaf\x27\x1c", Message("a 7z archive")),
    (b"Rar!\x1a\x07", Message("a RAR archive")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Message("an old Excel or Word file")),
    (b"\x93NUMPY", Message("a NumPy array")),
    (b"\x89HDF\r\n\x1a\n", Message("an HDF5 file")),
    (b"Obj\x01", Message("an Avro file")),
    (b"%PDF-", Message("a PDF file")),
    (b"\x7fELF", Message("a program")),
)
_TAR = Message("a tar archive")
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LFS = b"version https://git-lfs.github.com/spec/"
UTF8_BOM = b"\xef\xbb\xbf"
_SCHEMA_BYTES = 2**24


def container(head: bytes) -> Literal["parquet", "arrow_file", "arrow_stream"] | None:
    """Return "parquet", "arrow_file" or "arrow_stream" for the binary containers that are read."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1\0\0"):
        return "arrow_file"
    size, root = int.from_bytes(head[4:8], "little"), int.from_bytes(head[8:12], "little")
    if head.startswith(b"\xff\xff\xff\xff") and size % 8 == 0 and 0 < root < size < _SCHEMA_BYTES:
        return "arrow_stream"  # its first message: a schema, of which the writer chooses where its table begins
    return None


def foreign(head: bytes) -> Foreign | None:
    """Return why content that begins like this is not read, or None for what may be text."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            if magic == b"PK\x03\x04" and (b"xl/" in head or b"[Content_Types].xml" in head):
                name = Message("an Excel workbook")  # noqa: PLW2901 (a closer name for the same magic)
            return Foreign("wrong_container", remark("{what}; expected JSONL, JSON, CSV or Parquet", what=name))
    if head[257:262] == b"ustar":
        return Foreign("wrong_container", remark("{what}; expected JSONL, JSON, CSV or Parquet", what=_TAR))
    if _PICKLE.match(head):
        return Foreign("wrong_container", remark("a Python pickle, which is never opened: it could run code"))
    if head.startswith(_LFS):
        return Foreign("lfs_pointer", remark("the first line is that of a Git LFS pointer"))
    if _HTML.match(head):
        return Foreign("html_page", remark("the file begins with an HTML tag"))
    return None


def wide_encoding(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 encoding that a byte order mark or the position of the first NUL bytes shows."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32-le" if head[0] else "utf-32-be"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16-le" if head.startswith(b"\xff\xfe") else "utf-16-be"
    # JSON and nearly all CSV begin with two ASCII characters; their other byte is NUL in UTF-16.
    first, second, third, fourth = [*head[:4], 0, 0, 0, 0][:4]
    if first and third and not second and not fourth:
        return "utf-16-le"
    if second and fourth and not first and not third:
        return "utf-16-be"
    return None


# The thirty most frequent characters of modern Chinese text, simplified and traditional.
_COMMON = frozenset(
    "的一是不了在人有我他这個个们中来上大为和国地到以说時时要就出会會可也你对對生能而子那得于着下自之年過过發发後后作里這們來為國說於"
)


_MEANT = 0.3  # share of common characters, from which on a decoding makes sense
_FEW = 5  # of so many bytes one at most is above 127 in a text in Latin letters


def guess_encoding(raw: bytes) -> str | None:
    """Guess the encoding of bytes that are not UTF-8, for a message and for `init`; no run decodes data by a guess."""
    if wide := wide_encoding(raw):
        return wide
    best, best_share = None, 0.0
    for name in ("gbk", "gb18030", "big5"):
        try:
            text = raw.decode(name)
        except UnicodeDecodeError:
            continue
        wide_chars = [char for char in text if ord(char) > 127]
        if not wide_chars:
            continue
        share = sum(char in _COMMON for char in wide_chars) / len(wide_chars)
        common = sum("\u4e00" <= char <= "\u9fff" for char in wide_chars) / len(wide_chars)
        score = share + common / 10
        if score > best_share:
            best, best_share = name, score
    if best_share < _MEANT and sum(byte > 127 for byte in raw) < len(raw) / _FEW:
        return f"cp1252 or {best}" if best else "cp1252"
    return best
