"""What the command line says in Chinese: every message of the source, every option, and nothing of the data."""

import ast
import re
from pathlib import Path

import pytest
import typer
from core_helpers import GOOD, ROOT, contract, jsonl, spawn

from datacheck.cli.main import app
from datacheck.i18n.help import COMMANDS, WORDS
from datacheck.i18n.language import chosen, one
from datacheck.i18n.messages import CLAUSES, in_chinese

HAN = re.compile(r"[\u4e00-\u9fff]")
LATIN_WORDS = re.compile(r"(?<![-\w.=/])[A-Za-z]{2,} [a-z]{2,}")
CODE = re.compile(r"`[^`]*`|datacheck [a-z]+( [a-zA-Z.-]+)*|pip install .*|--\w+ and --\w+|as in --data .*")

# Said to people who write checks in Python, or held until somebody else tells of it in words of their own.
NOT_FOR_USERS = {"CheckAuthorError", "AccountingError", "ClaimLostError"}
OWN = re.compile(
    r"(Usage|Load|Contract|Refused|Failed|NotValidated|Tampered|Waiver|UnknownKey|Ledger|Json|Envelope|Busy)Error"
)


def template(node):
    """A string with {} for what is filled in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def speaks(function):
    """Whether a function raises an error for users, or complains of a contract."""
    names = [
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    ]
    return any(OWN.fullmatch(name) or name in ("complain", "refuse", "Problem") for name in names)


def strings(node):
    """All strings below a node, but no docstring and no part of a template."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func) in (*NOT_FOR_USERS, "Message", "Message.plural"):
        return
    text = template(node)
    if text is not None:
        yield text
    for child in ast.iter_child_nodes(node.args if isinstance(node, ast.JoinedStr) else node) if text is None else ():
        yield from strings(child)


def messages():
    """(place, template) of everything that functions with errors for users hold in words."""
    for path in sorted([*(ROOT / "datacheck").rglob("*.py"), *(ROOT / "flows").rglob("*.py")]):
        if path.name.startswith("cli") or path.parent.name in ("text", "chat", "trainers", "report"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and speaks(node):
                for text in {text for part in node.body for text in strings(part)}:
                    if LATIN_WORDS.search(text):
                        yield f"{path.relative_to(ROOT)}:{node.name}", text


# Reasons that have their Chinese beside them, and what is put together from the parts above.
ELSEWHERE = {
    "metadata of a saved dataset",
    "{} more files (not named here)",
    "{}/{} after it was validated",
    "Value error, ",  # taken off
    "datacheck exec --require-pass PATH [--require-pass PATH] [options] -- COMMAND [ARGUMENTS]",
}


def test_every_message_is_known():
    found = [(place, text) for place, text in messages() if text not in ELSEWHERE]
    assert len(found) > 150
    lacking = []
    for place, text in found:
        words = text.split("{}")
        said = in_chinese(words[0] + "".join(f"‹{n}›{word}" for n, word in enumerate(words[1:])))
        kept = all(f"‹{n}›" in said for n in range(len(words) - 1))
        if not (kept and HAN.search(said) and not LATIN_WORDS.search(CODE.sub("", said))):
            lacking.append((place, text, said))
    assert lacking == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "c.yaml:7: datasets.train.checks.0.severty: unknown setting; did you mean 'severity'?",
            "c.yaml:7: datasets.train.checks.0.severty: 未知的设置项；是否想写 'severity'？",
        ),
        ("c.yaml: the contract cannot be read: Permission denied", "c.yaml: 无法读取契约：没有权限"),
        (
            "c.yaml:4: not valid YAML: expected ',' or '}', but got ':'",
            "c.yaml:4: 不是合法的 YAML：应为 ',' or '}'，实为 ':'",
        ),
        (
            "nowhere: no such file or folder (dataset 'train'); give another with --data train=PATH",
            "nowhere: 没有这个文件或目录（数据集 'train'）；请用 --data train=PATH 另行指定",
        ),
        (
            "c.yaml:7: datasets.train.checks.0.threshold: input should be less than or equal to 1",
            "c.yaml:7: datasets.train.checks.0.threshold: 应不大于 1",
        ),
        (
            "datacheck: OSError in cli.py:7 (No space left on device); nothing is decided; free space and run again",
            "datacheck：cli.py:7 处发生 OSError（磁盘空间不足）；没有得出结论；请清出空间后重新运行",
        ),
        ("a sentence of another library", "a sentence of another library"),
        # names and paths of the user are nobody's words
        (
            "the file: also holds 'check', which is not ours; choose another folder with --out",
            "the file: 其中还有 'check'，不属于 datacheck；请用 --out 另选目录",
        ),
        ("a; b.yaml: exists already", "a; b.yaml: 已存在"),
    ],
)
def test_the_sentences(english, chinese):
    assert in_chinese(english) == chinese


