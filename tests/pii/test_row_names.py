"""Names that nothing introduces, in a record that holds somebody's identifier."""

import pytest

from datacheck.pii.redact.row_names import row_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Drew Smith, card 1", "Drew Smith"), ("Please tell Grace Goldberg", "Grace Goldberg"),
        ("Customer: Chukwuemeka Okafor; mail", "Chukwuemeka Okafor"), ("Ship to Lars van den Berg, ", "Lars van den Berg"),
        ("Tobias Haverfjord, phone: <CN_MOBILE_v1>", "Tobias Haverfjord"), ("Holly Day, Weixin: x", "Holly Day"),
        ("Dear Ayşe Yılmaz, thanks", "Ayşe Yılmaz"), ("我是官佳琪，", "官佳琪"), ("帮罗长江查一下", "罗长江"),
        ("收件人金文学 威信：", "金文学"), ("业主高宝珠反映漏水", "高宝珠"), ("三年级二班雷星河的妈妈", "雷星河"), ("我是賴麗華，", "賴麗華"), ("投保人任如月，", "任如月"),
        ("Plaintiff Hiroshi Wright, my SSN", "Hiroshi Wright"), ("候选人Zoe Stewart，", "Zoe Stewart"),
        ("Hi, Zoe Petrov here, card", "Zoe Petrov"), ("Claimant: Zoe Martinez, send", "Zoe Martinez"),
        ("丛招弟先生，", "丛招弟"), ("客户管军，身份证号码是 <CN_RESIDENT_ID_v1>", "管军"), ("兰满仓 mobile number <CN_MOBILE_v1>", "兰满仓"), ("通知祝浩然了", "祝浩然"), ("请布莱恩·科比稍等", "布莱恩·科比"),
        ("柏若鸣 学号 2031400127 请尽快处理", "柏若鸣"),
        ("翟家骏 IMEI 490154203237518", "翟家骏"),
        ("帮我登记：柏阳，香港身份证", "柏阳"),
        ("客户资料：万一鸣，微信号 wym_2031", "万一鸣"),
        ("妈妈晋思源电话 1", "晋思源"), ("三年级二班屈文楷今天发烧", "屈文楷"), ("尊敬的崔文静：", "崔文静"), ("给导师费文玥写封信", "费文玥"),
        ("我的室友左凤文老打呼噜", "左凤文"), ("写个谢果果的退休致辞", "谢果果"), ("律师是邵城海，", "邵城海"),
        ("Cheers,\nruby horvath\nAnalyst", "ruby horvath"), ("From: Okonjo, Sarah <a@b.zz>", "Okonjo, Sarah"),
        ("a letter for X, signed Gulsen Grewal.", "Gulsen Grewal"), ("Counsel: Ihaia Vandermeer.", "Ihaia Vandermeer"),
    ],
)  # fmt: skip
def test_a_name_is_found(text, name):
    assert name in {text[each.start : each.end] for each in row_names([text]).get(0, [])}


@pytest.mark.parametrize(
    "text",
    [
        "How do I return it? Sure, let me do that.", "Summer Sale ends in July", "The Rose Garden Hotel is open",
        "请安排一下，谢谢。", "订单什么时候到？", "New York and Los Angeles", "Thank You", "客户服务，会员中心",
        "联系人高兴，", "收件人安全员 手机", "业主反映漏水", "员工安全培训", "被告住重庆", "客户高兴地说", "员工申请调岗",
        "Student Loan Forgiveness, call",
    ],
)  # fmt: skip
def test_other_words_are_none(text):
    assert row_names([text]) == {}


def test_a_party_is_no_part_of_a_name():
    """Else "Plaintiff Hiroshi Wright" would be one name, and "Hiroshi Wright" another."""
    text = "Plaintiff Hiroshi Wright, my SSN"
    assert {text[found.start : found.end] for found in row_names([text])[0]} == {"Hiroshi Wright"}
