"""The values of `independent_identifiers` in texts as people and machines write them, their places marked.

- `wrap(value, entity, rng)` puts a value into a sentence, a JSON document, a CSV file or a chat.
- `DISGUISES[name](value, rng)` writes a value in another way; `DISGUISES_OF[entity]` says which ways make sense.
- `example(entity, rng)` draws a value and does both.

All of them give character offsets into the text as it stands, escapes included: `text[start:end]` is the value as
written there, `value` is the value before any disguise or escape. For a URL with a password the value is the whole URL,
for `password=…` only the password: a finding is fairly judged by its overlap with the span, not by equality.
"""

import json
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from independent_identifiers import BARE_FORMS, DIGITS, FORMS, generate


class Planted(NamedTuple):
    """One identifier in a text; `start` and `end` are character offsets."""

    text: str
    start: int
    end: int
    entity: str
    value: str


# --- labels and sentences ---


class Labels(NamedTuple):
    """What people call the thing: in Chinese, in English, as the key of a record."""

    zh: tuple[str, ...]
    en: tuple[str, ...]
    keys: tuple[str, ...]


LABELS: dict[str, Labels] = {
    "CN_RESIDENT_ID": Labels(
        ("身份证号", "身份证号码", "公民身份号码", "证件号码"),
        ("ID card number", "national ID"),
        ("id_card", "idNo", "身份证号"),
    ),
    "CN_RESIDENT_ID/residence": Labels(
        ("港澳台居民居住证号", "居住证号码"), ("residence permit number",), ("residence_permit_no", "居住证号")
    ),
    "CN_RESIDENT_ID/foreigner2017": Labels(
        ("外国人永久居留身份证号", "永久居留证号码"), ("permanent residence card number",), ("pr_card_no", "永居证号")
    ),
    "CN_RESIDENT_ID/foreigner2023": Labels(
        ("外国人永久居留身份证号", "永居证号码"), ("permanent residence card number",), ("pr_card_no", "永居证号")
    ),
    "CN_MOBILE": Labels(
        ("手机号", "手机", "联系电话", "电话"), ("mobile", "phone number", "cell phone"), ("mobile", "phone", "手机号")
    ),
    "CN_LANDLINE": Labels(
        ("固定电话", "座机", "办公电话", "电话"), ("office phone", "telephone", "tel"), ("tel", "telephone", "座机")
    ),
    "CN_BANK_CARD": Labels(
        ("银行卡号", "卡号", "储蓄卡号"), ("bank card number", "card number"), ("card_no", "bankCard", "银行卡号")
    ),
    "CN_PASSPORT": Labels(
        ("护照号", "护照号码", "护照"), ("passport number", "passport no."), ("passport_no", "passport", "护照号")
    ),
    "HK_MACAU_PERMIT/home_return": Labels(
        ("港澳居民来往内地通行证号", "回乡证号", "回乡证"),
        ("home return permit", "Mainland Travel Permit"),
        ("home_return_permit", "回乡证号"),
    ),
    "HK_MACAU_PERMIT/mainland": Labels(
        ("港澳通行证号", "往来港澳通行证号码"), ("Hong Kong and Macau permit",), ("hk_macau_permit", "港澳通行证")
    ),
    "TW_PERMIT/compatriot": Labels(
        ("台胞证号", "台湾居民来往大陆通行证号码", "台胞证"),
        ("Taiwan compatriot permit",),
        ("taiwan_compatriot_permit", "台胞证号"),
    ),
    "TW_PERMIT/mainland": Labels(
        ("大陆居民往来台湾通行证号", "台湾通行证号"), ("Taiwan travel permit",), ("taiwan_permit", "台湾通行证")
    ),
    "HK_ID": Labels(("香港身份证号", "香港身份證號碼"), ("HKID", "Hong Kong ID card number"), ("hkid", "香港身份证")),
    "MACAU_ID": Labels(
        ("澳门身份证号", "澳門居民身份證編號"), ("Macau ID card number", "BIR number"), ("macau_id", "澳门身份证")
    ),
    "TW_ID/national": Labels(
        ("身分證字號", "台湾身份证号"), ("Taiwan ID number", "national ID (Taiwan)"), ("tw_id", "身分證字號")
    ),
    "TW_ID/resident": Labels(
        ("居留證號碼", "外來人口統一證號"), ("Taiwan ARC number", "ARC number"), ("arc_no", "居留證號碼")
    ),
    "CN_PLATE": Labels(
        ("车牌号", "车牌", "车牌号码"), ("license plate", "plate number"), ("plate_no", "plate", "车牌号")
    ),
    "CN_USCC": Labels(
        ("统一社会信用代码", "社会信用代码", "纳税人识别号"),
        ("unified social credit code", "USCC"),
        ("uscc", "credit_code", "统一社会信用代码"),
    ),
    "CN_SOCIAL_SECURITY": Labels(
        ("社保卡号", "社会保障卡号"), ("social security card number",), ("social_security_card", "社保卡号")
    ),
    "CN_SOCIAL_SECURITY/office": Labels(
        ("社保编号", "个人社保号", "社保电脑号"), ("social insurance number",), ("social_security_no", "社保编号")
    ),
    "CN_SOCIAL_SECURITY/id": Labels(
        ("社会保障号码", "社保号"), ("social security number",), ("social_security_no", "社会保障号码")
    ),
    "CN_DRIVING_LICENCE": Labels(
        ("驾驶证号", "驾照号", "机动车驾驶证号码"),
        ("driver's license number", "driving licence no."),
        ("driving_licence", "驾驶证号"),
    ),
    "CN_DRIVING_LICENCE/file": Labels(
        ("驾驶证档案编号", "驾照档案编号"), ("driving licence file number",), ("licence_file_no", "驾驶证档案编号")
    ),
    "MEDICAL_RECORD": Labels(
        ("病历号", "住院号", "门诊号", "病案号"),
        ("medical record number", "MRN", "patient ID"),
        ("mrn", "medical_record_no", "病历号"),
    ),
    "CN_BANK_ACCOUNT": Labels(
        ("银行账号", "对公账号", "收款账号", "开户行账号"),
        ("bank account number", "account no."),
        ("account_no", "bankAccount", "银行账号"),
    ),
    "QQ": Labels(("QQ号", "QQ", "qq号码", "企鹅号"), ("QQ", "QQ number"), ("qq", "qq_number", "QQ号")),
    "WECHAT": Labels(("微信号", "微信", "微信ID"), ("WeChat ID", "WeChat"), ("wechat", "wechat_id", "微信号")),
    "EMAIL_ADDRESS": Labels(("邮箱", "电子邮箱", "邮箱地址"), ("email", "e-mail address"), ("email", "mail", "邮箱")),
    "IP_ADDRESS": Labels(("IP地址", "登录IP", "客户端IP"), ("IP address", "client IP"), ("ip", "client_ip", "IP地址")),
    "MAC_ADDRESS": Labels(("MAC地址", "网卡地址", "设备MAC"), ("MAC address",), ("mac", "mac_addr", "MAC地址")),
    "IMEI": Labels(("IMEI", "手机串号", "IMEI码"), ("IMEI", "IMEI number"), ("imei", "IMEI")),
    "GPS": Labels(
        ("GPS坐标", "定位", "经纬度", "位置坐标"), ("GPS coordinates", "location"), ("gps", "location", "坐标")
    ),
    "CN_ADDRESS": Labels(
        ("家庭住址", "收货地址", "地址", "住址"), ("home address", "shipping address"), ("address", "addr", "地址")
    ),
    "DATE_OF_BIRTH": Labels(
        ("出生日期", "生日", "出生年月日"), ("date of birth", "DOB", "birthday"), ("birth_date", "dob", "出生日期")
    ),
    "PERSON": Labels(
        ("姓名", "联系人", "收件人", "患者姓名"),
        ("full name", "patient name", "contact person"),
        ("name", "contact_name", "姓名"),
    ),
    "SECRET": Labels(
        ("密钥", "API密钥", "访问令牌"), ("API key", "access token", "secret"), ("api_key", "token", "secret")
    ),
    "SECRET/password": Labels(
        ("密码", "登录密码", "数据库密码"), ("password", "passwd"), ("password", "pwd", "db_password")
    ),
    "SECRET/url": Labels(("数据库连接", "连接串"), ("connection string", "DATABASE_URL"), ("database_url", "dsn")),
    "SECRET/pem": Labels(("私钥", "证书私钥"), ("private key",), ("private_key", "ssh_key")),
    "US_SSN": Labels(("美国社会安全号", "SSN"), ("SSN", "Social Security number"), ("ssn", "social_security_number")),
    "IBAN": Labels(("IBAN", "国际银行账号", "IBAN账号"), ("IBAN", "IBAN number"), ("iban", "IBAN")),
}

