"""What is found of the cases of Presidio's own recognizer tests; nothing of them is kept here.

    python benchmarks/presidio_tests.py FOLDER

FOLDER is a checkout of microsoft/presidio. Read are the parametrised cases of `presidio-analyzer/tests` that have a
text and a count, as Python's syntax, without running them; each text counts once, as written and behind a label made
of the test's name. A positive counts as found under any entity; a negative is a false alarm where a hit is valid.
Dates, URLs and recognizers that are models are left out.

Some positives are nobody's value by this tool's rules and silent on purpose (`set_aside`): networks, loopback,
unspecified and multicast addresses,
and AA:BB:CC:DD:EE:FF, which stands for any machine's address. The last line of each count is without them.
"""

from __future__ import annotations

import ast
import ipaddress
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

_MODELS = (
    "spacy stanza transformers gliner langextract ahds azure pattern_rec registry loader entity_recognizer result "
    "huggingface medical_ner yaml lm_rec test_date_ test_url_ lemma mock"
).split()
# Of the regions that the default contract looks for, and what is of no region.
_ON = frozenset(
    "credit_card crypto email iban ip mac phone us_bank us_driver_license us_itin us_mbi us_npi us_passport us_ssn "
    "aba_routing uk_nhs medical_license certificate_number".split()
)
_LABELS = {
    "ip": "IP address", "mac": "MAC address", "us_bank": "bank account", "aba_routing": "routing number",
    "email": "e-mail", "crypto": "crypto wallet", "iban": "IBAN", "phone": "phone number", "us_ssn": "SSN",
    "us_itin": "ITIN", "us_mbi": "MBI", "us_npi": "NPI", "us_passport": "US passport", "uk_nhs": "NHS number",
    "us_driver_license": "driver's license", "certificate_number": "medical license",
}  # fmt: skip
_ADDRESS = re.compile(r"[0-9A-Fa-f:.-]*[:.-][0-9A-Fa-f:.-]+(?:%[0-9A-Za-z]+)?(?:/[0-9]{1,3})?")


class Case(NamedTuple):
    """One text of a test, and how many values its author counts in it."""

    test: str
    text: str
    values: int


def cases(folder: Path) -> list[Case]:
    """The cases of all recognizer tests, each once."""
    files = sorted((folder / "presidio-analyzer" / "tests").glob("test_*recognizer.py"))
    read = [each for file in files if not any(part in file.name for part in _MODELS) for each in _of_file(file)]
    return list(dict.fromkeys(read))


def _of_file(file: Path) -> Iterator[Case]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("parametrize") and len(call.args) > 1:
                yield from _of_table(file.name[len("test_") : -len("_recognizer.py")], *call.args[:2])


def _of_table(test: str, heads: ast.expr, table: ast.expr) -> Iterator[Case]:
    named = _value(heads)
    listed = named.split(",") if isinstance(named, str) else named if isinstance(named, list | tuple) else ()
    names = [str(name).strip() for name in listed]
    counts = [at for at, name in enumerate(names) if "len" in name]
    if "text" not in names or not counts or not isinstance(table, ast.List | ast.Tuple):
        return
    for row in table.elts:
        values = [_value(each) for each in row.elts] if isinstance(row, ast.Tuple) else []
        if len(values) == len(names):
            text, count = values[names.index("text")], values[counts[0]]
            if isinstance(text, str) and isinstance(count, int):
                yield Case(test, text, count)


def _value(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def labelled(case: Case) -> str:
    """The text behind a label made of the test's name."""
    return f"{_LABELS.get(case.test, case.test.replace('_', ' '))}: {case.text}"


def set_aside(case: Case) -> bool:
    """Whether all values of a positive are nobody's: a network, a machine's own address, a placeholder."""
    found = _ADDRESS.findall(case.text)
    if case.test == "ip":
        return bool(found) and all(map(_is_nobodys, found))
    return case.test == "mac" and bool(found) and all(_is_placeholder(each) for each in found if len(each) > 8)


def _is_nobodys(address: str) -> bool:
    try:
        network = ipaddress.ip_interface(address.strip(".").split("%")[0])
    except ValueError:
        return True  # 192.168.1.1.1 is no address
    host = network.ip
    return (
        host.is_loopback
        or host.is_unspecified
        or host.is_multicast
        or ("/" in address and host == network.network.network_address)
    )


def _is_placeholder(address: str) -> bool:
    """AA:BB:CC:DD:EE:FF, in each way of writing."""
    return re.sub("[^0-9a-f]", "", address.lower()) in ("aabbccddeeff", "")


def main() -> None:
    """Print the counts."""
    from datacheck.pii.analyzer import find
    from datacheck.pii.recognizers import RECOGNIZERS

    read = cases(Path(sys.argv[1]))
    for name, known, entities in (("on", _ON, None), ("all regions", None, tuple(RECOGNIZERS))):
        own = [each for each in read if known is None or each.test in known]
        positives, negatives = [each for each in own if each.values], [each for each in own if not each.values]
        for how, texts in (
            ("as written", [each.text for each in positives]),
            ("behind a label", [labelled(each) for each in positives]),
        ):
            hit = set(find(pl.Series(texts), entities)["index"])
            left = [each for at, each in enumerate(positives) if at not in hit]
            rest = sum(not set_aside(each) for each in positives)
            missed = [each for each in left if not set_aside(each)]
            print(f"{name}, {how}: {len(hit)} of {len(texts)} = {len(hit) / len(texts):.3f}", end="; ")
            print(f"without nobody's values {rest - len(missed)} of {rest} = {1 - len(missed) / rest:.3f}")
            if known and how != "as written":
                lines = [f"    missed {each}" + ", nobody's" * set_aside(each) for each in left]
                print("\n".join(lines))
        valid = find(pl.Series([each.text for each in negatives]), entities).filter(pl.col("state") == "valid")
        print(f"{name}: {valid['index'].n_unique()} of {len(negatives)} negatives with a valid hit")


if __name__ == "__main__":
    main()
