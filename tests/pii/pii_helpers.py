"""Shared by the PII tests: real data, and strings made to be hard."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

REALDATA = Path(os.environ.get("DATACHECK_REALDATA") or Path(__file__).parents[2].parent / "shared" / "realdata")
if not REALDATA.is_dir():
    # a worktree lies one level deeper than the repository
    REALDATA = Path(__file__).parents[2].parent.parent / "shared" / "realdata"


def leaves(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)


def _records(path: Path) -> Iterator[object]:
    text = path.read_text("utf-8")
    try:
        yield json.loads(text)
    except ValueError:
        yield from map(json.loads, filter(None, text.split("\n")))


def realdata(source: str) -> pl.Series:
    """All string leaves of the JSON and JSONL files of one source; skips the test where it is absent."""
    if not (REALDATA / source).is_dir():
        pytest.skip("realdata is absent")
    paths = [path for path in sorted((REALDATA / source).rglob("*")) if path.suffix in (".json", ".jsonl")]
    texts = [text for path in paths for record in _records(path) for text in leaves(record)]
    assert texts
    return pl.Series(texts, dtype=pl.String)


ATOMS = [
    *"0123456789", *"0123456789", *"ABXxz .-_@:/\\=+*^，。：（）()", "１", "８", "Ｘ", "＠", "．", "٣", "१", "𝟙", "①", "⓪", "²", "½",
    "\u200b", "\u00ad", "\ufe0f\u20e3", "\u0301", "\u3164", "\u202e", "\u202c", "\x00", "\n", "\u3000", "\u00a0", "—",
    "一", "三", "八", "〇", "零", "壹", "幺", "十", "手机", "身份证", "账号", "元", "人", "\\u0031", "\\n", "&#49;", "\\ud83d", "&#x38;",
    "138", "13800138000", "13912348765", "+86", "0086-", "110105", "19491231", "002X", "110105194912310021", "440524188001010014",
    "4111111111111111", "6222020200112233", "4111-1111-", "zhang@qq.com", "a@b.co", "example.com", "sk-", "AKIA", "ghp_", "LTAI",
    "abcdEFGH1234abcdEFGH1234", "185.60.216.0", ".1.2.3", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
    # labels and pieces of every other entity
    "护照", "passport no ", "E12345", "EA1", "G", "H", "M", "通行证", "台胞证", "香港", "澳门", "台湾", "身分證", "A12", "(3)", "（", "车牌", "京A", "粤B·", "沪",
    "D12345", "F", "学", "使", "WJ", "信用代码", "91350100M000100Y43", "MA1", "社保卡", "医保", "驾驶证", "档案编号", "住院号", "MRN", "开户", "银行账号", "对公",
    "QQ", "扣扣", "加Q", "微信号", "vx", "wechat ", "zhang_san88", "IMEI", "490154203237518", "86", "010-", "0571", "021", "(", ")", "转", "电话", "Tel", "62345678",
    "6.8.5.", "SSN", "078-05-1120", "219-", "09-", "ITIN", "900-70-", "NHS", "943 476 5919", "DEA", "AB1234563", "BTC", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "bc1q", "0x", "de0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", "DE89", "3704 0044 ", "0532013000", "GB", "IBAN ", "00:1A:", "2B:3C:", "4D:5E", "3c-be-", "MAC", "2001:",
    "db8:", "::", "fe80", "[.]", " . ", "[at]", " dot ", "39.9042", "116.4074", ", ", "纬度", "°", "′", "″N", "北京市", "朝阳区", "建国路", "街", "村", "小区", "88号", "3栋", "2单元",
    "501室", "弄", "号楼", "123 Main ", "Street", "St, ", "Springfield, IL 62704", "地址", "住在", "姓名", "姓 名：", "我叫", "名字是", "张伟", "李", "欧阳", "先生", "女士", "阿·布",
    "my name is ", "Name: ", "Mr. ", "John ", "Smith", "生日", "出生于", "born on ", "May 6, 1990", "1990-05-06", "1990年5月", "一九九〇年五月", "日", "出生", "password", "=", "密码是",
    "Zx9!kd82", "://", "user:", "pass@", "token: ", "eyJhbGciOi", ".eyJzdWIiOi", "sk_live_", "npm_", "SG.", ":AA", "\\t", "\\r", "\t",
]  # fmt: skip


def hostile_texts(seed: int, count: int) -> list[str]:
    """Random concatenations of pieces of identifiers, separators and disguises."""
    rng = random.Random(seed)
    return ["".join(rng.choices(ATOMS, k=rng.randrange(1, 30))) for _ in range(count)]


def broken_values(seed: int, count: int) -> list[str]:
    """Values of every entity with one to three random changes, between pieces of others."""
    from datacheck.pii.canaries import canary
    from datacheck.pii.recognizers import RECOGNIZERS

    rng = random.Random(seed)
    return [_broken(canary(rng.choice(list(RECOGNIZERS)), rng.randrange(10**6)), rng) for _ in range(count)]


def _broken(value: str, rng: random.Random) -> str:
    for _ in range(rng.randrange(4)):
        at, atom = rng.randrange(len(value)), rng.choice(ATOMS)
        kind = rng.randrange(4)
        value = value[:at] + (atom, "", atom + value[at], value[at] * 2)[kind] + value[at + 1 :] or atom
    if rng.random() < 0.2:
        joint = rng.choice(["\u200b", " ", "-", ".", "\u3000", "·", "\n", "\\n", "\t"])
        value = joint.join(value)
    return "".join(rng.choices(ATOMS, k=rng.randrange(4))) + value + "".join(rng.choices(ATOMS, k=rng.randrange(4)))