SLOT = "\ue000"  # a private-use character stands for the value while a text is composed
LABELLED_ZH = (
    "{label}：{slot}",
    "{label}: {slot}，其余信息见附件。",
    "{label}是{slot}。",
    "客户预留的{label}为{slot}，请尽快核实。",
    "【{label}】{slot}",
    "补充一下，{label}（{slot}）之前登记有误。",
    "以下是登记信息。\n{label}\t{slot}\n备注：无",
)
LABELLED_TIGHT = (
    "我的{label}是{slot}麻烦帮忙查一下",
    "系统里{label}为{slot}的记录已经注销",
    "登记的{label}{slot}已经核实过了",
    "请把{label}改成{slot}谢谢",
)
LABELLED_EN = (
    "{label}: {slot}",
    "My {label} is {slot}.",
    "Please update the {label} to {slot} before Friday.",
    "The {label} on file ({slot}) is out of date.",
    "{label} = {slot}; see the attached form",
)
LABELLED_MIXED = (
    "这个 case 的 {en} 是 {slot}，pls check 一下",
    "Hi 老师，{label}：{slot}，thx!",
    "用户 profile 里 {label}={slot} 需要 update",
    "{en}（{label}）: {slot}",
)
LABELLED_CHAT = (
    "客服：您好，请提供一下{label}\n用户：{slot}",
    "[10:32] 小助手: 麻烦发下{label}\n[10:33] 我: {slot} 这个",
    "user: what's the {label} again?\nassistant: {label} is {slot}",
    "在吗？{label}{slot}，急[抱拳]",
    "{label} {slot} 收到请回复哈～",
)
BARE_ZH: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("{slot}，这个人上次来登记过。", "麻烦帮我查下{slot}有没有违章", "名单里的{slot}已经核销。"),
    "CN_MOBILE": (
        "有事打{slot}找我",
        "快递到了打{slot}就行，谢谢",
        "他换号了，新的是{slot}。",
        "{slot}晚上八点以后方便",
    ),
    "CN_LANDLINE": ("有问题请拨打{slot}咨询。", "前台是{slot}，上班时间都有人", "投诉请打{slot}，我们会回复"),
    "CN_BANK_CARD": ("钱打到{slot}就行", "请转到{slot}，工商银行的。", "{slot}这张已经挂失了"),
    "HK_ID": ("{slot}已于上周登记。", "申请人持{slot}入境"),
    "CN_PLATE": ("{slot}违停被拍了", "那辆{slot}的白色轿车挡住出口了。", "请{slot}的车主尽快挪车"),
    "CN_USCC": ("开票抬头发你了，{slot}。", "经查询{slot}状态为存续"),
    "EMAIL_ADDRESS": ("简历请发到{slot}谢谢", "资料发我{slot}就好。", "已抄送{slot}，请查收。"),
    "IP_ADDRESS": ("昨晚{slot}一直在扫我们的端口", "来自{slot}的请求被拒绝。", "我ping {slot}不通"),
    "MAC_ADDRESS": ("把{slot}加进白名单", "交换机上看到{slot}在频繁漂移。"),
    "GPS": ("我在{slot}附近，过来接我", "车最后停在{slot}。"),
    "CN_ADDRESS": ("快递送到{slot}放门口就行", "我住{slot}，到了打电话。", "寄到{slot}，谢谢"),
    "SECRET": ("先用 {slot} 顶一下，明天换掉", "配置里写的是 {slot} 。"),
    "US_SSN": ("表格里填的是{slot}。", "{slot} 已提交给国税局"),
    "IBAN": ("请汇款至 {slot} ，谢谢。", "货款打到{slot}即可"),
}
BARE_EN: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("Found a record for {slot} in the old table.",),
    "CN_MOBILE": ("Call me at {slot} tomorrow.", "text {slot} when you arrive"),
    "CN_LANDLINE": ("You can reach the front desk at {slot}.",),
    "CN_BANK_CARD": ("I paid with {slot} yesterday.", "Charge {slot} please, exp 09/29."),
    "HK_ID": ("The applicant {slot} arrived on Monday.",),
    "CN_PLATE": ("The car {slot} was towed.",),
    "CN_USCC": ("The invoice goes to {slot}.",),
    "EMAIL_ADDRESS": ("Write to {slot} for details.", "cc: {slot}"),
    "IP_ADDRESS": ("Failed login from {slot} at 03:14", "ssh root@{slot} does not answer"),
    "MAC_ADDRESS": ("Device {slot} joined the network.",),
    "GPS": ("Meet me at {slot}.", "The phone was last seen at {slot}"),
    "CN_ADDRESS": ("Please deliver to {slot} by noon.",),
    "SECRET": ("export X={slot}", "Authorization: Bearer {slot}"),
    "US_SSN": ("He wrote {slot} on the form.",),
    "IBAN": ("Please transfer 250 EUR to {slot}.",),
}
# A name between Han characters needs a word that ends it for a reader.
PERSON_TIGHT = (
    "患者{slot}的检查报告已出",
    "申请人{slot}已到场",
    "收件人{slot}的包裹在驿站",
    "联系人{slot}的资料已归档",
)

