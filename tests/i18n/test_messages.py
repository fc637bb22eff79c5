"""What the command line says in other languages: every sentence of the source, and nothing of what users wrote."""

import ast
import re
import string
import sys
import time
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from core_helpers import GOOD, ROOT, contract, jsonl, spawn

from datacheck.cli import said
from datacheck.i18n.command_line import chosen
from datacheck.i18n.message import Quoted, catalogue, languages
from datacheck.pii.excerpts import excerpt

sys.path.insert(0, str(ROOT / "docs"))
import catalogues

PO = sorted(catalogues.LOCALE.rglob("*.po"))


def holes(text: str) -> set[tuple[str, str]]:
    """What is filled in, with its format; what is no template has none."""
    return {(name, form or "") for _, name, form, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("path", PO, ids=lambda path: path.parts[-3])
def test_a_catalogue_is_what_the_source_says(path):
    """`make catalogues` adds what is new and drops what is dead; words in the language are written by hand."""
    assert len(catalogues.found()) > 1_400
    assert catalogues.bring_up(path, write=False) == []


@pytest.mark.parametrize("path", PO, ids=lambda path: path.parts[-3])
def test_every_sentence_fills_in_what_the_english_has(path):
    with path.open("rb") as file:
        entries = [entry for entry in read_po(file) if entry.id]
    for entry in entries:
        english = [entry.id] if isinstance(entry.id, str) else list(entry.id)
        other = [entry.string] if isinstance(entry.string, str) else list(entry.string)
        if any(name for name, _ in holes(english[0]) if name.isidentifier() and name != "tokenizer"):
            assert {frozenset(holes(text)) for text in [*english, *other]} == {frozenset(holes(english[0]))}, entry.id


def test_every_parameter_of_a_sentence_is_given():
    trees = catalogues.trees_of(catalogues.SOURCE)
    wrong = []
    for text, many, call in catalogues.called(trees):
        given = {word.arg for word in call.keywords}
        if given and None not in given and catalogues.name_of(call) in ("Message", "plural"):
            wrong += [
                form for form in (text, many) if form and {name for name, _ in holes(form)} - {"n"} != given - {"n"}
            ]
    assert wrong == []


def test_every_sentence_of_an_error_is_a_literal():
    """An f-string would have no id: what a user wrote would stand in it."""
    trees = dict(zip(catalogues.SOURCE, catalogues.trees_of(catalogues.SOURCE), strict=True))
    carriers = catalogues.errors(list(trees.values()))
    assert {"UsageError", "JsonError", "LedgerError", "FailedError", "BusyError"} <= carriers
    wrong = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in trees.items()
        for call in catalogues.nodes(tree)
        if isinstance(call, ast.Call)
        for given in catalogues.sentences(call, carriers)
        if isinstance(given, ast.JoinedStr)
    ]
    assert wrong == []


def test_no_sentence_of_a_report_reads_like_personal_data():
    """Else reports would mask a part of it ("token is ****"), and in every language say it in English."""
    rooms = {"check", "chat", "checks", "features", "loading", "trainers"}
    trees = catalogues.trees_of(path for path in catalogues.SOURCE if path.parent.name in rooms)
    said = {form for one, many, _ in catalogues.called(trees) for form in (one, many)} | set(catalogues.declared())
    assert len(said) > 700
    assert [form for form in said if excerpt(form, limit=1_000) != form] == []


def test_an_id_that_nobody_translates_is_found(tmp_path, monkeypatch):
    source = tmp_path / "new.py"
    source.write_text('raise UsageError("{path}: is purple", path=path)\nMessage.plural("{n} cat", "{n} cats", n)\n')
    monkeypatch.setattr(catalogues, "SOURCE", [source, ROOT / "datacheck" / "errors.py"])
    copy = tmp_path / "zh" / "LC_MESSAGES" / "datacheck.po"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(PO[-1].read_bytes())
    told = catalogues.bring_up(copy, write=True)
    assert "zh: new: {path}: is purple" in told
    assert "zh: new: {n} cat" in told
    assert any(line.startswith("zh: dead: ") for line in told)
    assert set(catalogues.bring_up(copy, write=False)) == {
        "zh: not translated: {path}: is purple",
        "zh: not translated: {n} cat",
    }


NAMES = [
    "drop 1 files.yaml",
    "week 1 batches/c.yaml",
    "a; b: unknown check; no such file.yaml",
    "it's “quoted”, 'twice'.yaml",
    "{path} {0} {name.__class__} {{x}}.yaml",
    "训练，数据；一：契约.yaml",
]


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("name", NAMES)
def test_names_pass_byte_for_byte(tmp_path, command, monkeypatch, name, lang):
    monkeypatch.chdir(tmp_path)
    code, _, error = command("run", name, "--lang", lang)
    assert code == 2
    english = f"{name}: the contract cannot be read: No such file or directory\n"
    assert error == (english if lang == "en" else f"{name}: 无法读取契约：没有这个文件或目录\n")
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("name: n\ndatasets: {}\nsevrity: 1\n")
    code, _, error = command("run", name, "--lang", lang)
    assert code == 2
    lines = error.splitlines()
    assert [line.split(":1: ")[0].split(":2: ")[0].split(":3: ")[0] for line in lines] == [name] * len(lines)
    assert ("unknown setting" in error, "未知的设置项" in error) == (lang == "en", lang != "en")


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("part", ["1 files; ", "a: ", "x is not there; "])
def test_a_name_of_ten_thousand_clauses_is_said_at_once(tmp_path, command, part, lang):
    name = part * 10_000
    start = time.process_time()
    code, _, error = command("explain", name, "--lang", lang)
    assert time.process_time() - start < 1
    assert code == 2
    assert error.startswith(f"{name}: ")


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("given", ["--1 files", "--a; b", "--x Did you mean '{y}'?"])
def test_a_wrong_option_passes_byte_for_byte(command, given, lang):
    code, _, error = command("run", "c.yaml", given, "--lang", lang)
    assert code == 2
    assert given in error


