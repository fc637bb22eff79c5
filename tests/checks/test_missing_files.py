import json

import pytest

from datacheck.check import Listing, Ratio, Status
from datacheck.checks.missing_files import MissingFiles
from datacheck.contract import artifacts
from datacheck.contract.load import load_contract
from datacheck.errors import ContractError
from datacheck.session.session import validate
from datacheck.testing import finding, measure

pytestmark = pytest.mark.usefixtures("here")  # nothing here is about processes

THERE = Listing(named="images", names=("a.png", "b/c.png", "b/Cat.JPG", "图.png", "s.wav"))


def talk(content="看", **more):
    return {"messages": [{"role": "user", "content": content}, {"role": "assistant", "content": "好"}], **more}


def part(**more):
    return talk([more, {"type": "text", "text": "看"}])


@pytest.mark.parametrize(("row", "where"), [
    (talk(images=["{}"]), "images[0]"),
    (talk(image="{}"), "image"), (talk(image_path="{}"), "image_path"), (talk(video_paths=["{}"]), "video_paths[0]"),
    (talk(images=[{"path": "{}", "bytes": None}]), "images[0].path"),
    (talk(audios=["a.png", "{}"]), "audios[1]"),
    (talk(videos=[["a.png", "{}"]]), "videos[0][1]"),
    (part(type="image", image="{}"), "messages[0].content[0].image"),
    (part(type="image_url", image_url={"url": "{}"}), "messages[0].content[0].image_url.url"),
    (part(type="video", video=["a.png", "{}"]), "messages[0].content[0].video[1]"),
    (part(type="image_url", value="{}"), "messages[0].content[0].value"),
    (part(type="image", value="{}"), "messages[0].content[0].value"),
    (part(type="audio_url", value="{}", loss_weight=0.0), "messages[0].content[0].value"),
    (part(type="video", path="{}"), "messages[0].content[0].path"),
    (part(type="image", url="{}"), "messages[0].content[0].url"),
    (part(type="video", value=["a.png", "{}"]), "messages[0].content[0].value[1]"),
])  # fmt: skip
def test_wherever_a_row_names_a_file(row, where):
    def run(path):
        return measure(MissingFiles(media=THERE), [json.loads(json.dumps(row).replace("{}", path))])

    assert run("gone.png").places == [(0, where, "missing_file")]
    assert run("gone.png").value("rate") == Ratio(1, 1)
    assert run("b/c.png").value("rate") == Ratio(0, 1)


@pytest.mark.parametrize("row", [
    part(type="reasoning", value="gone.png"), part(type="tool_call", value='{"name": "image"}'), part(value="gone.png"),
    talk([{"type": "image", "value": "a.png"}, {"type": "reasoning", "value": "看 gone.png"}]),
])  # fmt: skip
def test_other_parts_name_no_file(row):
    assert measure(MissingFiles(media=THERE), [row]).value("rate") == Ratio(0, 1)


@pytest.mark.parametrize(("path", "problem", "detail"), [
    (".", "missing_file", None), ("./a.png", None, None), ("b//c.png", None, None), (r"b\c.png", None, None), ("图.png", None, None),
    ("A.png", "missing_file", "differs in case only: a.png"), ("b/cat.jpg", "missing_file", "differs in case only: b/Cat.JPG"),
    ("c.png", "missing_file", "the same name elsewhere: b/c.png"), ("x.png", "missing_file", ""),
    ("/etc/passwd", "outside_root", ""), ("../a.png", "outside_root", ""), ("b/../a.png", "outside_root", ""),
    ("C:/a.png", "outside_root", ""), (r"\\host\a.png", "outside_root", ""), ("a.png\u0000", "missing_file", ""),
    (".*", "missing_file", ""), ("b", "missing_file", ""), ("a" * 5000, "missing_file", ""),
])  # fmt: skip
def test_paths(path, problem, detail):
    result = measure(MissingFiles(media=THERE), [talk(images=[path])])
    assert [found for _, found in result.problems] == ([problem] if problem else [])
    if detail:
        assert detail in result.first[0]["detail"]


def test_what_is_far_away_is_named_and_not_looked_at():
    rows = [
        talk(
            images=[
                "https://example.com/a.png",
                "data:image/png;base64,AAAA",
                "s3://bucket/x.png",
                "iVBORw0KGgo+/" * 40,
                "a.png",
            ]
        )
    ]
    result = measure(MissingFiles(media=THERE), rows)
    assert result.value("rate") == Ratio(0, 1)
    assert result.not_checked == ("4 URLs and data: texts are not looked at",)


