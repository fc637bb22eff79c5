"""Every remark about an input: its level, what it means, why it matters and how to repair it, in two languages."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# error: the data is damaged (the audit fails). limit: datacheck refused to go on (the audit cannot decide).
# note: worth knowing, changes no verdict. blank: an empty line, counted only.
Level = Literal["error", "limit", "note", "blank"]


class Code(NamedTuple):
    """A kind of remark; the pairs are (English, Chinese)."""

    level: Level
    title: tuple[str, str]
    why: tuple[str, str]
    fix: tuple[str, str]


_LOST = (
    "Loaders stop here or drop the record silently, so fewer samples are trained than were delivered.",
    "加载器会在此中断，或悄悄丢弃该样本，实际训练的样本数少于交付数。",
)
_DIFFER = (
    "Parsers disagree about this text, so what was checked need not be what is trained.",
    "不同解析器结果不一致，检查过的内容未必就是训练用的内容。",
)
_CUT = (
    "A cut file looks complete to many loaders; the missing tail goes unnoticed.",
    "许多加载器会把截断的文件当作完整文件，缺失的尾部无人察觉。",
)
_CONTAINER = (
    "The trainer will not read this file, or will read it differently from its name.",
    "训练框架无法读取该文件，或读取方式与文件名不符。",
)
_LIMIT = (
    "Beyond this size a record is far more often an accident or an attack than training data.",
    "超过该上限的记录多半是事故或攻击，而不是训练数据。",
)
_WRITE = (
    "Write the record again with a JSON library (json.dumps) instead of string formatting.",
    "用 JSON 库（json.dumps）重新写出该记录，不要拼接字符串。",
)
_AGAIN = (
    "Copy or export the file again and compare sizes and hashes.",
    "重新拷贝或导出文件，并比对大小与哈希。",
)
_RAISE = (
    "Remove the record, or raise the limit in the contract if it is meant.",
    "删除该记录；若确属预期，在契约中调高上限。",
)
_EXPORT = (
    "Export as UTF-8 JSONL: one JSON object per line.",
    "导出为 UTF-8 编码的 JSONL：每行一个 JSON 对象。",
)

CODES: Mapping[str, Code] = MappingProxyType(
    {
        "json_syntax": Code("error", ("not valid JSON", "不是合法的 JSON"), _LOST, _WRITE),
        "two_objects": Code(
            "error",
            ("two JSON values on one line", "一行中有两个 JSON 值"),
            _DIFFER,
            ("Put each record on its own line.", "每条记录单独占一行。"),
        ),
        "not_utf8": Code(
            "error",
            ("not UTF-8", "不是 UTF-8 编码"),
            (
                "Some loaders accept the bytes and fail in the middle of training, others replace characters.",
                "有的加载器先接受、训练中途才报错，有的会替换字符。",
            ),
            (
                "Convert the file to UTF-8, or name its encoding in the contract (`encoding:`).",
                "把文件转换为 UTF-8，或在契约中写明 `encoding:`。",
            ),
        ),
        "lone_surrogate": Code(
            "error",
            ("half of a surrogate pair", "孤立的代理码位"),
            (
                "It is no character: tokenizers raise, and some parsers turn it into NUL.",
                "它不是字符：分词器会报错，有的解析器会变成 NUL。",
            ),
            ("Repair the text that was cut inside an emoji.", "修复在表情符号中间被截断的文本。"),
        ),
        "nul_bytes": Code(
            "error",
            ("NUL bytes", "含有 NUL 字节"),
            (
                "Blocks of NUL are what a crashed disk or copy leaves behind.",
                "成片的 NUL 通常是磁盘或拷贝故障留下的。",
            ),
            _AGAIN,
        ),
        "control_character": Code(
            "error", ("raw control character inside a string", "字符串中有未转义的控制字符"), _DIFFER, _WRITE
        ),
        "not_an_object": Code(
            "error",
            ("a record that is neither an object nor a list of messages", "记录既不是对象也不是消息列表"),
            _LOST,
            ("Write each record as a JSON object.", "每条记录写成一个 JSON 对象。"),
        ),
        "python_repr": Code(
            "error",
            ("Python repr instead of JSON", "是 Python repr 而不是 JSON"),
            _LOST,
            (
                "Write with json.dumps, not with str() or print().",
                "用 json.dumps 写出，不要用 str() 或 print()。",
            ),
        ),
        "duplicate_key": Code(
            "error",
            ("a key is given twice in one object", "同一对象中键重复"),
            (
                "Python keeps the last value, polars the first: the checked text is not the trained text.",
                "Python 取最后一个值，polars 取第一个：检查的文本与训练的文本不同。",
            ),
            ("Keep one of the two.", "只保留其中一个。"),
        ),
        "not_finite": Code(
            "error",
            ("NaN, Infinity or a number too large for a double", "NaN、Infinity 或超出双精度范围的数"),
            _DIFFER,
            ("Write null, or leave the key out.", "写成 null 或去掉该键。"),
        ),
        "truncated_line": Code("error", ("the record ends too early", "记录不完整，提前结束"), _CUT, _AGAIN),
        "bom_inside": Code(
            "error",
            ("a byte order mark inside the file", "文件中间出现 BOM"),
            ("Files were joined without care.", "文件是直接拼接而成的。"),
            ("Strip the mark from each file before joining.", "拼接前去掉各文件的 BOM。"),
        ),
        "merge_conflict": Code(
            "error",
            ("a merge conflict marker", "合并冲突标记"),
            ("Both sides of the conflict are in the data.", "冲突双方都留在了数据里。"),
            ("Resolve the conflict.", "解决冲突后重新提交。"),
        ),
        "lfs_pointer": Code(
            "error",
            ("a Git LFS pointer, not the data", "是 Git LFS 指针而不是数据"),
            _CONTAINER,
            ("Run `git lfs pull`.", "执行 `git lfs pull`。"),
        ),
        "html_page": Code(
            "error",
            ("an HTML page, not the data", "是 HTML 页面而不是数据"),
            ("The download saved a login or error page.", "下载到的是登录页或错误页。"),
            ("Download the file again.", "重新下载。"),
        ),
        "wrong_container": Code(
            "error", ("the content is not what the file name says", "内容与文件名不符"), _CONTAINER, _EXPORT
        ),
        "array_in_jsonl": Code(
            "error", ("a JSON array in a .jsonl file", ".jsonl 文件里是 JSON 数组"), _CONTAINER, _EXPORT
        ),
        "pretty_printed": Code(
            "error",
            ("records spread over several lines in a .jsonl file", ".jsonl 文件中记录跨多行"),
            _CONTAINER,
            _EXPORT,
        ),
        "cr_line_ends": Code(
            "error",
            ("lines end in CR only", "只用 CR 换行"),
            ("Readers see one single line.", "读取器会把整个文件当成一行。"),
            ("Convert the line ends to LF.", "把换行符转换为 LF。"),
        ),
        "csv_ragged": Code(
            "error",
            ("a CSV record with too few or too many fields", "CSV 记录字段数不符"),
            (
                "Short records are padded with null silently, long ones shift columns.",
                "字段不足会被悄悄补空，字段过多会错列。",
            ),
            ("Quote fields that hold the delimiter or a line end.", "含分隔符或换行的字段要加引号。"),
        ),
        "csv_quote": Code(
            "error",
            ("a CSV quote that does not pair", "CSV 引号不配对"),
            _DIFFER,
            ("Double the quotes inside a field.", "字段内的引号要写成两个。"),
        ),
        "csv_header": Code(
            "error",
            ("a CSV header that cannot be used", "CSV 表头不可用"),
            ("Columns with the same name, or all without one, cannot be told apart.", "列名重复或全部为空时无法区分。"),
            ("Give every column a name of its own.", "给每一列一个唯一的名字。"),
        ),
        "csv_delimiter": Code(
            "note",
            ("one column only: is the delimiter another one?", "只有一列：分隔符是否写错？"),
            ("With the wrong delimiter the whole line is one value.", "分隔符错误时整行会成为一个值。"),
            ("Name the delimiter in the contract (`delimiter:`).", "在契约中写明 `delimiter:`。"),
        ),
        "bad_parquet": Code("error", ("damaged Parquet or Arrow data", "Parquet 或 Arrow 数据损坏"), _LOST, _AGAIN),
        "truncated_compression": Code("error", ("the compressed data ends too early", "压缩数据不完整"), _CUT, _AGAIN),
        "bad_compression": Code("error", ("damaged compressed data", "压缩数据损坏"), _LOST, _AGAIN),
        "rows_missing": Code(
            "error",
            (
                "not the rows that dataset_info.json or state.json promise",
                "与 dataset_info.json、state.json 不符",
            ),
            _CUT,
            _AGAIN,
        ),
        "records_missing": Code(
            "error",
            ("the key named by `records` holds no list", "`records` 指定的键不是列表"),
            _LOST,
            ("Correct `records:` in the contract.", "修正契约中的 `records:`。"),
        ),
        "changed_while_read": Code(
            "limit",
            ("the file changed while it was read", "读取过程中文件被修改"),
            ("The verdict would not belong to the file as it is now.", "结论将与文件现状不符。"),
            ("Run again when the file is at rest.", "等文件不再变化后重新运行。"),
        ),
        "unreadable_file": Code(
            "limit",
            ("the file could not be opened or read", "文件无法打开或读取"),
            _LOST,
            ("Check permissions; links and devices are refused.", "检查权限；不接受符号链接和设备文件。"),
        ),
        "line_too_long": Code("limit", ("a record beyond the size limit", "记录超过长度上限"), _LIMIT, _RAISE),
        "document_too_large": Code(
            "limit", ("a JSON document beyond the size limit", "JSON 文档超过大小上限"), _LIMIT, _EXPORT
        ),
        "too_deep": Code("limit", ("nested beyond the depth limit", "嵌套超过深度上限"), _LIMIT, _RAISE),
        "too_many_keys": Code("limit", ("a record with too many keys or values", "记录中的键或值过多"), _LIMIT, _RAISE),
        "too_many_turns": Code("limit", ("a record with too many messages", "记录中的消息过多"), _LIMIT, _RAISE),
        "integer_too_long": Code("limit", ("an integer of more than 4,300 digits", "整数超过 4300 位"), _LIMIT, _RAISE),
        "text_too_long": Code("limit", ("a text beyond the size limit", "单段文本超过长度上限"), _LIMIT, _RAISE),
        "bomb_ratio": Code(
            "limit",
            ("the compression ratio is that of a bomb", "压缩比异常，疑似压缩炸弹"),
            ("Real training data compresses 3 to 17 times.", "真实训练数据的压缩比约为 3 到 17。"),
            ("Unpack the file yourself if it is meant.", "若确属预期，请自行解压后再检查。"),
        ),
        "empty_file": Code(
            "error",
            ("an empty file", "空文件"),
            ("Nothing was delivered under this name.", "该文件没有交付任何内容。"),
            _AGAIN,
        ),
        "blank": Code(
            "blank",
            ("a blank line", "空行"),
            ("Harmless in most loaders.", "对大多数加载器无害。"),
            ("Remove it.", "删除即可。"),
        ),
        "bom": Code(
            "note",
            ("the file begins with a byte order mark", "文件以 BOM 开头"),
            ("Some parsers refuse the first record.", "有的解析器会拒绝第一条记录。"),
            ("Save as UTF-8 without BOM.", "保存为不带 BOM 的 UTF-8。"),
        ),
        "mixed_line_ends": Code(
            "note",
            ("both LF and CRLF line ends", "LF 与 CRLF 混用"),
            ("The file was joined or edited on different systems.", "文件在不同系统上拼接或编辑过。"),
            ("Convert the line ends to LF.", "统一为 LF。"),
        ),
        "no_final_newline": Code(
            "note",
            ("no line end after the last record", "最后一条记录后没有换行"),
            ("Joining files would glue two records together.", "拼接文件时会把两条记录粘在一起。"),
            ("End the file with a line feed.", "文件末尾补一个换行。"),
        ),
        "jsonl_in_json": Code(
            "note",
            ("JSON lines in a .json file", ".json 文件里是 JSONL"),
            ("Tools that expect one JSON document fail.", "期待单个 JSON 文档的工具会报错。"),
            ("Rename the file to .jsonl.", "改名为 .jsonl。"),
        ),
        "big_integer": Code(
            "note",
            ("an integer beyond 64 bits", "整数超过 64 位"),
            ("Most loaders turn it into a rounded float.", "多数加载器会变成有舍入的浮点数。"),
            ("Write long identifiers as strings.", "长编号请写成字符串。"),
        ),
        "lists_inside": Code(
            "note",
            ("one JSON object that holds lists of objects", "单个 JSON 对象，内含对象列表"),
            (
                "It counts as one record unless the contract names the list.",
                "若契约不指定列表，整个文件只算一条记录。",
            ),
            ("Name the list in the contract (`records:`).", "在契约中用 `records:` 指定列表。"),
        ),
        "null_is_missing": Code(
            "note",
            ("in Parquet and Arrow null and missing are one", "Parquet/Arrow 中 null 与缺失无法区分"),
            ("Keys that other rows have come back as null.", "其他行才有的键会以 null 出现。"),
            ("Use JSONL where the difference matters.", "需要区分时请用 JSONL。"),
        ),
    }
)
