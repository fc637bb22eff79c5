"""Limits of slices: each is held to its own, and one that no row belongs to judges nothing."""

import pytest
from core_helpers import BAD, GOOD, contract, jsonl, report


def sliced(folder, command, **slices):
    jsonl(folder / "data" / "a.jsonl", *[{**GOOD, "src": "forum"}] * 3, {**BAD, "src": "shop"})
    limits = {"rate": {"max": 0.3, "slices": {name: {"max": most} for name, most in slices.items()}}}
    checks = [{"check": "role_errors", "by": "source", "limits": limits}]
    path = contract(folder, checks, source={"path": "data", "columns": {"source": "src"}})
    code, _, _ = command("run", path, "--out", folder / "out")
    return code, report(folder / "out")["findings"][0]


def test_a_slice_of_the_contract_is_found_in_the_data(tmp_path, here, command):
    code, finding = sliced(tmp_path, command, shop=1)
    assert (code, finding["status"]) == (0, "pass")  # 1 of 4 ≤ 0.3; shop 1 of 1 ≤ 1; forum 0 of 3
    by_slice = {v["slice"].get("source"): (v["count"], v["of"], v["limit"]) for v in finding["values"]}
    assert by_slice == {None: (1, 4, {"max": 0.3}), "forum": (0, 3, {"max": 0.3}), "shop": (1, 1, {"max": 1.0})}


@pytest.mark.parametrize(("name", "hint"), [("radio", ""), ("shops", "; did you mean 'shop'?")])
def test_a_slice_that_no_row_belongs_to_is_an_error(tmp_path, here, command, name, hint):
    """Misspelt, its limit would judge nothing, and shop would be held to another one."""
    code, finding = sliced(tmp_path, command, **{name: 0})
    assert (code, finding["status"]) == (3, "error")
    assert finding["error"] == f"no rows belong to the slice '{name}', so its limit was not applied{hint}"
