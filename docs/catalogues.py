"""Bring the catalogues of languages up to the source: `make catalogues` adds new sentences and drops dead ones.

An id is the English sentence, a literal where it is said: the first argument of `Message`, of an error that carries
one, of `complain` and `refuse`; what `Quoted` and `ids` list; the help of commands and options; tables of phrases, and
what metrics, codes of lines and rules of trainers say.
"""

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SOURCE = sorted([*(ROOT / "datacheck").rglob("*.py"), *(ROOT / "flows").rglob("*.py")])
LOCALE = ROOT / "datacheck" / "i18n" / "locale"
_FIRST = {"Message", "RuleError", "around", "remark", "saying"}  # and the errors
_SECOND = {"complain", "reject", "instead"}  # behind the place, or what is caught
_THIRD = {"_mistake"}
JOINED = ("; ", ", ", " and ", " or ")  # between messages that are said one after the other
_WORDLESS = re.compile(r"\{.*?\}|--\w+|\$\w+|^datacheck( serve)?: ")  # what is the same in every language
_ALL = {"Quoted", "ids"}
_HELP = {"help", "description", "epilog", "show_default"}
_HELPED = {"Typer", "Option", "Argument", "Parser", "add_argument", "rules_parser", "_parser"}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def trees_of(paths: Iterable[Path]) -> list[ast.Module]:
    """The sources, parsed."""
    return [_tree(path) for path in paths]


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a source; most of the time would go into walking it again and again."""
    return tuple(ast.walk(tree))


def errors(trees: list[ast.Module]) -> set[str]:
    """Names of the exceptions that carry a sentence, but those for who writes checks."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for tree in trees
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"SaidError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found - {"CheckAuthorError", "ContractError", "StepFailedError"}


def name_of(call: ast.Call) -> str:
    """The last word of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def sentences(call: ast.Call, carriers: set[str]) -> Iterator[ast.expr]:
    """The arguments of a call that should be ids."""
    name = name_of(call)
    if name in _ALL:
        yield from call.args
    elif name in carriers | _FIRST:
        yield from call.args[:1]
    elif name in _SECOND:
        yield from call.args[1:2]
    elif name in _THIRD:
        yield from call.args[2:3]
    elif name in _HELPED:
        yield from (keyword.value for keyword in call.keywords if keyword.arg in _HELP)


def literals(node: ast.AST | None) -> list[str]:
    """The strings that an argument may be: one, or those of both branches."""
    if isinstance(node, ast.IfExp):
        return [*literals(node.body), *literals(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def called(trees: list[ast.Module]) -> Iterator[tuple[str, str, ast.Call]]:
    """(id, its plural or an empty text, the call that says it) of every message and error."""
    carriers = errors(trees)
    for call in (node for tree in trees for node in nodes(tree) if isinstance(node, ast.Call)):
        if name_of(call) == "plural" or (name_of(call) == "saying" and len(call.args) > 1):
            yield from ((one, many, call) for one, many in zip(*map(literals, call.args[:2]), strict=True))
        else:
            yield from ((text, "", call) for each in sentences(call, carriers) for text in literals(each))


def tables(trees: list[ast.Module]) -> Iterator[tuple[str, str]]:
    """(id, its plural or an empty text) of what stands in tables: annotated as phrases, or words of reports."""
    for node in (node for tree in trees for node in nodes(tree)):
        values: list[ast.expr] = []
        if isinstance(node, ast.AnnAssign) and "Phrase" in ast.unparse(node.annotation) and node.value:
            values = [node.value]
        elif isinstance(node, ast.ClassDef) and node.name == "Words":
            words = [word for word in node.body if isinstance(word, ast.AnnAssign) and word.value]
            named = ("lang", "html_lang", "language")
            values = [word.value for word in words if word.value and ast.unparse(word.target) not in named]
        for value in values:
            for form in value.values if isinstance(value, ast.Dict) else [value]:
                one, *many = map(literals, form.elts if isinstance(form, ast.Tuple) else [form])
                yield from ((text, "".join(many[0] if many else ())) for text in one)


def declared() -> Iterator[str]:
    """What metrics of checks, codes of lines, rules of trainers and differences of their releases say."""
    from datacheck.contract.discover import check_class, check_names
    from datacheck.loading.codes import CODES
    from datacheck.trainers import trainer, trainer_names
    from datacheck.trainers.compared import differing

    metrics = [metric for name in check_names() for metric in check_class(name).metrics.values()]
    yield from (text for metric in metrics for text in (metric.what, metric.why) if text)
    yield from (text for code in CODES.values() for text in (code.title, code.why, code.fix))
    rules = [rule for name in trainer_names() for rule in trainer(name).rules.values()]
    yield from (text for rule in rules for text in (rule.says, rule.hint))
    yield from (each.says for of in differing().values() for found in of.values() for each in found)


def found() -> dict[str, str]:
    """Every id of the source, with its plural or an empty text."""
    trees = trees_of(SOURCE)
    said = {one: many for one, many, _ in called(trees)} | dict(tables(trees))
    return said | dict.fromkeys((*declared(), *helps(), *("{one}" + between + "{two}" for between in JOINED)), "")


def has_words(text: str) -> bool:
    """Whether a sentence must be told in another language: what is names, signs and options alone need not."""
    return bool(re.search("[A-Za-z]{2}|[,;(] ", _WORDLESS.sub("", text)))


def helps() -> Iterator[str]:
    """The texts of the commands, which typer takes from their docstrings."""
    import typer

    from datacheck.cli.main import app

    waiting = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        yield command.help or ""
        waiting += getattr(command, "commands", {}).values()


def bring_up(path: Path, *, write: bool) -> list[str]:
    """What a catalogue lacks and what no source has any more; mended if `write`."""
    with path.open("rb") as file:
        catalogue: Catalog = read_po(file)
    known = found()
    listed = {
        message.id if isinstance(message.id, str) else message.id[0]: message for message in catalogue if message.id
    }
    lacking = [
        text
        for text, many in known.items()
        if (bool(many) != listed[text].pluralizable if text in listed else has_words(text))
    ]
    dead = [text for text in listed if text not in known]
    untold = [text for text, message in listed.items() if text in known and not _told(message.string)]
    if write and (dead or lacking):
        for text in [*dead, *lacking]:
            catalogue.delete(text)
        for text in lacking:
            catalogue.add((text, known[text]) if known[text] else text)
        catalogue.obsolete.clear()
        made = io.BytesIO()
        write_po(made, catalogue, width=120, ignore_obsolete=True)
        head = path.read_text("utf-8").partition("\n\n")[0]  # Babel's own would hold the time, and addresses to fill in
        entries = made.getvalue().decode().partition("\n\n")[2].replace("#, python-brace-format\n", "")
        path.write_text(f"{head}\n\n{entries.rstrip()}\n", "utf-8")
    return [f"{path.parts[-3]}: {what}: {text}" for what, texts in
            (("new", lacking), ("dead", dead), ("not translated", untold)) for text in texts]  # fmt: skip


def _told(string: str | tuple[str, ...] | list[str]) -> bool:
    return all(string) if isinstance(string, tuple | list) else bool(string)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(*[line for path in sorted(LOCALE.rglob("*.po")) for line in bring_up(path, write=True)], sep="\n")