STYLES = ("zh", "tight", "en", "mixed", "chat", "json", "json_escaped", "csv", "bare_zh", "bare_en")
LABELLED_STYLES = tuple(style for style in STYLES if not style.startswith("bare"))


def styles_of(entity: str, form: str) -> tuple[str, ...]:
    """The carriers that make sense: without a label only where the form speaks for itself."""
    if form == "pem":  # a block of many lines does not stand within a sentence
        return ("zh", "en", "chat", "json", "json_escaped", "csv", "bare_en")
    return STYLES if form in BARE_FORMS.get(entity, ()) else LABELLED_STYLES


def _labels(entity: str, form: str) -> Labels:
    return LABELS.get(f"{entity}/{form}") or LABELS[entity]


def _zh_label(value: str, entity: str, form: str, rng: Random) -> str:
    """A Chinese label; none that ends in Latin letters which a reader could take for the value's first ones."""
    blurs = value[:1].isalpha() or entity in {"IP_ADDRESS", "MAC_ADDRESS"}
    return rng.choice([label for label in _labels(entity, form).zh if not (blurs and label[-1].isascii())])


def _template(value: str, entity: str, form: str, style: str, rng: Random) -> str:
    """A sentence with the slot in it."""
    if style == "bare_zh":
        return rng.choice(BARE_ZH[entity]).format(slot=SLOT)
    if style == "bare_en":
        return rng.choice(BARE_EN[entity]).format(slot=SLOT)
    sentences = {"tight": LABELLED_TIGHT, "en": LABELLED_EN, "mixed": LABELLED_MIXED, "chat": LABELLED_CHAT}
    chosen = rng.choice(PERSON_TIGHT if (entity, style) == ("PERSON", "tight") else sentences.get(style, LABELLED_ZH))
    labels = _labels(entity, form)
    english = rng.choice(labels.en)
    label = english if style == "en" or chosen.startswith("user:") else _zh_label(value, entity, form, rng)
    if (entity, form, style) == ("SECRET", "password", "en") and rng.random() < 0.5:
        chosen = "{label}={slot}"
    return chosen.format(label=label, en=english, slot=SLOT)


