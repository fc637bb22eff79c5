"""What blocked wrongly in tests of programs, documents and pages that nobody had tuned to."""

import polars as pl
import pytest

from datacheck.pii.analyzer import find

GO = 'func TestCards(t *testing.T) {{\n\ttests := []struct{{v string; ok bool}}{{\n\t\t{{"{}", true}},\n'
JAVA = 'class CardsTest {{\n  private static final String VALID = "{}";\n'


def blocked(text):
    return find(pl.Series([text])).filter(pl.col("state") == "valid")["entity"].to_list()


@pytest.mark.parametrize(
    "text",
    [
        GO.format("4539578763621486"),
        GO.format("219-09-9998"),
        JAVA.format("DE75512108001245126199"),
        JAVA.format("13850724477"),
        "import pytest\n\nCARD = '4539578763621486'\n",
        "when the trace of calls is just UNKNOWN(19254731862) from the kernel",
        "Login failed for db:garden login:toto4@netzwerk.fr from 172.19.0.1",
        "thread ea-mime-65644089-5f53-529258e0@www.gmail.com of the list",
        "owa/gardenmailbox@netzwerk.com",
        "You'll receive an email from gearbox@e.gearbox.org to confirm",
        "[mailto:%20hello@gearbox.de] Impressum",
        "[mailto:draft-kettlewood-gearbox@tools.netzwerk.org] Tracker",
        "Gearbox team, Red Garden (gear-maint@redgarden.com)",
        "Telefon +49(0)6321-7741\u20130, Urheberrechtshinweis",
        "Produkte\n [tel:+41448261177]\nMo-Fr 10-18:30, Sa 09-16:00",
        "Copyright © 梧桐商报网络传媒有限公司 版权所有\n苏ICP备00000000号 邮箱：wutong3993@163.com\n",
        "联系我们 -\n 广告服务\n客服电话：010-85637741 传真：010-85637742 邮箱：yhwt@staff.wutong.com \n本站声明",
        " 医院地址：湖南省长沙市梧桐路59号 24小时急救电话：0731-88837741\n传真：0731-88837742 邮箱：wtyy77@163.com\n",
        "未经允许不得转载，请联系market#wutong.net(#换成@)",
        "值班邮箱：wutong3993@163.com",
        "体育总局主办 梧桐总局 邮编：100763 联系电话：010-87187741 信访电话：010-87187742 网站",
        "Wutong News Co. Ltd. All rights reserved. 电话：021-38937741 地址：上海浦东新区梧桐路18号 邮编",
        "网球中心 订场电话：13850724477 电子邮箱：oc@wutongsports.com Copyright @ 梧桐体育发展有限公司",
        "意见（地址：北京市梧桐大街5号中央文明办二局；联系电话：010-58677741",
        "恭候您的意见 - 联系我们 - 客服电话：010-85637741 邮箱：yhwt@staff.wutong.com \n",
        "| cust10 | <gearbox10@gearbox.com> |",
        'spew.Printf("gear3: %#v -- gear4: %#+v", gearput3, gearput4)',
        "被告：浙江梧桐建设集团有限公司，住所地：诸暨市陶朱街道城西开发区梧桐路77号。被告未作答辩。",
        "import { wrap } from 'wx-garden-kit'",
        "describe('cards', () => {\n  const valid = [\n    '4539578763621486',\n",
        "Tel: 214.939.7741 CONTACT US",
        "[mailto:appsupport@gearbox.com] Contact Us",
        "suser=gear2@prod1.domain.com shost=prod1.domain.com",
        "WHERE phone >= 13800000000 AND phone < 13900000000",
        "Medical Record Number: M123456789",
        "| John | john.kettle@school.com | Room 101 |",
    ],
)
def test_none_of_these_blocks(text):
    assert blocked(text) == []


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ('class Cards {\n  private static final String OWNER = "13850724477";\n', "CN_MOBILE"),
        ("class CardsTest {\n  // ask 13850724477 when this fails\n", "CN_MOBILE"),
        (JAVA.format("bramble.kettlewood@netzwerk.de"), "EMAIL_ADDRESS"),
        ("版权所有 © 王梧桐 苏ICP备00000000号 邮箱：wutong3993@163.com", "EMAIL_ADDRESS"),
        ("梧桐有限公司 版权所有 我的邮箱：wutong3993@163.com", "EMAIL_ADDRESS"),
        ("- Bram Kettle <me@kettle.me.uk>", "EMAIL_ADDRESS"),
        ("加我 wx-gardenkit77", "WECHAT"),
        ("被告王某，住所地：诸暨市陶朱街道城西开发区梧桐路77号3单元501室。", "ADDRESS"),
        ("Medical Record Number: M193456781", "CN_MEDICAL_RECORD"),
        ("please call Anna at WHATSAPP(13850724477)", "CN_MOBILE"),
        ("Kontakt Anna Gerber, Telefon +49 6321 774112, Mobil", "PHONE_NUMBER"),
        ("my mail is bram.kettlewood@gearbox.kettle.de", "EMAIL_ADDRESS"),
        ("def test_it(): pass\n\n# my card is 4539578763621486\n", "CN_BANK_CARD"),
    ],
)
def test_these_still_block(text, entity):
    assert blocked(text) == [entity]