def test_every_clause_fills_in_what_the_english_has():
    for english, chinese in CLAUSES.items():
        holes = re.findall(r"\{\*?\}", english)
        assert HAN.search(chinese), english
        if holes:
            said = chinese.format(*(f"‹{n}›" for n in range(len(holes))))
            assert len(re.findall(r"‹\d+›", said)) == len(set(re.findall(r"‹\d+›", said))), english


def commands(command, path=""):
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}".strip())


def test_every_command_and_option_has_help_in_chinese():
    found = dict(commands(typer.main.get_command(app)))
    assert set(found) == set(COMMANDS)
    lacking = set()
    for command in found.values():
        for option in command.params:
            for text in (option.help, getattr(option, "show_default", None)):
                if isinstance(text, str) and text not in WORDS and not text.startswith("$"):
                    lacking.add(text)
    assert lacking == set()
    assert all(HAN.search(text) for text in [*COMMANDS.values(), *WORDS.values()])


@pytest.mark.parametrize(
    ("arguments", "environment", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ([], {"LANG": "C.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        (["run", "--lang", "zh"], {"LANG": "C"}, "zh"),
        (["run", "--lang=en"], {"LANG": "zh_CN"}, "en"),
        (["run", "--lang", "fr"], {"LANG": "zh_CN"}, "zh"),
        (["exec", "--", "train", "--lang", "zh"], {"LANG": "C"}, "en"),
    ],
)
def test_the_language_is_that_of_the_option_else_of_the_locale(arguments, environment, language):
    assert chosen(arguments, environment) == language


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run"], 2, "datacheck run: 缺少参数 'contract'；见 datacheck run --help"),
        (["run", "c.yaml", "--ou", "x"], 2, "没有这个选项：--ou"),
        (["rnu"], 2, "是否想写 'run'？"),
        (["run", "nowhere.yaml"], 2, "nowhere.yaml: 无法读取契约：没有这个文件或目录"),
        (["run", "{contract}", "--data", "trian=."], 2, "--data trian=…: 未知的数据集；是否想写 'train'？"),
        (["verify", "nowhere"], 14, "没有受信任的密钥（没有这个文件或目录）；请先信任一个 validator"),
        (["verify"], 2, "datacheck verify: 缺少参数：PATH；见 datacheck verify --help"),
        (["run", "--help"], 0, "退出码：0 通过或只有警告"),
        (["run", "--help"], 0, "显示本说明。"),
        (["verify", "--help"], 0, "说明 PATH 是否已检查"),
    ],
)
def test_the_command_line_speaks_chinese_by_the_locale(tmp_path, arguments, code, said):
    """In processes of their own: help of typer is put into Chinese in place."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(tmp_path)
    done = spawn(
        *(a.format(contract=path) for a in arguments),
        cwd=tmp_path,
        env={"LC_ALL": "zh_CN.UTF-8", "COLUMNS": "80", "DATACHECK_TRUST": str(Path(tmp_path) / "trust.json")},
    )
    assert done.returncode == code
    assert said in re.sub(r"\x1b\[[0-9;]*m", "", (done.stdout + done.stderr).decode())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("1 rows have no text", "1 row has no text"),
        ("1 entries, the chain is whole", "1 entry, the chain is whole"),
        ("1 more places name nothing to drop", "1 more place names nothing to drop"),
        ("train: 1 files, 1 bytes", "train: 1 file, 1 byte"),
        ("a.jsonl: 1 rows were drawn", "a.jsonl: 1 row was drawn"),
        ("11 rows have no text", "11 rows have no text"),
        ("1,001 rows have no text", "1,001 rows have no text"),
        ("0.1 rows", "0.1 rows"),
        ("1 of 24 rows have none", "1 of 24 rows have none"),
        ("file-1 rows", "file-1 rows"),
        ("1 is the least", "1 is the least"),
        ("1 class less", "1 class less"),
        ("1 行没有文本", "1 行没有文本"),
    ],
)
def test_one_is_singular(given, said):
    assert one(given) == said


@pytest.mark.parametrize("quoted", ["a: ", "b; ", "x files, x bytes, ", "x (x) is greater than "])
def test_what_data_can_make_long_stays_as_it_is(quoted):
    """Thousands of clauses are no message of ours: looking each up would not come to an end."""
    line = f"c.yaml:1: cannot be read ({quoted * 2000})"
    assert in_chinese(line).endswith(line[10:])
