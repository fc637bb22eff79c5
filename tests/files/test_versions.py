"""What a version is: the truth about hashes comes from sha256sum and from the rule computed here by hand."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from core_helpers import GOOD, contract, jsonl, report
from hypothesis import given
from hypothesis import strategies as st

from datacheck.errors import LoadError, UsageError
from datacheck.files import versions
from datacheck.files.versions import Version, differences, read_manifest, scan, version_id, write_manifest


def files(folder: Path, **content: str) -> Path:
    for name, text in content.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_hashes_are_those_of_sha256sum_and_every_file_counts(tmp_path):
    folder = files(tmp_path / "v", a="x" * 3_000_001, sub__b="y", _dot_hidden="z", empty="", _SUCCESS="")
    found = scan(folder)
    said = subprocess.run(
        ["sha256sum", *sorted(file.path for file in found.files)],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert [f"{file.sha256}  {file.path}" for file in found.files] == said.splitlines()
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {file.path for file in found.files} == there == {"a", "sub/b", ".hidden", "empty", "_SUCCESS"}
    assert {file.path: file.bytes for file in found.files} == {p: (folder / p).stat().st_size for p in there}


def test_the_id_by_hand():
    """sha256 of [["a",1,"aa"],["b",2,"bb"]], as printf | sha256sum gives it."""
    said = subprocess.run(
        'printf \'%s\' \'[["a",1,"aa"],["b",2,"bb"]]\' | sha256sum', shell=True, capture_output=True, check=True
    ).stdout
    assert version_id([("b", 2, "bb"), ("a", 1, "aa")]) == "sha256:" + said.decode().split()[0]


def test_the_report_gives_a_plain_drop_the_same_id(tmp_path, here, command):
    jsonl(tmp_path / "data" / "b.jsonl", GOOD)
    jsonl(tmp_path / "data" / "sub" / "a.jsonl", GOOD)
    command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert report(tmp_path / "out")["datasets"]["train"]["version"] == scan(tmp_path / "data").id


@given(st.dictionaries(st.text("ab/.", min_size=1), st.tuples(st.integers(0, 9), st.sampled_from("01"))), st.randoms())
def test_the_order_of_files_does_not_count_and_everything_else_does(content, random):
    entries = [(name, size, sha) for name, (size, sha) in content.items()]
    mixed = random.sample(entries, len(entries))
    assert version_id(entries) == version_id(mixed)
    for at, (name, size, sha) in enumerate(entries):
        for other in ((name + "x", size, sha), (name, size + 1, sha), (name, size, sha + "0")):
            assert version_id([*entries[:at], other, *entries[at + 1 :]]) != version_id(entries)


def test_only_the_closed_list_is_not_counted(tmp_path):
    ours = ["_MANIFEST.json", "verdict.dsse.json", "_LEDGER_HEAD.json", f"waivers/{'a' * 64}.dsse.json", "_report/x/y"]
    near = [
        "sub/_MANIFEST.json",
        "verdict.dsse.json.bak",
        "sub/verdict.dsse.json",
        "waivers/x.dsse.json",
        f"waivers/sub/{'a' * 64}.dsse.json",
        "_MANIFEST.json\n",
        "_reports/x",
        "x/_report/y",
        ".verdict.dsse.json.tmp",
    ]
    for name in [*ours, *near]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert {file.path for file in scan(tmp_path).files} == set(near)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda f: (f / "link").symlink_to(f / "a"), "link: a symbolic link"),
        (lambda f: (f / "link").symlink_to("/nowhere"), "link: a symbolic link"),
        (lambda f: (f / "sub" / "up").symlink_to(f), "sub/up: a symbolic link"),
        (lambda f: os.mkfifo(f / "pipe"), "pipe: no regular file"),
        (lambda f: Path(os.fsdecode(os.fsencode(f) + b"/\xff.jsonl")).write_text(""), "the name is no UTF-8"),
    ],
)
def test_what_no_version_may_hold(tmp_path, make, said):
    folder = files(tmp_path / "v", a="x", sub__b="y")
    make(folder)
    for ask in (scan, versions.names):
        with pytest.raises(LoadError) as error:
            ask(folder)
        assert said in str(error.value)


@pytest.mark.parametrize("back", [False, True])
def test_a_swapped_folder_is_not_followed(tmp_path, monkeypatch, back):
    """Before each open of a walk and hash, a folder becomes a link out of the version; the secret never counts.

    With `back` it is itself again after that one open.
    """
    folder = files(tmp_path / "v", sub__a="inside")
    files(tmp_path / "out", a="secret")
    inside = scan(tmp_path / "v" / "sub" / "a").files[0].sha256
    swapped, real, left = False, os.open, 0

    def swap():
        nonlocal swapped
        if swapped:
            (folder / "sub").unlink()
            (tmp_path / "away").rename(folder / "sub")
        else:
            (folder / "sub").rename(tmp_path / "away")
            (folder / "sub").symlink_to(tmp_path / "out")
        swapped = not swapped

    def opened(*args, **more):
        nonlocal left
        left -= 1
        if left == 0 or (back and left == -1):
            swap()
        return real(*args, **more)

    monkeypatch.setattr(versions.os, "open", opened)
    said = []
    for moment in range(1, 20):
        left = moment
        try:
            said.append({file.sha256 for file in scan(folder, threads=1).files})
        except LoadError:
            said.append("refused")
        if left > 0:  # the scan came to its end before this moment
            break
        if swapped:
            swap()
    assert left > 0
    assert {inside} in said
    assert "refused" in said
    assert all(one in ("refused", {inside}) for one in said), said


def test_a_file_that_grows_while_it_is_hashed(tmp_path, monkeypatch):
    folder = files(tmp_path / "v", a="x")
    digest = versions._digest

    def slow(descriptor, *more):
        found = digest(descriptor, *more)
        with (folder / "a").open("a") as file:
            file.write("more")
        return found

    monkeypatch.setattr(versions, "_digest", slow)
    with pytest.raises(LoadError, match="changed while it was read"):
        scan(folder)


def test_differences_are_named():
    def made(**content):
        entries = tuple(versions.File(name, len(text), text * 8) for name, text in sorted(content.items()))
        return Version(version_id(entries), entries)

    old = made(same="1", changed="2", gone="3", before="4")
    new = made(same="1", changed="5", added="6", after="4")
    told = ["before: was renamed to after", "changed: was changed", "gone: was removed", "added: was added"]
    assert list(map(str, differences(old, new))) == told
    assert differences(old, old) == []


def test_a_name_with_a_phone_number_is_masked_in_messages(tmp_path):
    (tmp_path / "13912348765.jsonl").symlink_to("/nowhere")
    with pytest.raises(LoadError) as error:
        scan(tmp_path)
    assert "139****65" in str(error.value)
    assert "13912348765" not in str(error.value)


# --- manifest ---


def test_a_manifest_says_what_is_there(tmp_path, command):
    folder = files(tmp_path / "v", a="x", sub__b="y")
    code, out, _ = command("manifest", folder)
    value = json.loads((folder / "_MANIFEST.json").read_bytes())
    assert (code, value["schema"], value["version"]) == (0, "datacheck/manifest/1", out.split()[0])
    assert [entry["path"] for entry in value["files"]] == ["a", "sub/b"]
    assert read_manifest(folder) == scan(folder)
    assert command("manifest", folder)[0] == 0  # the same again
    assert sorted(path.name for path in folder.iterdir()) == ["_MANIFEST.json", "a", "sub"]


def test_another_manifest_is_kept_unless_forced(tmp_path, command):
    folder = files(tmp_path / "v", a="x")
    write_manifest(folder)
    (folder / "a").write_text("y")
    code, _, err = command("manifest", folder)
    assert code == 2
    assert "a: was changed" in err
    assert command("manifest", folder, "--force")[0] == 0
    assert read_manifest(folder) == scan(folder)


def test_a_single_file_is_a_version_too(tmp_path):
    path = files(tmp_path, one="x") / "one"
    found = write_manifest(path)
    assert (tmp_path / "one._MANIFEST.json").exists()
    assert read_manifest(path) == found == scan(path)
    path.rename(tmp_path / "two")
    assert scan(tmp_path / "two").id != found.id


def test_an_empty_folder_is_no_version(tmp_path):
    with pytest.raises(UsageError, match="holds no file"):
        write_manifest(tmp_path)


def test_a_manifest_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    folder = files(tmp_path / "v", a="x")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        write_manifest(folder)
    assert [path.name for path in folder.iterdir()] == ["a"]


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.pop("version"),
        lambda v: v.update(more=1),
        lambda v: v.update(schema="datacheck/manifest/2"),
        lambda v: v.update(version="sha256:" + "0" * 64),
        lambda v: v["files"].reverse(),
        lambda v: v["files"].append(v["files"][0]),
        lambda v: v["files"][0].update(path="../a"),
        lambda v: v["files"][0].update(path="/a"),
        lambda v: v["files"][0].update(path="verdict.dsse.json"),
        lambda v: v["files"][0].update(path="\ud800"),
        lambda v: v["files"][0].update(bytes=True),
        lambda v: v["files"][0].update(bytes=1.0),
        lambda v: v["files"][0].update(bytes=-1),
        lambda v: v["files"][0].update(sha256="A" * 64),
    ],
)
def test_a_broken_manifest_is_an_error_not_an_absent_one(tmp_path, change):
    folder = files(tmp_path / "v", a="x", b="y")
    write_manifest(folder)
    value = json.loads((folder / "_MANIFEST.json").read_bytes())
    change(value)
    if isinstance(value.get("files"), list) and "version" in value and value["version"] != "sha256:" + "0" * 64:
        value["version"] = version_id(
            [(f["path"], f["bytes"], f["sha256"]) for f in value["files"] if f["path"].isascii()]
        )
    (folder / "_MANIFEST.json").write_text(json.dumps(value))
    with pytest.raises(LoadError, match="not a manifest"):
        read_manifest(folder)


# --- loaders read only what is listed ---


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: (f / "new.jsonl").write_text("{}"), "new.jsonl: is not in _MANIFEST.json"),
        (lambda f: (f / ".hidden").write_text("{}"), ".hidden: is not in _MANIFEST.json"),
        (lambda f: (f / "a.jsonl").unlink(), "a.jsonl: is in _MANIFEST.json, but not there"),
        (lambda f: (f / "l.jsonl").symlink_to(f / "a.jsonl"), "l.jsonl: a symbolic link"),
        (lambda f: (f / "_MANIFEST.json").write_text("{"), "not a manifest"),
    ],
)
def test_a_drop_that_is_not_its_manifest_is_not_read(tmp_path, here, command, change, said):
    folder = jsonl(tmp_path / "data" / "a.jsonl", GOOD).parent
    jsonl(folder / "b.jsonl", GOOD)
    write_manifest(folder)
    assert command("run", contract(tmp_path), "--out", tmp_path / "out")[0] == 0
    change(folder)
    code, _, err = command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert code == 3
    assert said in err


def test_one_file_of_a_drop_must_be_listed_too(tmp_path, here, command):
    folder = jsonl(tmp_path / "data" / "a.jsonl", GOOD).parent
    write_manifest(folder)
    jsonl(folder / "late.jsonl", GOOD)
    rules = contract(tmp_path)
    assert command("run", rules, "--data", f"train={folder / 'a.jsonl'}", "--out", tmp_path / "out")[0] == 0
    code, _, err = command("run", rules, "--data", f"train={folder / 'late.jsonl'}", "--out", tmp_path / "out")
    assert code == 3
    assert "late.jsonl: is not in the manifest of its folder" in err
    jsonl(folder / "a.jsonl", GOOD, GOOD)
    assert command("run", rules, "--data", f"train={folder / 'a.jsonl'}", "--out", tmp_path / "out")[0] == 3


@pytest.mark.parametrize("single", [False, True])
def test_what_a_killed_writer_left_is_swept_and_nothing_else(tmp_path, single):
    folder = files(tmp_path / "v", one="x")
    path = folder / "one" if single else folder
    left = versions.sidecar(path, "verdict.dsse.json")
    left = left.with_name(f".{left.name}.{'0a' * 8}")
    near = [left.with_name(left.name + "0"), left.with_name(left.name[1:]), left.with_name(".a.jsonl." + "0a" * 8)]
    for file in [left, *near]:
        file.write_text("half")
    write_manifest(path)
    assert not left.exists()
    assert all(file.exists() for file in near)


def test_changed_content_is_an_error_also_without_a_signature(tmp_path, here, command):
    folder = jsonl(tmp_path / "data" / "a.jsonl", GOOD).parent
    write_manifest(folder)
    jsonl(folder / "a.jsonl", GOOD, GOOD)
    code, _, _ = command("run", contract(tmp_path), "--out", tmp_path / "out")
    assert code == 3
    (error,) = {finding["error"] for finding in report(tmp_path / "out")["findings"]}
    assert "a.jsonl: differs from the manifest" in error


def test_files_of_the_gate_are_no_data_and_change_no_report(tmp_path, here, command):
    folder = jsonl(tmp_path / "data" / "a.jsonl", GOOD).parent
    rules = contract(tmp_path, source={"path": "data", "glob": "**"})
    command("run", rules, "--out", tmp_path / "before")
    for name in ("verdict.dsse.json", f"waivers/{'a' * 64}.dsse.json"):
        jsonl(folder / name, {"no": "row"})
    write_manifest(folder)
    command("run", rules, "--out", tmp_path / "after")
    assert report(tmp_path / "before") == report(tmp_path / "after")


def test_names_in_messages_hide_numbers_of_people_and_not_ids():
    number = "0123456789" * 6 + "abcd"
    assert versions.shown(f"versions/{number}/call 13812345678.jsonl") == f"versions/{number}/call 138****78.jsonl"
    assert versions.shown("0123456789" * 7) == "012****89"


def test_many_renamed_files_are_told_in_one_pass():
    """Found by content; in the worst order a search for each would take minutes."""
    old = [versions.File(f"{n:06}", 1, f"{n:064x}") for n in range(50_000)]
    new = [versions.File(f"x{n:06}", 1, f"{49_999 - n:064x}") for n in range(50_000)]
    start = time.process_time()
    told = differences(Version("", tuple(old)), Version("", tuple(new)))
    assert time.process_time() - start < 5
    assert str(told[0]) == "000000: was renamed to x049999"
    assert len(told) == 50_000


def test_what_is_hashed_is_told(tmp_path):
    folder = files(tmp_path / "v", a="x" * 3_000_000, b="y" * 5)
    heard = []
    found = scan(folder, tell=heard.append)
    assert sum(heard) == found.bytes == 3_000_005
    assert max(heard) <= 1024**2
