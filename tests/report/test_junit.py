import re
import xml.etree.ElementTree as ET

from datacheck.report.faces.junit import render as render_junit

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def structure(text):
    return [(e.tag, sorted(e.attrib)) for e in ET.fromstring(text.encode()).iter()]


def test_suites_cases_and_counts(build):
    root = ET.fromstring(render_junit(build("forum")).encode())
    assert [(s.get("name"), s.get("tests"), s.get("failures"), s.get("errors")) for s in root] == [
        ("train", "5", "1", "1"),
        ("forum2", "1", "0", "1"),
        ("datacheck", "1", "0", "1"),  # the run was interrupted
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("7", "1", "3")
    failure = root.find("testsuite/testcase[@name='forum']/failure")
    assert failure.get("message") == "rate 0.12 > 0.03 (144 of 1,200)"
    assert "train/forum:17  forum  forum" in failure.text
    assert root.find("testsuite/testcase[@name='roles']").find("*") is None
    assert root.find("testsuite/testcase[@name='exact']/system-out").text.startswith("warn")


def test_strict_warnings_fail(make):
    report = make.report(make.finding("warn", values=(make.value(status="warn"),)), strict=True)
    assert ET.fromstring(render_junit(report)[39:]).get("failures") == "1"


def test_no_findings_is_never_green(make):
    assert ET.fromstring(render_junit(make.report()).encode()).get("errors") == "1"


def test_payloads_change_no_structure(build, payload):
    text = render_junit(build(payload))
    assert structure(text) == structure(render_junit(build()))
    assert not ILLEGAL.search(text)


def test_all_known_payloads_change_no_structure(build_all, payloads):
    text = render_junit(build_all(payloads))
    assert structure(text) == structure(render_junit(build_all(payloads, "x")))
    assert not ILLEGAL.search(text)


def test_illegal_characters_are_shown_not_dropped(make):
    assert "a\\u{0}b\\u{fffe}" in render_junit(make.report(make.finding("error", error="a\x00b\ufffe")))


def test_bytes_are_the_same(build):
    assert render_junit(build()) == render_junit(build())


def test_machines_are_spoken_to_in_english(build):
    assert render_junit(build(), "zh", {}) == render_junit(build())
