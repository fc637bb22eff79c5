"""Tell what is an institution's from what is a person's: hotlines, role mailboxes, addresses of shops and offices.

A company prints its number so that it is called; a private person does not. No number says whose it is: the words
around it do, and the nearest of them decides. Where a private identifier stands beside it (a customer's mobile number
beside the address), or where no word says anything, it stays private; only a street and a number without a room, to
which nothing ties a person, is a place.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

BEFORE, AFTER = 48, 20
"""Code points before and after a value in which the words are looked for; as much as a line of a business card."""
HEARD = 300
"""Code points of what was said before that may tell of whom or what is spoken."""

# Mailboxes that stand for a function; RFC 2142 names the half of them.
_ROLES = re.compile(
    r"(?:[a-z0-9]{1,20}[._-])?(?:info|redaktion|redaction|redazione|redaccion(?:web)?|redakcja|presse|prensa|medien|verlag"
    r"|abo|kontakt|contacto|contatto|anzeigen|werbung|reklama|kundenservice|kundeservice|asiakaspalvelu|kanzlei|rathaus"
    r"|suscripciones|leserbriefe|letters|community|moderators?|webteam|accessibility|subs|advertising|publicfile|stats"
    r"|solutions|zhengwu|banquan|shangwu|hezuo|copyright|tips|hallo|bonjour|hola"
    r"|support|services?|customer[._-]?(?:service|care|support)s?|care|sales|contact(?:us)?"
    r"|help(?:desk)?|admin(?:istrator)?|webmaster|postmaster|hostmaster|abuse|security|privacy|legal|dpo|office|press|media"
    r"|news|newsletter|pr|hr|jobs?|careers?|recruit(?:ing|ment)?|zhaopin|hiring|marketing|billing|accounts?|finance|orders?"
    r"|enquir(?:y|ies)|inquir(?:y|ies)|feedback|complaints?|tousu|no-?reply|do-?not-?reply|alerts?|notifications?"
    r"|editors?|editorial|submissions?|tougao|team|hello|mail|kefu|fuwu|hotline|registrar|admissions?|zhaosheng"
    r"|library|reservations?|bookings?|donations?|donate|membership|investors?|ir|permissions?|subscribe|unsubscribe"
    r")[0-9]{0,3}(?:[._-][a-z0-9]{1,20})?"
)
_HOTLINE = (
    r"客服|热线|熱線|服务(?:电话|中心|台)|咨询|諮詢|总机|總機|前台|订[餐票房座位购]|预[约订定]|投诉|举报|监督|报修|售[前后]|值班"
    r"|商务合作|领务|领事|专用电话|专线|招[商生聘]|官方|官网|更多信息|详情|[或请]访问|公众号|店铺|门店|商家"
    r"|(?i:hot ?line|help ?line|help ?desk|customer (?:service|care|support|relations)|call cent(?:er|re)|toll[ -]free"
    r"|our (?:tele)?phone|registrant|including area code"
    r"|switchboard|front desk|reservations?|box office|press (?:office|contact)|media (?:contact|inquir)"
    r"|spenden|donat(?:e|ions?)|impressum|pressekontakt|redaktion|geschäftsstelle|rédaction|redacci[oó]n"
    r"|for (?:more|further|additional) information|call us|visit (?:us|our|www|https?)"
    r"|investor relations|crisis|suicide|samaritans|poison control|headquarters|principal executive"
    r"|employer identification|business listing|sales (?:&|and) marketing|textphone)|版权|授权|捐款|捐赠|募捐"
)
_INSTITUTION = (
    r"酒店|宾馆|饭店|旅馆|客栈|餐[厅馆]|饭[馆庄]|酒[楼家吧]|烤[鸭肉]|火锅|小吃|咖啡|茶[馆楼]|面[馆店]|分店|总店|景[点区]|公园|博物|纪念馆"
    r"|展览|美术馆|艺术馆|[动植]物园|寺|教堂|故居|医院|诊所|卫生[院所]|门诊|疾控|药[店房]|学[校院]|大学|[中小]学|幼儿园|培训"
    r"|银行|[支分]行|营业[厅部]|证券|保险|政府|[市省县区]委|[公邮税财民教][安政务育]?局|管理局|委员会|派出所|警察|交警|法院|检察院"
    r"|律师事务所|公证处|公司|集团|企业|工厂|厂[家房区]|协会|学会|商会|基金会|联合会|报社|电视台|电台|出版社|杂志|图书馆|体育[馆场]"
    r"|剧[院场]|影[院城]|机场|车站|地铁|港口|码头|航空|公墓|陵园|殡仪馆|商[场城店]|超市|旗舰店|专卖店|书店|办公|办事|写字楼"
    r"|[大领]使馆|使馆|研究[所院]|实验室|编辑部|居委会|村委会|机构|单位|总部|(?:市场|销售|人事|客户|编辑|业务|采购|财务|宣传|组织|保卫)部|(?:研发|开发|研究|服务|数据|会展)中心"
    r"|(?i:(?<![a-z])(?:inc|llc|ltd|corp(?:oration)?|company|co\.|plc|gmbh|hospital|clinic|university|college|school"
    r"|academy|institute|museum|librar(?:y|ies)|hotel|inn|resort|restaurant|caf[eé]|diner|bar|church|temple|airport|station"
    r"|bank|agency|department|ministry|bureau|commission|court|embassy|consulate|stadium|theat(?:er|re)|park|store|shop"
    r"|mall|office|foundation|association|society|center|centre)(?:e?s)?(?![a-z])"
    # talk of a place that people go to
    r"|(?<![给把])它们?|[这那](?:里|儿|家店|个(?:地方|公园|景))|门票|游玩|游览|参观|开放|人均|营业|玩多[久长]|去玩|他们(?!两|俩)|开[门馆]"
    r"|(?i:\btheir (?:contact |phone )?(?:number|address)|\b(?:contact|reach|call) them\b|\bproperty\b)"
    r"|\b(?:its|salon|dentist|venue|attraction|apartments?(?= complex)|gmbh|e\.?v\.|verband|stiftung|verein|société)\b"
    r"|\b(?:rating|cuisine|price_(?:range|level)|opening_hours|reviews)\b)"  # what stands beside the address of a place
)
_PERSON = re.compile(
    # who looks something up for somebody says nothing of himself
    r"(?<![诉问帮荐陪])我(?!们?(?:也|都|来|就|只|可以)?(?:知道|查|记得|觉得|想[知问去]|听[说过]|看[过到]|[去来]过|给[你您]|告诉|推荐|搜|了解|以为"
    r"|不知|不清|这[有里边就]|这就))|本人|(?<![给帮为])您(?!好|可|需|要|如|若|想|也|去|到|放心|知道|能|请)|家[住里中庭在]|在家|[她他](?![们])|住[址在于宅所]|居住|现居|宅电|收[货件]|[寄送发][到往给至]|邮寄|快递|户籍|籍贯|患者|病人|姓名"
    r"|联系人|先生|女士|小姐|师傅|爸|妈|父亲|母亲|妻子|丈夫|儿子|女儿|老公|老婆|朋友|同事|邻居|同学|身份证|手机"
    r"|(?i:(?<![a-z])(?:my|his|her|(?<!\n)i|me|home|lives?|living|resid\w*|ship(?:ped|ping)? to|deliver\w*"
    r"|patient|tenant|apt"
    r"|apartment|mr|mrs|ms|dr|passport|ssn|born|dob|cell|mobile)(?![a-z]))"
)
_HIMSELF = re.compile(  # what a person says of himself or of another one, in the turns before
    r"我[的家]|本人|[您你她他][的家]|[住宅]址|居住|收[货件]|患者|病人|联系人|先生|女士|爸|妈|老公|老婆|朋友|同事|同学|身份证"
    r"|(?i:(?<![a-z])(?:my|mine|his|her|home|lives?|living|patient|tenant|mr|mrs|ms|passport|ssn|friend|mom|dad)(?![a-z]))"
)
_SPOKEN_OF = re.compile(rf"{_HOTLINE}|{_INSTITUTION}")
_CALLED = re.compile(_HOTLINE)
_LABELLED = re.compile(r"(?:[地住]址|(?i:address))[\"'”*]{0,3}[ ]?[是为:：=][ ]?[\"'“]?\Z")  # of somebody
_ROOM = re.compile(r"[单室栋幢户]|号楼|门牌|(?i:apt|apartment|unit|suite|#)")


class _Cues(NamedTuple):
    """Which words make a value of an entity an institution's; `alone`: what it is where no word says anything."""

    spoken_of: re.Pattern[str]
    alone: bool = False