@pytest.mark.parametrize(("row", "wrong"), [
    (talk("<image>看", images=["a.png"]), False),
    (talk("<image><image>看", images=["a.png"]), True),
    (talk("<image>看", images=["a.png", "b/c.png"]), True),
    (talk("看", images=["a.png"]), False),
    (talk("<image>看<audio>", images=["a.png"], audios=["s.wav", "s.wav"]), True),
    (talk("写一个 <image> 标签"), False),
    (part(type="image", image="a.png"), False),
])  # fmt: skip
def test_marks_and_files(row, wrong):
    result = measure(MissingFiles(media=THERE), [row])
    assert result.value("wrong_count") == Ratio(int(wrong), 1)
    assert [problem for _, problem in result.problems] == ["wrong_count"] * wrong


def test_rows_that_name_nothing():
    result = measure(MissingFiles(media=THERE), [talk(), talk(images=[])])
    assert result.value("rate") == Ratio(0, 2)
    assert result.not_checked == ("no row names a file",)
    assert measure(MissingFiles(media=THERE), []).value("rate") is None


def test_without_a_folder_it_is_an_error_with_a_hint():
    found = finding(MissingFiles(), [talk(images=["a.png"])])
    assert found.status is Status.ERROR
    assert "source.media" in measure(MissingFiles(), [talk(images=["a.png"])]).not_checked[0]


def test_by_source():
    rows = [talk(images=["a.png"], src="x"), talk(images=["gone.png"], src="y")]
    result = measure(MissingFiles(media=THERE, by="source"), rows, source={"columns": {"source": "src"}})
    assert result.value("rate", source="y") == Ratio(1, 1)
    assert result.value("rate", source="x") == Ratio(0, 1)


# ── the folder ────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def folder(tmp_path):
    (tmp_path / "images/b").mkdir(parents=True)
    for name in ("a.png", "b/c.png"):
        (tmp_path / "images" / name).write_bytes(b"x")
    (tmp_path / "secret.png").write_bytes(b"x")
    (tmp_path / "images/out.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "images/up").symlink_to(tmp_path)
    rows = [talk(images=[name]) for name in ("a.png", "b/c.png", "out.png", "up/secret.png")]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return tmp_path


def contract(folder, media="images"):
    path = folder / "contract.yaml"
    path.write_text(
        f"name: vl\ndatasets:\n  train:\n    source: {{path: rows.jsonl, media: {media}}}\n"
        "    checks: [{check: missing_files}]\n",
        encoding="utf-8",
    )
    return path


def found(report):
    return next(f for f in report.findings if f.check == "missing_files")


def test_a_run_lists_the_folder_and_follows_no_link_out_of_it(folder):
    report = validate(contract(folder), out=folder / "out")
    assert [(value.count, value.of) for value in found(report).values if value.name == "rate"] == [(2, 4)]
    assert len(report.inputs["train.media"]) == 64


def test_what_is_in_the_folder_decides_like_a_setting(folder):
    before = load_contract(contract(folder)).inputs["train.media"]
    (folder / "images/a.png").write_bytes(b"xy")
    resized = load_contract(contract(folder)).inputs["train.media"]
    (folder / "images/a.png").unlink()
    assert len({before, resized, load_contract(contract(folder)).inputs["train.media"]}) == 3
    assert [v.count for v in found(validate(contract(folder), out=folder / "out")).values if v.name == "rate"] == [3]


def test_the_operator_may_name_another_folder(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "out.png").write_bytes(b"x")
    report = validate(contract(folder), {"train.media": other}, out=folder / "out")
    assert [value.count for value in found(report).values if value.name == "rate"] == [3]


@pytest.mark.parametrize(("media", "message"), [
    ("../elsewhere", "outside the contract's folder"), ("nowhere", "no such folder"), ("rows.jsonl", "no such folder"),
])  # fmt: skip
def test_a_folder_that_cannot_be_listed(folder, media, message):
    with pytest.raises(ContractError, match=message):
        load_contract(contract(folder, media))


def test_too_many_files(folder, monkeypatch):
    monkeypatch.setattr(artifacts, "MAX_MEDIA", 1)
    with pytest.raises(ContractError, match="more than 1 files"):
        load_contract(contract(folder))