def test_thousands_of_problems_are_no_recursion(tmp_path, command):
    path = tmp_path / "c.yaml"
    path.write_text("name: n\ndatasets: {}\n" + "".join(f"k{n}: 1\n" for n in range(3_000)))
    code, _, error = command("run", path, "--lang", "zh")
    assert (code, error.count("未知的设置项")) == (2, 3_000)


def test_what_a_contract_says_does_not_steer_the_terminal(tmp_path, command):
    path = tmp_path / "c.yaml"
    path.write_text('name: n\ndatasets: {}\n"k\\u001b[31m\\u202e": 1\n')
    for lang in languages():
        _, _, error = command("run", path, "--lang", lang)
        assert r"k\u{1b}[31m\u{202e}" in error


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("threshold: 7", "expected 1 at most", "应不大于 1"),
        ("threshold: x", "expected a number", "应为数字"),
        ("on: 7", "expected one of ", "应为 "),
        ("sevrity: 1", "unknown setting; did you mean 'severity'?", "未知的设置项；是否想写 'severity'？"),
        ("limits: {rate: {max: 30}}", "did you mean 0.3?", "是否想写 0.3？"),
    ],
)
def test_problems_of_a_contract_in_both_languages(tmp_path, command, text, english, chinese):
    path = tmp_path / "c.yaml"
    path.write_text(f"name: n\ndatasets:\n  train:\n    checks:\n      - check: near_duplicates\n        {text}\n")
    for lang, words in (("en", english), ("zh", chinese)):
        code, _, error = command("run", path, "--data", f"train={tmp_path}", "--lang", lang)
        assert code == 2
        assert words in error


def test_sentences_of_libraries_are_matched_whole():
    known = Quoted("no such option: {option}", "expected ',' or '}}', but got {found}")
    assert known.of("no such option: --a: b").params == {"option": "--a: b"}
    assert str(known.of("expected ',' or '}', but got ':'")) == "expected ',' or '}', but got ':'"
    assert str(known.of("a sentence of another {library}")) == "a sentence of another {library}"


def test_a_wrong_language_says_which_there_are(command):
    code, _, error = command("checks", "--lang", "tlh")
    assert (code, error) == (2, f"--lang tlh: expected one of {', '.join(languages())}\n")


@pytest.mark.parametrize(
    ("arguments", "environment", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ([], {"LANG": "C.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ([], {"LANG": "tlh_KX"}, "en"),
        (["run", "--lang", "zh"], {"LANG": "C"}, "zh"),
        (["run", "--lang=en"], {"LANG": "zh_CN"}, "en"),
        (["run", "--lang", "fr"], {"LANG": "zh_CN"}, "zh"),
        (["exec", "--", "train", "--lang", "zh"], {"LANG": "C"}, "en"),
    ],
)
def test_the_language_is_that_of_the_option_else_of_the_locale(arguments, environment, language):
    assert chosen(arguments, environment) == language


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
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
def test_the_command_line_speaks_chinese_by_the_locale(tmp_path, arguments, code, expected):
    """In processes of their own: help of typer is put into Chinese in place."""
    jsonl(tmp_path / "data" / "a.jsonl", GOOD)
    path = contract(tmp_path)
    done = spawn(
        *(a.format(contract=path) for a in arguments),
        cwd=tmp_path,
        env={"LC_ALL": "zh_CN.UTF-8", "COLUMNS": "80", "DATACHECK_TRUST": str(Path(tmp_path) / "trust.json")},
    )
    assert done.returncode == code
    assert expected in re.sub(r"\x1b\[[0-9;]*m", "", (done.stdout + done.stderr).decode())


def test_no_help_is_left_in_english():
    """Every text of every command, option and argument is an id that Chinese words are known for."""
    import typer

    from datacheck.cli.main import app

    waiting, known = [typer.main.get_command(app)], catalogue("zh").gettext
    while waiting:
        command = waiting.pop()
        texts = [command.help, *(getattr(p, name, None) for p in command.params for name in ("help", "show_default"))]
        for text in texts:
            if isinstance(text, str) and text and not text.startswith("$"):
                assert re.search("[\u4e00-\u9fff]", known(text)), text
        waiting += getattr(command, "commands", {}).values()
    assert all(known(text) != text for text in said._PRINTED)
