"""Forms that were taken for somebody's identifiers, and beside each what still is one."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

UUID = "67440261-1238-4c17-9e02-8d10a7e3f52b"


def private(text):
    found = find(pl.Series([text])).filter(pl.col("state") == "valid")
    return found["entity"].to_list()


@pytest.mark.parametrize(
    "text",
    [
        # equations with their signs in front, and sums
        '"equation": "- + 41.0 13.0 46.0"', '"equation": "+ 13.5 14.82 12.31"', "2014 + 2013 - 2012 - 2001",
        # names of techniques that begin like WeChat's
        "std::vector<uint16_t> vxlan_ports;", "id.ctx.vxlan_vni", "read the wxml_dir first.",
        # RFC 4251, 6
        "MACs umac-64-etm@openssh.com,hmac-sha2-256-etm@openssh.com", "curve25519-sha256@libssh.org", "zlib@openssh.com",
        "ecdsa-sha2-nistp384-cert-v01@openssh.com", "rijndael-cbc@lysator.liu.se",
        # a variable, who built a kernel, the number of a mail, who issues certificates
        'git config user.email "$BUILD_ACTOR@ci.datacheck.zone"', "Linux version 2.6.9 (mockbuild@hs4.build.zz.com) (gcc version 3.4)",
        "reply to <CAFq+3xyPq-09aZkTtY7w@mail.gmail.com>", "emailAddress=server-certs@zzca.com", "O=ZZ, emailAddress=pki@zzca.ee",
        # toll-free numbers of North America
        "To order a copy of the brochure call 18004317785 today", "users of a text telephone (TTY 18774312048) should wait",
        # telephones of elsewhere
        "You have 1 new message. Call 0207-183-6089", "Sie erreichen uns unter der Telefonnummer 0631-4692158",
        "Teléfono: 22661086\nFax: 22681715", "Urgent! Please call 0906346330 to hear of your holiday",
        # what machines write
        "C18.654321,21.1095195 41.1031004,20.4432 21.6131,19.4041", "C14.4352 0.0195401 12.2085 2.4125 12.2085 5.21973",
        "a.7691.7691,0,0,0,.5413.2147.7582.7584,0,0,0,.5263-1.291Z", 'data-ad-client="ca-pub-4556737586899855"',
        "<div id='div-gpt-ad-621244812093674155-oop'>", "<meta content='18807443915' property='fb:page_id'>",
        '<meta property="fb:pages" content="18938067215">', f"nav-mobile-{UUID}", f"Account {UUID}", "photos-bigMobile-66237514-132551.jpg",
        "stamps_in_a_passport_-_20110316_a.jpg", "test2__2011-03-07-12-00-05__2011-03-07-12-59-55__.log", ">>> capture_area(17209583627)",
        "pages: 961207345518826, 378219405128364, 1067220841935526",
        # examples of attacks, and other names of nobody
        "UPDATE users SET email='new@mail.com'", "Bcc:victim@evil.com", "spam@target.com", "attacker@attacker.com", "external@domainA.com",
        "hacked@zzforum.com", "login yourcompany@gmail.com", 'sender_email = "sender@gmail.com"', "From: me@en.co", "To: friend@en.co",
        "card 5500-0000-0000-0004", "payment_card: 3400-000000-00009", "patient ID 24680", "'patient_id': 54321",
        # institutions
        "编辑信箱：wangli@datacheck.zz", "abonnements@datacheck.zz", "举报电话：010-63372641 编辑信箱：bianji@datacheck.zz",
        "The Trevor Project: text 678-678-6830 at any hour", "Spendenkonto, IBAN: DE68 2105 0170 0012 3456 78, Fragen an uwe.krah@zzbund.com",
        "located at 355 Oak Creek Circle, Suite 1500, Coral Gates, FL 33134, as ever", "mail to zz-devel@vger.kernel.org",
        "物流地址：收件地址为武汉市武昌区武珞路360号省水利厅办公楼402室。电话：027-87361188",
        "Pattom 695004, Kerala. Phone: 0471-2363601",
        "收件地址为武汉市武昌区武珞路360号省应急管理厅六楼608室", "物流地址是武汉市武昌区彭刘杨路237号湖北省水产局7108室",
    ],
)  # fmt: skip
def test_not_somebodys(text):
    found = private(text)
    assert found in ([], ["EMAIL_ADDRESS"]) if "uwe.krah" in text else found == []


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("ring +49 30 212341 210", "PHONE_NUMBER"), ("tel + 49 30.21 23.41", "PHONE_NUMBER"),
        ("加vxlanlan_88", "WECHAT"), ("加vxlanny_77", "WECHAT"),
        ("damien@openssh.com", "EMAIL_ADDRESS"), ("aris.adamantiadis@libssh.org", "EMAIL_ADDRESS"),
        ("yourong.li@gmail.com", "EMAIL_ADDRESS"), ("mary.poole@target.com", "EMAIL_ADDRESS"), ("newton.evil@gmail.com", "EMAIL_ADDRESS"),
        ("me@wangxiaoming.com", "EMAIL_ADDRESS"), ("ann.lee@mail.com", "EMAIL_ADDRESS"),
        # who says that it is his, or where China is spoken of, has a mobile number
        ("Hello there, my number is 18887536419 as before", "CN_MOBILE"), ("You can call 18887536419 in Shenzhen any time", "CN_MOBILE"),
        ("The customer 18887536419 left a message", "CN_MOBILE"), ("Please contact 18887536419 for details", "CN_MOBILE"),
        ("Order for Li Wei, tel 18887536419, deliver at noon", "CN_MOBILE"), ("Reach me at 18887536419 any time", "CN_MOBILE"),
        ("请打 18887536419 找我", "CN_MOBILE"), ('{"order": 5, "phone": "18887536419"}', "CN_MOBILE"),
        ("Please call 13986936337 in the evening then", "CN_MOBILE"), ("张三-18887536419-简历.pdf", "CN_MOBILE"),
        ("located at 355 Oak Creek Circle, Apt 15, Coral Gates, FL 33134, with my mother", "ADDRESS"),
        ("收件地址为武汉市武昌区武珞路360号3单元608室，联系人王蕾，电话：027-87361188", "CN_LANDLINE"),
        ("收件地址：武汉市武昌区武珞路360号省水利厅办公楼402室，收件人王蕾，电话：027-87361188", "CN_LANDLINE"),
        ("物流地址：武汉市武昌区武珞路360号省水利厅办公楼402室，王蕾家里电话：027-87361188", "CN_LANDLINE"),
        ("Contact: 010 8295 1356", "CN_LANDLINE"), ("Telefon in Shanghai 021-5835-1356", "CN_LANDLINE"), ("電話 0906346330", "TW_PHONE"),
        ("my phone is 0906346330", "TW_PHONE"),
        ("身份证 110105.19900307.0412", "CN_RESIDENT_ID"), ("卡号 6228480402564899", "CN_BANK_CARD"),
        ("cards: 4539578763621486, 4485275742308327, 4716461583322103", "CN_BANK_CARD"),
        ("patient ID 24681", "CN_MEDICAL_RECORD"), ("passport number E20110316", "CN_PASSPORT"),
        ("Meine Spende geht ab von IBAN: DE68 2105 0170 0012 3456 78", "IBAN"),
        ("收件地址为武汉市武昌区武珞路360号省水利厅宿舍3单元608室，联系人王蕾", "ADDRESS"),
    ],
)  # fmt: skip
def test_still_somebodys(text, entity):
    assert entity in private(text)


def test_a_titled_name_ends_before_its_street():
    text = "Dr. Anna Weber Lindenwall 3 20459 Hamburg, anna.weber@zzbund.com"
    names = [text[row["start"] : row["end"]] for row in find(pl.Series([text]), names="linked").iter_rows(named=True)]
    assert "Anna Weber" in names


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("后又将被害人带至后申塘村16幢1单元503室", "后申塘村16幢1单元503室"),
        ("被告人承租了黄陵县阳光小区二期9号楼1单元201室", "黄陵县阳光小区二期9号楼1单元201室"),
        ("二人租用深圳市罗湖区龙泉花园1栋一楼", "深圳市罗湖区龙泉花园1栋一楼"),
        ("将货物提货至深圳市罗湖区龙泉花园1栋一楼", "深圳市罗湖区龙泉花园1栋一楼"),
    ],
)
def test_an_address_begins_behind_the_verb(text, address):
    found = find(pl.Series([text]), ("ADDRESS",))
    assert [text[row["start"] : row["end"]] for row in found.iter_rows(named=True)] == [address]
