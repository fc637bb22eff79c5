"""What blocked wrongly in chat rooms, logs, tests of programs and annual reports that nobody had tuned to."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find


def blocked(text):
    return find(pl.Series([text])).filter(pl.col("state") == "valid")["entity"].to_list()


ASSERTED = 'assertEquals("{}", Hider.hide("{}", Kind.OF_IT)); '


@pytest.mark.parametrize(
    "text",
    [
        "=== bramble7 [n=bramble@dialup-4-19-7-211.cust.netzwerk.de]  has joined #gardens",
        "=== bramble7 [~bramble@p5X9DD77.dip.netzwerk.de]  has left #gardens []",
        "-!- bramble7 (bramble@hostxy.netzwerk.de) has quit",
        "connection from bramble@69-12-132-188.dsl.netzwerk.net was closed",
        "Request (bramble-fake-account@gmail.com) was: read",
        '"principalEmail": "fakeemailqrs@gmail.com", "method": "insert"',
        '"From":["bingbot(at)microsoft.com"]',
        "RECV errors@mail-7-68.reachnetz.net -> queue",
        't.Fatalf("want bar, got response %+v", gearput2)',
        "read https://blog.netzwerk.zz/pypi-user-comes-back-with-many-more-names-and-unpacks-tailor-made-tools-b12669cefab7",
        "ssh -D 8000 -fN bramble@ssh.netzwerk.net",
        "a payment intent with card 4000002500003155 and 3DS",
        "Automatic Signing Key <ftpmaster@netzwerk.com>",
        "Discussions-To: gearbox-4000@gearbox.org",
        "Discussions-To: doc-sig@gearbox.org, gear-list@gearbox.org",
        "may be obtained by calling the SEC at 202-746-8090. Our website",
        ASSERTED.format("138****4477", "13850724477"),
        ASSERTED.format("b***@netzwerk.de", "bramble@netzwerk.de"),
        'assertTrue(Validator.isCitizenId("110101199003074477"));',
        "银行卡 1234 2222 3333 4444 6789 的中间几位要隐藏",
        'VALUES (?,?,?)\',["444-44-4444", "Bill", 35]',
        "let user = { name: 'John', email: 'john@doe.com' }",
        "eg4：陕A12345D  -》 陕A1****D",
    ],
)
def test_none_of_these_blocks(text):
    assert blocked(text) == []


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("write to bramble.kettlewood@netzwerk.de about it", "EMAIL_ADDRESS"),
        ("[bramble.kettlewood@netzwerk.de] wrote last week", "EMAIL_ADDRESS"),
        ("Our colleague Bram (bramble.kettlewood@netzwerk.de) has left the firm", "EMAIL_ADDRESS"),
        ("a.fakenham.kettlewood@gmail.com", "EMAIL_ADDRESS"),
        ("talbot.kettlewood@gmail.com", "EMAIL_ADDRESS"),
        ("I assert that my phone is 13850724477", "CN_MOBILE"),
        ('assertTrue(ok); String phone = "13850724477";', "CN_MOBILE"),
        ("车牌陕A52345，停在门口", "CN_PLATE"),
    ],
)
def test_these_still_do(text, entity):
    assert entity in blocked(text)