_OF = {
    # An institution is near many a mobile number that is its employee's: only what is printed to be called counts.
    "CN_MOBILE": _Cues(_CALLED),
    "QQ": _Cues(_CALLED),
    "WECHAT": _Cues(_CALLED),
    "CN_LANDLINE": _Cues(_SPOKEN_OF),
    "PHONE_NUMBER": _Cues(_SPOKEN_OF),
    "CN_BANK_ACCOUNT": _Cues(_SPOKEN_OF),
    "IBAN": _Cues(_SPOKEN_OF),
    "ADDRESS": _Cues(_SPOKEN_OF, alone=True),
}


def is_public(entity: str, text: str, start: int, end: int, before: str = "", roles: Collection[int] = ()) -> bool:
    """Whether the value of an entity at [start, end) of a text is an institution's, by itself or by what is near.

    before: what was said before in the conversation, asked where the text itself says nothing; roles: where mailboxes
    of functions stand in the text.
    """
    value = text[start:end]
    if is_public_by_itself(entity, value):
        return True
    if entity not in _OF:
        return False
    spoken_of, alone = _OF[entity]
    left, right = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    person, institution = _distance(_PERSON, left, right), _distance(spoken_of, left, right)
    if spoken_of is _SPOKEN_OF:
        near = (gap for at in roles if (gap := min(abs(at - start), abs(at - end))) <= BEFORE)
        institution = min([*near, *([] if institution is None else [institution])], default=None)
    if entity == "ADDRESS" and _SPOKEN_OF.search(value):  # the hospital's name is part of it
        institution = 0
    if institution is None and person is None:
        person, institution = _distance(_HIMSELF, before[-HEARD:], ""), _distance(spoken_of, before[-HEARD:], "")
    if institution is None and person is None:
        return alone and not (_ROOM.search(value) or _LABELLED.search(left))
    return institution is not None and (person is None or institution < person)


def is_public_by_itself(entity: str, value: str) -> bool:
    """Whether a value says itself that it is an institution's: a mailbox of a function, a toll-free number."""
    if entity == "EMAIL_ADDRESS":
        return _ROLES.fullmatch(value.partition("@")[0].lower()) is not None
    return entity == "PHONE_NUMBER" and _is_service_number(value)


def _distance(words: re.Pattern[str], before: str, after: str) -> int | None:
    """Code points between a value and the nearest of the words; None where there is none."""
    last = max((found.end() for found in words.finditer(before)), default=None)
    first = words.search(after)
    left = [] if last is None else [len(before) - last]
    right = [first.start()] if first else []
    return min([*left, *right], default=None)


def _is_service_number(value: str) -> bool:
    """Whether the numbering plan keeps a number for services: toll-free, shared cost, premium rate, universal."""
    import phonenumbers  # only a candidate pays for its tables

    kinds = phonenumbers.PhoneNumberType
    try:
        kind = phonenumbers.number_type(phonenumbers.parse(value, "US"))
    except phonenumbers.NumberParseException:
        return False
    return kind in (kinds.TOLL_FREE, kinds.SHARED_COST, kinds.PREMIUM_RATE, kinds.UAN)