def _fill(text: str, slot: str, written: str, entity: str, value: str) -> Planted:
    start = text.index(slot)
    return Planted(text.replace(slot, written), start, start + len(written), entity, value)


def _in_json(value: str, entity: str, form: str, rng: Random, *, escaped: bool) -> Planted:
    """RFC 8259: the value as a member, or a sentence with it; `escaped` writes all but ASCII as \\uXXXX."""
    if rng.random() < 0.5:
        document = {"id": rng.randint(1, 9999), rng.choice(_labels(entity, form).keys): SLOT, "status": "ok"}
    else:
        document = {"role": "user", "content": _template(value, entity, form, "zh", rng), "turn": rng.randint(1, 9)}
    text, slot, written = (json.dumps(part, ensure_ascii=escaped) for part in (document, SLOT, value))
    return _fill(text, slot[1:-1], written[1:-1], entity, value)


def _in_csv(value: str, entity: str, form: str, rng: Random) -> Planted:
    """RFC 4180: a header and a row; a field with a comma, a quote or a line end stands in quotes."""
    written = value.replace('"', '""')
    field = f'"{SLOT}"' if any(char in value for char in ',"\n') else SLOT
    key = rng.choice(_labels(entity, form).keys)
    return _fill(f"序号,{key},状态\n{rng.randint(1, 999)},{field},已审核\n", SLOT, written, entity, value)


def wrap(value: str, entity: str, rng: Random, form: str | None = None, style: str | None = None) -> Planted:
    """The value in a natural text of the given style (`STYLES`), its place marked.

    Without `form` the first form of the entity is assumed; without `style` one that suits the form is drawn.
    """
    form = form or next(iter(FORMS[entity]))
    style = style or rng.choice(styles_of(entity, form))
    if style not in styles_of(entity, form):
        raise ValueError(f"{entity}/{form} needs a label, style {style} has none")
    if style.startswith("json"):
        return _in_json(value, entity, form, rng, escaped=style == "json_escaped")
    if style == "csv":
        return _in_csv(value, entity, form, rng)
    return _fill(_template(value, entity, form, style, rng), SLOT, value, entity, value)


