"""Every pattern of a check that has Chinese in it matches the traditional forms as well."""

import importlib
import pkgutil
import re

import datacheck.checks
from datacheck.text.chinese import _traditional, in_both_scripts

STAND_INS = "小河从村子的东边流过"  # texts that are planted, no patterns


def strings(value):
    if isinstance(value, re.Pattern):
        value = value.pattern
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from strings(each)
    elif isinstance(value, dict):
        yield from strings(list(value.values()))


def is_simplified_alone(text):
    return any(not any(form in text for form in _traditional()[char]) for char in text if char in _traditional())


def test_patterns_are_of_both_scripts():
    left = {}
    for found in pkgutil.iter_modules(datacheck.checks.__path__):
        module = importlib.import_module(f"{datacheck.checks.__name__}.{found.name}")
        constants = {name: list(strings(value)) for name, value in vars(module).items() if not name.startswith("__")}
        every = "\n".join(text for texts in constants.values() for text in texts)
        for name, texts in constants.items():
            # a part of other patterns, which are
            alone = [each for each in texts if is_simplified_alone(each) and in_both_scripts(each) not in every]
            if alone and not alone[0].startswith(STAND_INS):
                left[f"{found.name}.{name}"] = alone
    assert left == {}
