"""Webhooks: what is posted where, and what a refusal looks like. The receiver is a plain HTTP server on loopback."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from datacheck import validate
from datacheck.errors import UsageError
from datacheck.i18n.message import Message
from datacheck.registry.publish import Outcome
from flows.notify import Webhook, alarm, body, message, send
from flows.publish import notify
from flows.rules import Rulebook
from flows.validate import artifact

SECRET = "hook-0a1b2c3d"


class Receiver(BaseHTTPRequestHandler):
    """Keeps what was posted; answers with what the test set."""

    posted: list[bytes] = []
    answer = b"{}"
    status = 200

    def do_POST(self):
        type(self).posted.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.status)
        if self.status == 302:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver(monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Receiver.posted, Receiver.answer, Receiver.status = [], b"{}", 200
    monkeypatch.setenv("HOOK", f"http://127.0.0.1:{server.server_port}/{SECRET}")
    yield Receiver
    server.shutdown()
    server.server_close()


# The fields stand in the providers' documentation of text messages.
@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("feishu", lambda sent: sent["content"]["text"] if sent["msg_type"] == "text" else None),
        ("wecom", lambda sent: sent["text"]["content"] if sent["msgtype"] == "text" else None),
        ("slack", lambda sent: sent["text"]),
    ],
)
def test_each_provider_gets_its_own_shape(receiver, kind, read):
    receiver.answer = {"feishu": b'{"code":0}', "wecom": b'{"errcode":0}', "slack": b"ok"}[kind]
    assert send(Webhook(kind=kind, url="env:HOOK"), "训练集未通过\n3 fail") is None
    (posted,) = receiver.posted
    assert read(json.loads(posted)) == "训练集未通过\n3 fail"


@pytest.mark.parametrize(
    ("kind", "answer"), [("feishu", b'{"code":19001,"msg":"param invalid"}'), ("wecom", b"<html>")]
)
def test_a_refusal_that_comes_with_200_is_seen(receiver, kind, answer):
    receiver.answer = answer
    assert "refused the message" in send(Webhook(kind=kind, url="env:HOOK"), "x")


@pytest.mark.parametrize("status", [302, 404, 500])
def test_an_error_or_a_redirect_is_told_without_the_address(receiver, status):
    receiver.status = status
    said = send(Webhook(kind="slack", url="env:HOOK"), "x")
    assert said == f"slack answered {status}"
    assert len(receiver.posted) == 1  # the redirect was not followed
    assert SECRET not in said


def test_nobody_there(monkeypatch):
    monkeypatch.setenv("HOOK", f"http://127.0.0.1:1/{SECRET}")
    said = send(Webhook(kind="slack", url="env:HOOK"), "x")
    assert "could not be reached" in said
    assert SECRET not in said


@pytest.mark.parametrize("address", ["", "http://example.org/x", "file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_only_https_leaves_the_machine(monkeypatch, address):
    monkeypatch.setenv("HOOK", address)
    with pytest.raises(UsageError, match="env:HOOK"):
        Webhook(kind="slack", url="env:HOOK").address()


def test_the_address_itself_is_no_parameter():
    with pytest.raises(ValueError, match="url"):
        Webhook(kind="slack", url="https://hooks.example.org/secret")


def test_a_message_has_figures_and_no_data(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"messages": [{"role": "老师", "content": "13812345678"}]}\n', encoding="utf-8")
    contract = tmp_path / "c.yaml"
    contract.write_text("name: c\ndatasets: {train: {source: a.jsonl, checks: [role_errors, too_few_rows]}}\n")
    report = validate(contract, out=tmp_path / "out")
    for lang, verdict in (("en", "FAILED"), ("zh", "未通过")):
        text = message(report, "sha256:" + "a" * 64, "https://reports/13812345678/", lang)
        assert "13812345678" not in text
        assert "老师" not in text
        assert verdict in text
        assert "train.role_errors" in text
        assert len(text.splitlines()) <= 6


def test_without_an_address_of_reports_the_folder_is_told(tmp_path, receiver):
    (tmp_path / "a.jsonl").write_text('{"messages": [{"role": "user", "content": "hello"}]}\n', encoding="utf-8")
    contract = tmp_path / "c.yaml"
    contract.write_text("name: c\ndatasets: {train: {source: a.jsonl, checks: [role_errors]}}\n")
    validate(contract, out=tmp_path / "v" / "_report")
    number = hashlib.sha256(b"a version").hexdigest()
    (tmp_path / "v").rename(tmp_path / number)
    outcome = Outcome("quarantined", f"sha256:{number}", tmp_path / number, "fail", "c", known=False, seq=1)
    rules = Rulebook(
        registry=tmp_path, contract=contract, sign="env:NONE", webhooks=[Webhook(kind="slack", url="env:HOOK")]
    )
    assert notify(rules, outcome) == []
    assert notify(rules.model_copy(update={"report_url": "https://reports/{version}"}), outcome) == []
    one, other = (json.loads(each)["text"] for each in receiver.posted)
    assert one.endswith(f"/{number}")
    assert other.endswith(f"https://reports/{number}")


def test_the_table_of_a_run_says_what_came_of_each_check_and_where_its_report_lies(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text('{"messages": [{"role": "user", "content": "hello"}]}\n', encoding="utf-8")
    contract = tmp_path / "c.yaml"
    contract.write_text("name: c\ndatasets: {train: {source: a.jsonl, checks: [role_errors]}}\n")
    made = []
    monkeypatch.setattr("flows.validate.create_table_artifact", lambda **told: made.append(told))
    report = validate(contract, out=tmp_path / "out")
    for place in ("https://reports/1", "/srv/reports/1"):
        artifact(report, place)
    told = [(line["status"], line["finding"], line["places"]) for line in made[0]["table"]]
    assert told[0] == ("fail", "train.role_errors", 1)
    assert {status for status, *_ in told[1:]} == {"pass"}
    assert [each["description"].rpartition(": ")[2] for each in made] == [
        "[https://reports/1](https://reports/1)", "`/srv/reports/1`",
    ]  # fmt: skip


def test_bodies_are_utf8():
    assert "飞书".encode() in body("feishu", "飞书")


def test_an_alarm_is_posted_to_all_in_their_language(receiver):
    """What `serve` says as it ends, where no look happens: people who do not read its standard error hear of it."""
    what = Message("datacheck serve: {why}", why=Message("there was no look for {seconds:g} s", seconds=180))
    told = alarm([Webhook(kind="slack", url="env:HOOK", lang="en"), Webhook(kind="slack", url="env:NONE")], what)
    assert [json.loads(each)["text"] for each in receiver.posted] == ["datacheck serve: there was no look for 180 s"]
    assert len(told) == 1
    assert "env:NONE" in str(told[0])
    assert SECRET not in str(told)
