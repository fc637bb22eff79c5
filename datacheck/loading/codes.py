"""Every remark about an input: its level, what it means, why it matters and how to repair it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# error: the data is damaged (the audit fails). limit: datacheck refused to go on (the audit cannot decide).
# note: worth knowing, changes no verdict. blank: an empty line, counted only.
Level = Literal["error", "limit", "note", "blank"]


class Code(NamedTuple):
    """A kind of remark, in English; the catalogues have the other languages."""

    level: Level
    title: str
    why: str
    fix: str


_LOST = "Loaders stop here or drop the record silently, so fewer samples are trained than were delivered."
_DIFFER = "Parsers disagree about this text, so what was checked need not be what is trained."
_CUT = "A cut file looks complete to many loaders; the missing tail goes unnoticed."
_CONTAINER = "The trainer will not read this file, or will read it differently from its name."
_LIMIT = "Beyond this size a record is far more often an accident or an attack than training data."
_WRITE = "Write the record again with a JSON library (json.dumps) instead of string formatting."
_AGAIN = "Copy or export the file again and compare sizes and hashes."
_RAISE = "Remove the record, or raise the limit in the contract if it is meant."
_EXPORT = "Export as UTF-8 JSONL: one JSON object per line."

CODES: Mapping[str, Code] = MappingProxyType(
    {
        "json_syntax": Code("error", "not valid JSON", _LOST, _WRITE),
        "two_objects": Code(
            "error",
            "two JSON values on one line",
            _DIFFER,
            "Put each record on its own line.",
        ),
        "not_utf8": Code(
            "error",
            "not UTF-8",
            "Some loaders accept the bytes and fail in the middle of training, others replace characters.",
            "Convert the file to UTF-8, or name its encoding in the contract (`encoding:`).",
        ),
        "lone_surrogate": Code(
            "error",
            "half of a surrogate pair",
            "It is no character: tokenizers raise, and some parsers turn it into NUL.",
            "Repair the text that was cut inside an emoji.",
        ),
        "nul_bytes": Code(
            "error",
            "NUL bytes",
            "Blocks of NUL are what a crashed disk or copy leaves behind.",
            _AGAIN,
        ),
        "control_character": Code("error", "raw control character inside a string", _DIFFER, _WRITE),
        "not_an_object": Code(
            "error",
            "a record that is neither an object nor a list of messages",
            _LOST,
            "Write each record as a JSON object.",
        ),
        "python_repr": Code(
            "error",
            "Python repr instead of JSON",
            _LOST,
            "Write with json.dumps, not with str() or print().",
        ),
        "duplicate_key": Code(
            "error",
            "a key is given twice in one object",
            "Python keeps the last value, polars the first: the checked text is not the trained text.",
            "Keep one of the two.",
        ),
        "not_finite": Code(
            "error",
            "NaN, Infinity or a number too large for a double",
            _DIFFER,
            "Write null, or leave the key out.",
        ),
        "truncated_line": Code("error", "the record ends too early", _CUT, _AGAIN),
        "bom_inside": Code(
            "error",
            "a byte order mark inside the file",
            "Files were joined without care.",
            "Strip the mark from each file before joining.",
        ),
        "merge_conflict": Code(
            "error",
            "a merge conflict marker",
            "Both sides of the conflict are in the data.",
            "Resolve the conflict.",
        ),
        "lfs_pointer": Code(
            "error",
            "a Git LFS pointer, not the data",
            _CONTAINER,
            "Run `git lfs pull`.",
        ),
        "html_page": Code(
            "error",
            "an HTML page, not the data",
            "The download saved a login or error page.",
            "Download the file again.",
        ),
        "wrong_container": Code("error", "the content is not what the file name says", _CONTAINER, _EXPORT),
        "array_in_jsonl": Code("error", "a JSON array in a .jsonl file", _CONTAINER, _EXPORT),
        "pretty_printed": Code(
            "error",
            "records spread over several lines in a .jsonl file",
            _CONTAINER,
            _EXPORT,
        ),
        "cr_line_ends": Code(
            "error",
            "lines end in CR only",
            "Readers see one single line.",
            "Convert the line ends to LF.",
        ),
        "csv_ragged": Code(
            "error",
            "a CSV record with too few or too many fields",
            "Short records are padded with null silently, long ones shift columns.",
            "Quote fields that hold the delimiter or a line end.",
        ),
        "csv_quote": Code(
            "error",
            "a CSV quote that does not pair",
            _DIFFER,
            "Double the quotes inside a field.",
        ),
        "csv_header": Code(
            "error",
            "a CSV header that cannot be used",
            "Columns with the same name, or all without one, cannot be told apart.",
            "Give every column a name of its own.",
        ),
        "csv_delimiter": Code(
            "note",
            "one column only: is the delimiter another one?",
            "With the wrong delimiter the whole line is one value.",
            "Name the delimiter in the contract (`delimiter:`).",
        ),
        "bad_parquet": Code("error", "damaged Parquet or Arrow data", _LOST, _AGAIN),
        "truncated_compression": Code("error", "the compressed data ends too early", _CUT, _AGAIN),
        "bad_compression": Code("error", "damaged compressed data", _LOST, _AGAIN),
        "rows_missing": Code(
            "error",
            "not the rows that dataset_info.json or state.json promise",
            _CUT,
            _AGAIN,
        ),
        "records_missing": Code(
            "error",
            "the key named by `records` holds no list",
            _LOST,
            "Correct `records:` in the contract.",
        ),
        "changed_while_read": Code(
            "limit",
            "the file changed while it was read",
            "The verdict would not belong to the file as it is now.",
            "Run again when the file is at rest.",
        ),
        "unreadable_file": Code(
            "limit",
            "the file could not be opened or read",
            _LOST,
            "Check permissions; links and devices are refused.",
        ),
        "line_too_long": Code("limit", "a record beyond the size limit", _LIMIT, _RAISE),
        "document_too_large": Code("limit", "a JSON document beyond the size limit", _LIMIT, _EXPORT),
        "too_deep": Code("limit", "nested beyond the depth limit", _LIMIT, _RAISE),
        "too_many_keys": Code("limit", "a record with too many keys or values", _LIMIT, _RAISE),
        "too_many_turns": Code("limit", "a record with too many messages", _LIMIT, _RAISE),
        "integer_too_long": Code("limit", "an integer of more than 4,300 digits", _LIMIT, _RAISE),
        "text_too_long": Code("limit", "a text beyond the size limit", _LIMIT, _RAISE),
        "bomb_ratio": Code(
            "limit",
            "the compression ratio is that of a bomb",
            "Real training data compresses 3 to 17 times.",
            "Unpack the file yourself if it is meant.",
        ),
        "empty_file": Code(
            "error",
            "an empty file",
            "Nothing was delivered under this name.",
            _AGAIN,
        ),
        "blank": Code(
            "blank",
            "a blank line",
            "Harmless in most loaders.",
            "Remove it.",
        ),
        "bom": Code(
            "note",
            "the file begins with a byte order mark",
            "Some parsers refuse the first record.",
            "Save as UTF-8 without BOM.",
        ),
        "mixed_line_ends": Code(
            "note",
            "both LF and CRLF line ends",
            "The file was joined or edited on different systems.",
            "Convert the line ends to LF.",
        ),
        "no_final_newline": Code(
            "note",
            "no line end after the last record",
            "Joining files would glue two records together.",
            "End the file with a line feed.",
        ),
        "jsonl_in_json": Code(
            "note",
            "JSON lines in a .json file",
            "Tools that expect one JSON document fail.",
            "Rename the file to .jsonl.",
        ),
        "big_integer": Code(
            "note",
            "an integer beyond 64 bits",
            "Most loaders turn it into a rounded float.",
            "Write long identifiers as strings.",
        ),
        "lists_inside": Code(
            "note",
            "one JSON object that holds lists of objects",
            "It counts as one record unless the contract names the list.",
            "Name the list in the contract (`records:`).",
        ),
        "null_is_missing": Code(
            "note",
            "in Parquet and Arrow null and missing are one",
            "Keys that other rows have come back as null.",
            "Use JSONL where the difference matters.",
        ),
    }
)