# --- disguises ---


def plain(value: str, _rng: Random) -> str:
    return value


def fullwidth(value: str, _rng: Random) -> str:
    """ASCII as U+FF01 … U+FF5E, as a Chinese input method writes it."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value)


def zero_width(value: str, _rng: Random) -> str:
    return "\u200b".join(value)


def _groups(value: str) -> list[str]:
    """As people group the number when they read it out: by its length, the letters of a document apart."""
    letters = re.match(r"[A-Z]+(?=\d{7,10}$)", value)
    if letters:
        return [letters[0], *_groups(value[letters.end() :])]
    if len(value) == 18:
        sizes = [6, 8, 4]
    elif len(value) == 11 and value[:2] not in {"01", "02"} and value[0] == "0":
        sizes = [4, 3, 4]
    elif len(value) == 11:
        sizes = [3, 4, 4]
    else:
        sizes = [4] * (len(value) // 4 + 1)
    parts, at = [], 0
    for size in sizes:
        parts.append(value[at : at + size])
        at += size
    return [part for part in parts if part]


def spaced(value: str, _rng: Random) -> str:
    return " ".join(_groups(value))


def spaced_digits(value: str, _rng: Random) -> str:
    return " ".join(value)


def dashed(value: str, _rng: Random) -> str:
    return "-".join(_groups(value))


def dotted(value: str, _rng: Random) -> str:
    return ".".join(_groups(value))


def circled(value: str, _rng: Random) -> str:
    """U+24EA and U+2460 … U+2468."""
    return value.translate(str.maketrans(DIGITS, "⓪①②③④⑤⑥⑦⑧⑨"))


def chinese_numerals(value: str, rng: Random) -> str:
    """Digit by digit (二〇二四, 五〇一室); one or two digits before Han as a number (十二月, 三十一日)."""
    digits = str.maketrans(DIGITS, rng.choice("〇零") + "一二三四五六七八九")

    def cardinal(match: re.Match[str]) -> str:
        number = int(match[0])
        tens, ones = divmod(number, 10)
        if number < 10:
            return match[0].translate(digits)
        head = "" if tens == 1 else str(tens)
        return f"{head}十{ones or ''}".translate(digits)

    return re.sub(r"(?<!\d)\d{1,2}(?=[\u4e00-\u9fff])", cardinal, value).translate(digits)


def _between_han(rng: Random, label: str) -> str:
    before, after = rng.choice((("就是这个", "别记错了"), ("我填的", "对吗"), ("上面写着", "请核对")))
    return f"{before}{label}{SLOT}{after}"


def _json_string(value: str, rng: Random, label: str) -> tuple[str, str]:
    """The document with an escaped slot, and the value as escaped in it."""
    text = json.dumps({"type": "text", "msg": f"{label}：{SLOT}，请查收"})
    # UTF-16 code units, so that the escape is right for every character.
    raw = value.encode("utf-16-be")
    units = [raw[i : i + 2].hex() for i in range(0, len(raw), 2)]
    everything = "".join(f"\\u{unit}" for unit in units)
    return text, everything if rng.random() < 0.25 else json.dumps(value)[1:-1]


def between_han(value: str, rng: Random, label: str = "") -> str:
    """Directly between Han characters, no space on either side."""
    return _between_han(rng, label).replace(SLOT, value)


def json_string(value: str, rng: Random, label: str = "") -> str:
    r"""A JSON document whose string holds the value; Han, in one of four also the value itself, as \uXXXX."""
    text, written = _json_string(value, rng, label)
    return text.replace(json.dumps(SLOT)[1:-1], written)


DISGUISES: dict[str, Callable[[str, Random], str]] = {
    "plain": plain,
    "fullwidth": fullwidth,
    "zero_width": zero_width,
    "spaced": spaced,
    "spaced_digits": spaced_digits,
    "dashed": dashed,
    "dotted": dotted,
    "circled": circled,
    "chinese_numerals": chinese_numerals,
    "between_han": between_han,
    "json_string": json_string,
}
WHOLE_TEXT = ("between_han", "json_string")  # these make a text around the value, not another writing of it

_ALL = tuple(DISGUISES)
_LETTERED = ("plain", "fullwidth", "zero_width", "spaced", "circled", "between_han", "json_string")
_CODE = ("plain", "fullwidth", "zero_width", "between_han", "json_string")
DISGUISES_OF: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": _ALL,
    "CN_MOBILE": _ALL,
    "CN_LANDLINE": _ALL,
    "CN_BANK_CARD": _ALL,
    "CN_BANK_ACCOUNT": _ALL,
    "CN_DRIVING_LICENCE": _ALL,
    "CN_SOCIAL_SECURITY": _ALL,
    "QQ": ("plain", "fullwidth", "zero_width", "spaced_digits", "circled", "chinese_numerals", *WHOLE_TEXT),
    "IMEI": ("plain", "fullwidth", "zero_width", "spaced", "dashed", "circled", *WHOLE_TEXT),
    "CN_PASSPORT": (*_LETTERED, "chinese_numerals"),
    "HK_MACAU_PERMIT": (*_LETTERED, "chinese_numerals"),
    "TW_PERMIT": (*_LETTERED, "chinese_numerals"),
    "HK_ID": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "MACAU_ID": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "TW_ID": _LETTERED,
    "CN_PLATE": ("plain", "fullwidth", "zero_width", "spaced_digits", "circled", *WHOLE_TEXT),
    "CN_USCC": ("plain", "fullwidth", "zero_width", "spaced", "dashed", *WHOLE_TEXT),
    "MEDICAL_RECORD": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "WECHAT": _CODE,
    "EMAIL_ADDRESS": _CODE,
    "IP_ADDRESS": _CODE,
    "MAC_ADDRESS": _CODE,
    "GPS": ("plain", "fullwidth", "zero_width", *WHOLE_TEXT),
    "CN_ADDRESS": ("plain", "fullwidth", "zero_width", "chinese_numerals", *WHOLE_TEXT),
    "DATE_OF_BIRTH": ("plain", "fullwidth", "zero_width", "circled", "chinese_numerals", *WHOLE_TEXT),
    "PERSON": ("plain", "zero_width", "spaced_digits", "json_string"),
    "SECRET": ("plain", "zero_width", *WHOLE_TEXT),
    "US_SSN": ("plain", "fullwidth", "zero_width", "circled", *WHOLE_TEXT),
    "IBAN": ("plain", "fullwidth", "zero_width", "spaced", "dashed", *WHOLE_TEXT),
}

# Only these forms are disguised: a number without separators of its own, or the commonest writing.
DISGUISED_FORMS: dict[str, tuple[str, ...]] = {
    "CN_RESIDENT_ID": ("gb18", "residence", "foreigner2023"),
    "CN_MOBILE": ("national",),
    "CN_LANDLINE": ("compact",),
    "CN_BANK_CARD": ("unionpay", "foreign"),
    "CN_SOCIAL_SECURITY": ("office", "id"),
    "CN_PLATE": ("ordinary", "new_energy"),
    "GPS": ("decimal",),
    "DATE_OF_BIRTH": ("written",),
    "PERSON": ("zh",),
    "SECRET": tuple(form for form in FORMS["SECRET"] if form not in {"pem", "url", "password"}),
    "US_SSN": ("dashed",),
    "IBAN": ("electronic",),
    "IMEI": ("number",),
}


def example(
    entity: str, rng: Random, *, form: str | None = None, style: str | None = None, disguise: str = "plain"
) -> Planted:
    """A random value in its disguise in a text of the style; `value` stays as it was before the disguise.

    Disguised values other than plain ones come with their label in Chinese, as people who write so do.
    """
    if disguise not in DISGUISES_OF[entity]:
        raise ValueError(f"{disguise} makes no sense for {entity}")
    if disguise == "plain":
        value, form = generate(entity, rng, form)
        return wrap(value, entity, rng, form, style)
    form = form or rng.choice(DISGUISED_FORMS.get(entity, tuple(FORMS[entity])))
    value, form = generate(entity, rng, form)
    label = _zh_label(value, entity, form, rng)
    if disguise == "between_han":
        return _fill(_between_han(rng, label), SLOT, value, entity, value)
    if disguise == "json_string":
        text, written = _json_string(value, rng, label)
        return _fill(text, json.dumps(SLOT)[1:-1], written, entity, value)
    written = DISGUISES[disguise](value, rng)
    planted = wrap(written, entity, rng, form, style or rng.choice(("zh", "tight", "chat", "mixed")))
    return planted._replace(value=value)
