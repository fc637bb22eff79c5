"""What stands for any value, shows a form or is a house's own is nobody's; a private value in the same place blocks."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

# each line: the place, what is nobody's there and as what it is known (None: as nothing), what is somebody's there
PLACES = [
    # hosts and names that stand for any
    ("rsync -av some/path {}:/backup", "wren@server.com", "specimen", "wren.holloway@penbrook.net"),
    ('ssh -S ctl -O exit "{}"', "wh@sampledomain.com", "specimen", "wh@holloway-sons.net"),
    ("请写信至{}，并注明编号", "lawyer@lawfirm.com", "specimen", "liangwen@hengdelaw.cn"),
    ("to=<{}>: 550 User unknown", "bogususer@penbrook.net", "specimen", "bogumil@penbrook.net"),
    ("ssh -X {}", "whoever@penbrook.net", "specimen", "whoeler@penbrook.net"),
    # the number of a mail, an address of a machine
    ("looked at {} again", "3F0A77C1.5081442@penbrook.net", None, "wren77.5081442@penbrook.net"),
    ("links of {} in tree", "pi@192.168.7.PI", None, "pi@192168.penbrook.it"),
    ("from=<{}> to=<moon@sun.com>", "sun@moon.com", "specimen", "wren@moon.com"),
    # mailboxes of a role, spelt or of more tongues
    ("Follow us: {}", "info[at]penbrook[dot]org", "public", "wren.holloway[at]penbrook[dot]org"),
    ("rejected, mail to <{}>", "noreply-kqjzhfnwoiruyvbxnmdhtr@penbrook.net", "public", "nora.reply@penbrook.net"),
    ("Contact: {}", "photo@penbrook.net", "public", "anna.photo@penbrook.net"),
    ("Annonser: {}", "annons@penbrook.se", "public", "annika@penbrook.se"),
    # numbers that show a form, that climb, of a switchboard
    ("Start with + and add the country code, like {}.", "+14159083807", "specimen", None),
    ("Text me, I like you: {}", "", None, "+14159083807"),
    ("my number is {}", "+44 7911 123456", "specimen", "+44 7911 128456"),
    ("Telefon {}", "+49 (0)30 254871-0", "public", "+49 (0)30 254871-38"),
    ("Bundesministerium, Telefon {}", "+49 30 18254 8713", "public", None),
    ("Bundesministerium, Frau Holl, privat {}", "", None, "+49 30 18254 8713"),
    ("Phone: {}", "18005550143", "specimen", "18005571943"),
    ("我是小林，电话 {}", "", None, "18005550143"),
    ("Ruf gleich an und sichere dir einen Platz bei uns für das Fest, Tel.: {}", "08322 978 520", None, None),
    ("请打我家电话 {}", "", None, "0832-2978520"),
    # what a test of a program is given, sums, buildings that are counted or closed, the lines of a guide
    ('\n * > findLargest("{}")', "15532277444", None, None),
    ('\narg20 = "{}"\nx2 = find_largest(arg20)', "15532277444", None, None),
    ('y = find_largest("{}")', "15555177777", "specimen", "15532277441"),
    ("打我电话{}", "", None, "15555177777"),
    ('\n * > sendSms("{}")', "", None, "15532277441"),
    ('\nuser.phone = "{}"', "", None, "15532277441"),
    ("{}", "+ 35 27 62.0", None, "+49 30 254871"),
    ("{}共有7个单元，每个单元住14户", "桂花小区1号楼", None, None),
    ("他住{}，家里有7口人", "", None, "桂花小区1号楼2单元503室"),
    ("即刻起，{}调整为中风险地区", "津南区辛庄镇桂花园5号楼", "public", None),
    ("病例居住在{}，调整为中风险地区", "", None, "津南区辛庄镇桂花园5号楼"),
    (
        "Old Mill 42.277324 -89.088142 {}, USA (815) 965-3431 https://oldmill.org/",
        "737 Wren St, Rockford, IL 61103",
        "public",
        None,
    ),
    ("My home 42.277324 -89.088142 {}, USA https://oldmill.org/", "", None, "737 Wren St, Rockford, IL 61103"),
    ("Old Mill 42.277324 -89.088142 x (815) 965-3432, USA, tel {}", "", None, "(815) 965-3431"),
    (
        "order a pizza to be delivered to {} through",
        "1234 Elm St, Los Angeles, CA 90012",
        "specimen",
        "1237 Elm St, Los Angeles, CA 90012",
    ),
    ("pix = w / pix_per_wx , {} ) ;", "pixy_per_wy", None, None),
    ("我的wx，{}", "", None, "pixy_per_wy"),
    ("info [cpsrvd] 10.1.5.19 - {}", "emailaccount@penbrook.net", "specimen", "emilaccont@penbrook.net"),
    ('"loginName": "{}"', "wren.holloway@acme.com", "specimen", "wren.holloway@acmena.com"),
    ('"principalEmail": "{}"', "00000000@cloudbuild.gserviceaccount.com", None, "wren@gserviceaccounts.com"),
    ('check_email("{}")', "my.ownsite@penbrook.org", "specimen", "my.own@penbrook.org"),
    ("BUSINESS PHONE: {}", "6302272811", "public", None),
    # a word that ends in the sign of a province
    ("网卡是大{}的", "吉ln1020", None, None),
    ("车停在大门口，{}的", "", None, "吉ln1020"),
    ("2020年发行的债券简称20桂林高{}已到期", "新SCP003", None, None),
    ("车牌是{}", "", None, "新SCP003"),
    ("推荐您去老街，电话是{}。", "025-52231002", "public", None),
    ("推荐您去找林伟，电话是{}。", "", None, "025-52231002"),
]


def state(text, value):
    at = text.index(value)
    hits = find(pl.Series([text])).filter((pl.col("start") < at + len(value)) & (pl.col("end") > at))
    return set(hits.filter(~pl.col("entity").is_in(["PERSON", "DATE_OF_BIRTH"]))["state"])


@pytest.mark.parametrize(("place", "value", "known"), [(place, each, how) for place, each, how, _ in PLACES if each])
def test_it_is_nobodys(place, value, known):
    assert state(place.format(value), value) <= ({known} if known else set())


@pytest.mark.parametrize(("place", "value"), [(place, own) for place, _, _, own in PLACES if own])
def test_somebodys_in_the_same_place_blocks(place, value):
    assert state(place.format(value), value) == {"valid"}
