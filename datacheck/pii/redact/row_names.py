"""Names in a record in which somebody's identifier or name stands: what a redaction looks for there, and no gate.

Beside a private identifier a name that nothing introduces is most often its owner's, so one too many costs a word of a
text, and one too few is somebody's. Besides what `free_names` finds: given names that are words (Grace, Drew) before
a capitalised word, and two or three capitalised words, or a likely Chinese name, behind a word that leads to somebody.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from datacheck.pii.free_names import TITLES, FreeName, free_names, is_common, is_word, model
from datacheck.pii.given_names import given_names, is_given, surnames, without_accents, words_as_names
from datacheck.pii.matching.expressions import HAN
from datacheck.pii.recognizers.person import COMPOUND, GIVEN, LATIN, LISTED, MODEL, NEXT_LABEL, SURNAMES
from datacheck.pii.recognizers.person import UPPER as FEW_UPPER
from datacheck.pii.redact.addressed import Addressed, addressed, greeted
from datacheck.pii.redact.callings import called as called_by
from datacheck.pii.redact.cantonese import cantonese_names
from datacheck.pii.redact.likely_names import GIVEN_CHARACTERS, NEVER, RARE, likely_names
from datacheck.pii.redact.spelt import WORDS
from datacheck.pii.redact.users import is_called_after
from datacheck.pii.tables import PersonsCell, persons_cells
from datacheck.pii.tagger import is_entry

UPPER = FEW_UPPER + "ĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽƠƯȘȚẠẢẤẬẮẰẶẸẾỆỊỌỐỘỚỢỤỦỨỰỲỴỶ"
# O''Brien: SQL doubles the sign
_WORD = rf"(?:[{UPPER}]['’]{{1,2}})?[{UPPER}][{LATIN}]+(?:(?:-|['’]{{1,2}})[{LATIN}]+)*"
# Both names in small letters: dimitra chowdhury, philip.long; but no mailbox and no host
_SMALL = re.compile(r"(?<![\w@./\-])(?P<first>[a-z]{3,})[ .](?P<last>[a-z]{3,})(?![\w@/\-]|\.[a-z])")
_NAMED_SMALL = re.compile(
    r"(?<![A-Za-z])(?i:name[’']s|name is|full name:?|this is|i am|i[’']m|, signed|authori[sz]ed:"
    r"|(?:manager|lawyer|teacher|student|colleague|employee|customer|patient|pt|client|landlord|landlady|boss|doctor"
    r"|nurse):?) \Z"
)
# ... who signs: Cheers,\nruby horvath
_SIGNED_SMALL = re.compile(
    r"(?:[Rr]egards|[Ss]incerely|[Bb]est|[Tt]hanks|[Cc]heers"
    r"|[Yy]ours),?[ ]?\n+[ ]?(?P<value>[a-z]{3,}[ .][a-z]{3,})(?=[ ]?(?:\n|\Z))"
)
_PARTICLE = r"(?:(?:van|von|de|del|della|der|den|dos|da|di|la|le|bin|ibn|al|el)[ ]){0,2}"
_MORE = rf"(?:[ ]{_PARTICLE}{NEXT_LABEL}(?:[{UPPER}]\.|{_WORD})){{1,3}}"
_FULL = rf"{_WORD}{_MORE}(?![{LATIN}0-9@&])"
_FULL_NAME, _ONE_WORD = re.compile(_FULL), re.compile(_WORD)
_RUN = re.compile(rf"(?<![{LATIN}0-9&@/’'.\-]){_FULL}")
# One capitalised word that is in no run of such words
_SINGLE = re.compile(
    rf"(?<![{LATIN}0-9&@/’'.\-])[{UPPER}][{LATIN}]{{2,}}(?![{LATIN}0-9@&/\-]|[ ][{UPPER}]|\.[{LATIN}])"
)
_NOT_ALONE = re.compile(
    rf"(?:(?<![{LATIN}])(?i:in|at|near|the|saint|st\.?|lake|mount|port|fort|an?)[ ]|(?P<capital>[{UPPER}][{LATIN}]+)[ ]"
    r"|(?i:city|town|state|country|county|place|location|destination)[\"']?[ ]?[:=][ ]?[\"']?)\Z"
)
_REVERSED = re.compile(rf"(?<![{LATIN}0-9&@/’'.\-]){_WORD}, {_WORD}(?![{LATIN}0-9@&]| [A-Z])")
# … the whole of a field: From: Okonjo, Sarah <…; | Best, Sarah |; who is here
_REVERSED_FIELD = re.compile(
    rf"(?:(?:(?m:^)|(?:From|To|Cc|Name):)[ ]?(?!(?:Best|Thanks|Cheers|Regards|Yours),)|\|[ ])"
    rf"(?P<value>(?P<last>{_WORD}), (?P<first>{_WORD}))(?=[ ]?(?:<|\||here[ ,.])|['’]s[ ])"
)
# Behind what leads to somebody the surname may come first, and be any word: Witness: Wexler, Thomas
_REVERSED_LED = re.compile(
    rf"(?<![{LATIN}])(?i:customer|client|guest|patient|contact|recipient|passenger|employee|student|tenant|member|owner"
    r"|caller|sender|buyer|seller|applicant|plaintiff|defendant|witness|driver|attendees?|from|to|cc|notes by|chair"
    r"|(?:full[ _]?|display[ _]?)?name|display)[\"']?(?:[ ]?[:=|][ ]?[\"']?|[ ])"
    rf"(?P<value>(?P<last>{_WORD}),[ ](?P<first>{_WORD})(?:[ ][A-Z]\.)?)(?![{LATIN}0-9@&])"
)
# Anika from payroll (Anika Berg, …
_IN_BRACKETS = re.compile(
    rf"(?<![{LATIN}])(?P<first>{_WORD})[^()（）\n]{{0,30}}[(（](?P<value>(?P=first){_MORE})(?=[,，)）])"
)
# Who was at a meeting, or gets a letter: a line of names
_LISTING = re.compile(
    r"(?m)(?:^|(?<=[.;] ))[^\w\n]{0,4}(?i:attendees?|attending|present|participants?|apologies|absent|regrets"
    r"|invitees?|invited|speakers?|panell?ists?|members|cc|bcc|to|from|author(?:\(s\)|s)?|team"
    r"|on call|crew|passengers|guests|minutes(?: taken)? by)[*_]{0,2}[ ]?:[*_ ]{0,3}"
    r"(?P<names>[^\n]{4,400})"
)
_ITEM = re.compile(
    rf"[ ]?(?:and[ ])?(?P<value>{_FULL}|{_WORD}, {_WORD}(?: [A-Z]\.)?|[{UPPER}]\.[ ]{_WORD})"
    r"(?=[ ]?(?:[(<\[.]|[-–][ ]|\Z))"
)
# One part of a name in a field of its own: <firstName>Nadia</firstName>
_PART_OF_NAME = re.compile(
    r"(?i:(?:first|last|given|family|sur)[ _\-]?name)[\"']?[ ]?[:=>][ ]?[\"']?"
    rf"(?P<value>{_WORD}(?:[ ]{_WORD})?)(?=[<\"',;\n]|\Z)"
)
# One word behind a title, what is called a name, or a relation: Dr. Korhonen, last name Banda, my son Tane
_ONE_LED = re.compile(
    rf"(?<![{LATIN}])(?:(?P<title>(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?[ ])"
    r"|(?i:(?:last|first|sur|given|family)[ ]?name(?: is|[’']s|:)?|name is|name[’']s)[ ]|英文名字?[是叫为：:]{1,2}[ ]?"
    r"|(?i:(?:my|his|her|our|your) (?:\w+ )?(?:mother|father|mom|mum|dad|wife|husband|son|daughter|brother|sister"
    r"|friend|boss|colleague|neighbou?r|partner|aunt|uncle|cousin|manager|supervisor|landlord|landlady|lawyer"
    r"|doctor|roommate|flatmate"
    r"|assistant|girlfriend|boyfriend|nephew|niece|teacher|student|intern|mentor|tenant|client|patient"
    r"|classmate|co-?worker|grand(?:mother|father|ma|pa|son|daughter)))[ ])"
    rf"(?P<value>{_WORD})(?![{LATIN}0-9@&/]|[ ][{UPPER}][a-z]|\.[{LATIN}])"
)
# The initials and a surname of who says so, or signs
_INITIALS = re.compile(
    r"(?:(?i:my name is|speaking with)[ ]|(?:[Rr]egards|[Ss]incerely|[Bb]est|[Tt]hanks|[Cc]heers|[Yy]ours),?[ ]?\n+)"
    rf"(?P<value>(?:[{UPPER}]\.[ ]?){{1,2}}{_WORD})"
    rf"|(?<![{LATIN}])(?i:customer|client|patient|contact|recipient|passenger|employee|student|tenant|member|attending"
    r"|caller|sender|buyer|seller|applicant|plaintiff|defendant|witness|attendees?|from|to|cc|notes by|chair|name):[ ]"
    rf"(?P<called>(?:[{UPPER}]\.[ ]?){{1,2}}{_WORD})"
)
# The columns and the first values that SQL writes into them
_INSERT = re.compile(
    r"(?i:insert into)[ ]\S{1,64}[ ]?\((?P<heads>[^()]{1,400})\)\s{0,8}(?i:values)\s{0,8}\((?P<cells>[^()]{1,800})"
)
_IS_PART = re.compile(r"(?i:(?:first|last|given|family|sur)[ _\-]?name)")
_CELL = re.compile(r"[ ]?(?:'(?P<value>(?:[^']|'')*)'|[^,']*)(?:,|\Z)")
ROLES = (
    "我是|我叫|叫我|就是|本人|系人|络人|件人|货人|客户|顾客|患者|病人|用户|会员|学员|学生|员工|同事|家长|业主|租客|乘客|姓名|名字"
    "|请人|投保人|保险人|候选人|应聘者|原告|被告|证人|当事人|受害人|报案人|被害人|考生|病患|股东|租户|住户|旅客|司机|房客|承租人|出租人"
    "|债务人|债权人|借款人|担保人|持卡人|户主|监护人|家属|法人|推荐人|介绍人|联络员|面试官|主治医[师生]|管床(?:大夫|医[生师])|责任护士"
    "|直属(?:上级|领导|主管)|上级领导|部门(?:主管|经理)|提货人|取件人|接送人|接机人|机主|车主|失主|楼主|房东|下单人|订购人|订货人|买家|卖家|乘机人|入住人|预约人"
    "|缴费人|付款人|收款人|投诉人|咨询人|来访人|签收人|代办人|委托人|辅导员|班主任|任课老师|快递员|骑手|走失人|失踪者|真名|登录用户|当前用户|对接人|审批人|經辦人"
    "|律师|律師|中介|保姆|月嫂|家教|落款|中文名字?"
    "|訂購人|推薦人|監護人|預約人|付款人|學生|絡人|客戶|顧客|員工|業主|申請人|原告|會員|候選人|證人|我係"
)
KIN = (
    "我(?:妈妈?|爸爸?|母亲|父亲|老公|老婆|丈夫|妻子|儿子|女儿|孩子|爱人|对象|先生|太太|媳妇|室友|邻居|奶奶|爷爷|外婆|外公|哥哥?|姐姐?|弟弟?|妹妹?|朋友"
    "|同事)"
)
# A word that leads to somebody: Customer: …, Dear …, the record of …
_LED = re.compile(
    rf"(?<![{LATIN}])(?:(?i:customer|client|user|guest|patient|contact|consignee|recipient|passenger|employee|student"
    r"|tenant|member|owner|caller|sender|buyer|seller|attn|signed|regards|sincerely|best|claimant|insured|policyholder"
    r"|counsel|attorney|requester|candidate|applicant|beneficiary|borrower|plaintiff|defendant|witness|visitor"
    r"|resident|driver"
    r"|author|requester|reporter|maintainer|porter|waiter|waitress|nurse|clerk|technician|agent|assignee|submitter|holder|attendee|referee|interviewer|supervisor|poster)[\"']?[ ]?[:：,，=][ \n]?[\"']?"  # noqa: E501
    r"|(?:ADMIN|USER|OWNER|CONTACT|FULL|REAL|CUSTOMER|CLIENT|PATIENT|EMPLOYEE|BILLING)_NAME=[\"']?"
    r"|(?i:name)[ ]?[:：,，][ \n]?"  # in JSON any thing has one: "name": "Hiking Boots"
    r"|(?i:(?:e-?mail|letter|note|message|memo|card|invitation|invite|reply|speech|poem|toast|eulogy|obituary"
    r"|recommendation|reference)"
    r" (?:to|for)|(?<=, )signed)[ ]"
    rf"|(?i:plaintiff|defendant|claimant|policyholder|sues)[ ]|(?:(?i:on behal"
    "f of)|let|tell|ask|remind)[ ](?=[A-Z][a-z]+ [A-Z][a-z]+(?: (?:know"
    rf"|to|that|it|we|I|the)(?![a-z])|[,.;:!?\n]|\Z))|(?:{ROLES}|名叫|叫做|[帮替]|[这那](?:里|边|位)是"
    rf"|家[父母]|{KIN}|转告|通知|联系|告诉)[ ]?"
    r"|(?i:(?:escalated|assigned|forwarded|transferred|addressed|spoke|talked) (?:to|with)|asked"
    r"|(?:login|payment|registration|booking|verification) (?:failed|pending|completed) for"
    r"|(?:posted|written|sent|signed|reported|submitted|held|accompanied) by|(?:it is|it[’']s|booked|registered) under|pt"  # noqa: E501
    r"|(?:my|his|her|our) (?:(?:late|elderly|old|younger|elder|little|ex-?) ?)?(?:mother|father|mom|mum|dad|wife|husband|son|daughter"  # noqa: E501
    r"|brother|sister|friend|boss|colleague|neighbou?r|partner|aunt|uncle|cousin|manager|supervisor"
    r"|student|pupil|teacher|tutor|professor|advis[oe]r|mentor|intern|employee|client|patient|tenant|coach"
    r"|therapist|classmate|co-?worker"
    r"|landlord|landlady|lawyer|doctor|roommate|flatmate|assistant|girlfriend|boyfriend|fianc[ée]e?|nephew"
    r"|niece|grand(?:mother|father|ma|pa|son|daughter))"
    r"|contact(?= [A-Z][a-z'’-]+ [A-Z][a-z'’-]+[,:(;])"
    r"|dear|hi|hello|hey|mr|mrs|ms|miss|dr|prof|i am|i[’']m|this is|name is|(?:my )?name[’']s"
    r"|(?:i am|i[’']m|this is) (?:the|your|an?) [a-z ]{3,20},|named|called|ship to|deliver to|"
    r"(?:record|account|file|profile|order|form|details|address|number|request|booking|reservation|appointment"
    r"|invoice|policy"
    r"|claim|shipment|package|parcel|refund|subscription|case) (?:of|for))\.?[ ])"
    rf"(?P<value>{_FULL})"
    rf"|(?<![{LATIN}&@/])(?P<here>{_FULL})(?= (?:here|speaking)[ ,.!])"  # Hi, Zoe Petrov here
    # Customer Noor Okafor wrote in again
    rf"|(?<![{LATIN}])(?i:customer|client|user|guest|patient|passenger|employee|student|tenant|member"
    rf"|applicant|caller|visitor)[ ]"
    rf"(?P<acts>{_FULL})(?=[ ](?:wrote|called|says|said|asked|asks|has|had|is|was|wants|wanted|reported"
    rf"|reports|needs|came|requested"
    rf"|writes|emailed|complained|just|already|never)(?![a-z]))"
)
_THINGS = (
    "(?:我的?|家里|固定|联系|办公|工作|美国|香港|澳门|台湾|大陆)?(?:手机|电话|座机|身份证|护照|证件|银行卡|卡号|账号|微信|QQ"
    "|扣扣|邮箱|邮件|电子邮|住址|地址|车牌|家在|学号|工号|学籍|车架|社保|医保|病历号|就诊卡|准考证)"
    "|银行账|登录|IP|工资卡|门诊|住院|家庭住|预留|收货|寄到|打款|SSN|[VvWw][Xx][:： ]|加[我Vv]|威信|薇信|收款|储蓄"
)
# A run before what a person has: Tobias Haverford, phone: …
_OWNS = re.compile(
    rf"(?<![{LATIN}0-9&@/’'.\-])(?P<value>{_FULL})[ ]?[,;:(\-–—][ ]?"
    r"(?i:(?:and |with |whose )?(?:my |his |her |the )?(?:tel|phone|mobile|cell|e-?mail|mail|qq|wechat|id|ssn"
    r"|weixin|social security|passport|card|bank card|account|address|dob|born|licen[cs]e"
    rf"|iban|call me|reach me)(?![a-z])|<[A-Z]|{_THINGS})"
)
# A value of an address of the web: ?name=Mary Allen&q=…
_PARAMETER = re.compile(
    r"[?&](?:(?:(?:full|user|customer|contact)_?)?name|user|customer|contact|owner|patient|guest)="
    rf"(?P<value>{_WORD}(?:[ +]{_WORD}){{1,2}})(?=[&#\s\"'<)\]]|\Z)"
)
# Who is greeted in a line of its own, or signs: Ewan Bell, – but not Kind Regards,
_LINE = re.compile(
    rf"(?m:^[ ]?(?P<value>{_FULL})(?<!Regards)(?<!Thanks)(?<!Wishes)(?<!You)(?<!Team)(?<!Sincerely),[ ]?$)"
    rf"|(?:[Rr]egards|[Ss]incerely|[Bb]est|[Tt]hanks|[Cc]heers|[Yy]ours),?[ ]?\n+[ ]?"
    rf"(?P<signed>{_FULL})(?=[ ]?(?:\n|\Z))"
)
SYLLABLE = (
    "(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|iao|ian|uai|uan|ai|ei|ao|ou|an|en|in"
    "|un|ia|ie|iu|ua|ue"
    "|ui|uo|a|e|i|o|u)"
)
MANDARIN = (
    "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo Lin Gao Luo Zheng Liang Xie Tang Deng"
    " Feng Cao Peng Zeng Xiao Tian Dong Pan Yuan Cai Jiang Yu Du Ye Cheng Wei Su Lu Ding Ren Shen Yao Song Jin"
    " Shi Fu Fang Zou Xiong Bai Meng Qin Qiu Hou Yin Xue Yan Duan Lei Tao Gu Hao Gong Shao Qian Dai Kong Cui"
)
_CANTONESE = (
    "Chan Wong Cheung Lau Leung Lam Yip Hsu Hsieh Tsai Tseng Chiang Kuo Yeh Lü Lyu Ouyang Szeto Chow Kwok Tsang"
)


def _in_both_cases(surnames: str) -> str:
    """The surnames as they are listed, and in capitals: LIU Zhiming."""
    return "|".join(surnames.split() + surnames.upper().split())


_PLACES_SPELT = (
    "Beijing Shanghai Nanjing Tianjin Chongqing Hunan Henan Hainan Hebei Hubei Yunnan Sichuan Guangdong"
    " Guangxi Shandong Taiwan Fujian Jiangsu Jiangxi Anhui Shanxi Zhejiang Guizhou Qinghai Xinjiang Ningbo"
    " Suzhou Hangzhou Chengdu Wuhan Shenzhen Guangzhou Xian Huaihai Huaihe Huanghe"
)
_SHORT_WORDS = "|".join(sorted([*(word.title() for word in WORDS), *_PLACES_SPELT.split()]))
_PINYIN = re.compile(
    rf"(?<![{LATIN}0-9])(?P<value>(?:{_in_both_cases(_CANTONESE)})"
    rf"[ ][A-Z][a-z]{{1,5}}(?:[ -][A-Z]?[a-z]{{1,5}})?(?![{LATIN}0-9])"
    rf"|(?:{_in_both_cases(MANDARIN)})"
    rf"[ ](?=[A-Z])(?i:{SYLLABLE})[ -]?(?i:{SYLLABLE})?)(?![{LATIN}0-9])"
    # Xiuying Xu; a given name of one syllable is no word: Can Li
    rf"|(?<![{LATIN}0-9])(?P<western>(?!(?:{_SHORT_WORDS})[ ])(?=[A-Z])"
    rf"(?i:{SYLLABLE})(?:[-’']?{SYLLABLE}|-(?i:{SYLLABLE}))?"
    rf"(?: [A-Z]\.)?[ ](?:{_in_both_cases(MANDARIN)}))(?![{LATIN}0-9])"
)
_ONE = rf"(?:{COMPOUND}|淳于|呼延|闾丘|亓官|拓跋|纳兰|完颜)[{HAN}]{{1,2}}|[{SURNAMES}{RARE}][{HAN}]{{1,2}}"
# 我是, 客户 and the like, then a surname and one or two characters that stand apart
_LIKELY = re.compile(
    rf"(?:{ROLES})(?:[：:是为叫 ]{{0,2}}|(?:[写填叫]|登记)的?[是为])"
    rf"(?P<value>(?:{COMPOUND})[{HAN}]{{1,2}}|[{SURNAMES}{RARE}][{HAN}]{{1,2}})(?:(?![{HAN}])|(?=这边|已|陪同|签字|到场"
    rf"|在场|{_THINGS}))"
)
# A surname and one or two characters right before what a person has: 兰正豪 固定电话：…
_HAS = re.compile(
    r"(?:\A|(?<=[\n，。；;：:|])|(?<=[0-9][.、])|(?<=[0-9][.、] )|(?<=[客顾用租][户客])|(?<=会员|学员|学生|员工|同事|患者|病人))[ ]?"  # noqa: E501
    rf"(?P<value>(?:{COMPOUND}|[{SURNAMES}{RARE}])[{HAN}]{{1,2}})(?:[ ，,：:]{{1,2}}|[ ]?[|/][ ]?)[（(【]?(?:{_THINGS}"
    r"|(?i:mobile|phone|tel|cell|e-?mail|wechat|ssn|passport|(?:id|bank) (?:card|number)|plate|licen[cs]e"
    r"|imei|vin|mac|(?:student|employee) (?:id|no\.?|number))(?![a-z])"
    r"|<[A-Z]|1[3-9][0-9]{9}(?![0-9])|[A-Za-z0-9._\-]{3,40}@[A-Za-z0-9])"
)
# A value of SQL or code before somebody's number or mailbox: ('Quentin Patel', '138…; {"name": "Quentin Patel", "phone"
_QUOTED = re.compile(
    rf"[\"'](?P<value>{_FULL}|(?:{COMPOUND}|[{SURNAMES}{RARE}])[{HAN}]{{1,2}})[\"'],[ ]?[\"']"
    r"(?:\+?(?=[A-Z]{0,4}[0-9(])[0-9A-Z(][0-9A-Z() .\-]{5,32}[\"']|[A-Za-z0-9._%+\-]{1,64}@|<[A-Z])"
    rf"|[\"']name[\"']:[ ]?[\"'](?P<named>{_FULL})[\"'],\s{{0,12}}"
    r"(?:[\"'][a-z_]{2,20}[\"']:[ ]?[^{}\[\],]{1,48},\s{0,12}){0,2}[\"']"
    r"(?:phone|mobile|tel|cell|e-?mail|wechat|id_?card|ssn|passport|dob|birth)"
)
_KINDRED = "妈妈|爸爸|家长|母亲|父亲|奶奶|爷爷|姥姥|外婆|外公|监护人"
# Whose booking somebody asks for, who calls, whose father: 帮我查一下芮蕊的预约, 这里是余建设，, 家父沈向前前几天住院
_WHOSE = re.compile(
    rf"(?:(?:帮我|给我|替我|麻烦|帮忙|请)(?:[查看找改订约退取][一]?下?|转告|通知|联系|告诉)|查询|[这那](?:里|边|位)是|家[父母]"
    rf"|我姓[{HAN}]{{1,2}}[，,]?(?:名字?)?叫|{KIN}|{ROLES})"
    rf"(?P<value>{_ONE})(?:(?=[^{HAN}]|\Z|(?<!的)的?(?:{_KINDRED})|的(?:预[约订]|订单|账|快递|包裹|航班|房间|病历|报告|挂号|保单|档案|信息"
    rf"|记录|电话|手机|地址|资料"
    r"|[A-Za-z]{2}|身份|护照|证件|银行|储蓄|账[户号]|[工学车]号|车[牌架]|社保|医保|病历|邮箱|微信|住址|收货|港澳|座机|生日)"
    r"|(?:前几天|上[周个]|昨天|今[天年早晚]|明天|最近|想[要报订买退查问]|反映|来[电访]|打[来电]|住院|刚[才刚]|已经|下了单)))"
)
# Somebody's mother or father by the name, or a pupil: 妈妈王晓梅电话…, 二班王小满今天发烧
_PARENT = re.compile(
    rf"(?:{_KINDRED})(?P<value>{_ONE})(?=的?(?:{_THINGS}))|(?<=[一二三四五六七八九十0-9]班)(?P<pupil>{_ONE})(?=[今昨]天|同学)"
)
# For whose day something is written: 写个王小满的退休致辞
_HONOURED = re.compile(
    rf"写(?:一?[个封份篇段张首])?(?P<value>{_ONE})(?=的(?:退休|生日|婚礼|欢送|离职|升职|毕业|追悼|寿宴|满月))"
)
# Whose mother or father somebody is: 三年级二班雷星河的妈妈
_CHILD = re.compile(
    rf"(?<![0-9一二三四五六七八九十级)）](?=班))(?P<value>(?<=班)(?:{COMPOUND}|[{SURNAMES}{RARE}])[{HAN}]{{1,2}}"
    rf"|(?:{COMPOUND}|[{SURNAMES}{RARE}])[{GIVEN_CHARACTERS}]{{2}}"
    rf"|(?<![{HAN}])(?:{COMPOUND}|[{SURNAMES}{RARE}])[{GIVEN_CHARACTERS}])"
    rf"(?<!的)(?=的?(?:{_KINDRED}))"
)
# Who says the name first: 欧阳洋，…
_BEGINS = re.compile(
    rf"\A(?P<value>(?:{COMPOUND})[{HAN}]{{1,2}}|[{RARE}][{GIVEN_CHARACTERS}]{{1,2}}"
    rf"|[{SURNAMES}][{GIVEN_CHARACTERS}]{{2}})(?=[，,]|(?:这边|先生|女士)?[您你]好)"
    rf"|(?:\A|(?<=\n))(?P<greeted>{_ONE})(?=[您你]好)"
)
# Who gets a letter or is looked for, in a tag, before 收, in a notice of a person who is missing
_GETS = re.compile(
    rf"(?:写(?:一?封)?(?:信|邮件|短信)?给|(?<=[A-Za-z ])给|抄送给?|同步给|转达给?|联系|[，,]找|<(?:name|姓名|full_?name|user)>)[ ]?(?P<value>{_ONE})"  # noqa: E501
    rf"(?=[^{HAN}]|\Z)"
    rf"|(?<![{HAN}])(?P<gets>{_ONE})(?=收(?![{HAN}]))"
    rf"|给(?:我的?)?(?:导师|老师|教练|同事|学生|领导|主管|朋友|同学|师傅|室友)(?P<whom>{_ONE})(?=[写发买送]|准备)"
    rf"|我的?(?:导师|教练|同事|学生|领导|主管|朋友|同学|室友|舍友|邻居|房东|女儿|儿子)(?P<mine>[{SURNAMES}{RARE}][{GIVEN_CHARACTERS}]{{2}})"
    rf"(?=[老总不爱最昨今明要想说是又太])"
    rf"|(?:尊敬|敬爱|亲爱)的(?P<dear>{_ONE})(?=[：:，,]|女士|先生)"
    rf"|(?<=】)(?P<missed>{_ONE})(?=[，,、 ]{{1,2}}(?:[男女]|[0-9]{{1,3}}岁))"
)
# Characters by which the sounds of foreign names are written
SOUNDS = (
    "阿埃艾安奥巴贝比彼波伯布查达戴德迪蒂丁杜多恩尔法菲费弗芙福盖戈格哈海赫亨霍基吉加杰金卡凯坎康科克肯拉莱兰朗劳雷里丽利莉林琳卢鲁伦罗洛马玛迈麦"
    "曼梅门米莫姆娜纳奈妮尼诺欧帕佩皮普迭拜妲奇乔琼瑞若萨塞赛桑森莎珊史斯苏索塔泰坦汤特提托瓦威韦维温沃乌西希夏谢辛休雅亚扬耶伊因尤约赞泽扎詹珍朱兹佐逊"
    "宾灵思治图鲍莎什霍布兹登英逊艾森姬嘉洁豪"
    "翰山历古热买江孜依木合穆顿珠次仁卓玛旺桑卜其吐逊不都玉央别呼图娅日勒乌拜沙高素甫努"
)
_TIBETAN = (
    "扎西|次仁|卓玛|顿珠|达娃|尼玛|格桑|旺堆|多吉|拉姆|央金|平措|丹增|索朗|索南|白玛|德吉|边巴|巴桑|米玛|普布|强巴|罗布|洛桑|仁青|桑珠|贡布|曲珍|卓嘎|旺姆"
    "|措姆|加措|旦增|旺杰|旺久|晋美|才让|才旦|卓玛措|益西|嘉措"
)
# Who speaks in an exported talk: [09:02] Drew Park: thanks
_TIME = (
    r"(?m:^[ ]?[\[(]?(?:[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}[ T])?"
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[ ]?[AaPp][Mm])?[\])]?[ ]{1,2})"
)
_SPEAKER = re.compile(rf"{_TIME}(?P<value>{_FULL}|[{UPPER}]\.[ ]?{_WORD})(?=[ ]?[:：])")
# … or one name: [09:02] Zuri: thanks
_ONE_SPEAKER = re.compile(rf"{_TIME}(?P<value>{_WORD})(?=[ ]?[:：])")
_NO_SPEAKERS = frozenset(
    "Bot System Agent Assistant Admin Support Human Info Error Warning Debug Chat Advisor Note".split()
)
_CHINESE_SPEAKER = re.compile(rf"{_TIME}(?P<value>{_ONE})(?=[ ]?[:：])")
_CHINESE_PARAMETER = re.compile(
    rf"[?&](?:\w{{0,12}}name|姓名|user|customer|owner)=(?P<value>{_ONE})(?=[&#\s\"'<)\]]|\Z)"
)
# A rare surname, a foreign name in Chinese, and a Tibetan one
_RARELY = re.compile(
    rf"(?<![{HAN}])(?P<value>[{RARE}][{HAN}]{{1,2}})(?=先生|女士|小姐)"
    # whole: 艾伦·图 is a part of a name whose next character is not listed
    rf"|(?P<foreign>(?<![{HAN}·•・])[{SOUNDS}](?:[ ]?[{SOUNDS}]){{1,5}}+"
    rf"(?:[ ]?[·•・‧.](?:[ ]?[{SOUNDS}]){{1,6}}+){{1,3}}+"
    rf"(?=[^{HAN}·•・‧]|[的是在和与及说称认提写曾对向将被把从因于也又就还为先女教博小生出领担执主参告来去打住跟给查要想没会您你妈爸父母家]|\\Z))"
    rf"|(?P<tibetan>(?:{_TIBETAN}){{2}})"
)
LEADS = re.compile(rf"(?:{ROLES}|{KIN})[ ]?\Z")
_CHINESE_FORMS = (_CHINESE_SPEAKER, _CHINESE_PARAMETER, _GETS, _LIKELY, _BEGINS, _CHILD, _WHOSE, _HONOURED, _PARENT)
_ENDS_TOO = frozenset(
    "Park Lane Day Hall Law Grove Post Hills Rivers Banks Bay".split()
)  # of `ends`, what are surnames
NO_NAMES = frozenset(
    "Sale Sales Fools Garden Gardens Break Vacation Camp Access Collection Edition Time Season Support Service"
    " Services Resources Desk Care Relations Affairs States York Kingdom Zealand Online Store Bot Assistant"
    " Engineering Marketing Kids Toys Rd Up Down Convention Agreement Treaty Bookshop High Elementary Middle"
    " Zoo Harbor Port View Shores Cliffs Corporation Cinema Jays Rockets Cowboys Americans Wars Pizza Car Year"
    " Date Number Count Total Amount Value Type".split()
)
_POSSESSIVE = re.compile(r"['’]s\Z")  # Sarah Whitfield's account
_LEAD = 12
_LOW_LINE = re.compile(rf"(?<=[a-z])_(?=[{UPPER}][a-z'’])")
_SPELT_OUT = re.compile(rf"({COMPOUND}|[{HAN}])([{HAN}]{{1,2}})")
_IS_HAN = re.compile(f"[{HAN}]")
GIVEN_SET = frozenset(GIVEN_CHARACTERS)
# Before these a number is counted, and what follows 祝 is wished
_COUNTED, _WISHES = frozenset("万元千百双单萬"), frozenset("祝")
_NUMBER_BEFORE = re.compile("[0-9０-９一二三四五六七八九十几两百千]\\Z")
_SURELY = ("件人", "货人", "系人")
# Surnames that are words of every sentence: 当有多个客户时运行
_FUNCTION = frozenset("应常成全和于向时从连曾可单都就还过能不关别方由仅须且因与但而把被将等均乃即")
_COMPOUND = frozenset(COMPOUND.split("|"))
# What may stand before who is called so, and ends no foreign name: 接诊顾医生, but not 格林女士
_CALLING = frozenset("和与及跟给让请找叫问对同由约陪替帮谢是的了在到向为把被诊治名位任师导长见说系知转告")
_FAMILIAR, _SURNAME_SET = ("老", "小", "阿"), frozenset(SURNAMES + RARE)
# A given name and 哥 or 姐 behind it: 跟晨枫哥核一下
_BROTHER = re.compile(
    rf"(?:(?<![{HAN}])|(?<=[跟和给的让找问请叫是]))(?P<value>[{GIVEN_CHARACTERS}{SURNAMES}]{{2}})(?=[哥姐](?![夫妹弟伦]))"
)
_GIVEN_NAMES, _PLACES = frozenset(GIVEN), frozenset("江河山镇洲源家兵军民歌金")
# Min-jun, Ji-Woo
KOREAN = (
    r"(?i:(?:ah|bin|chan|chul|da|do|dong|eun|gi|gyu|ha|han|hee|ho|hoon|hwa|hye|hyo|hyun|il|in|jae|jeong|ji|jin"
    r"|jong|joo|joon|jun|jung|ki"
    r"|kwang|kyu|kyung|mi|min|myung|na|nam|rim|sang|seo|seok|seon|seong|seung|shin|sik|so|soo|su|suk|sun|sung"
    r"|tae|uk|wan|won|woo|wook"
    r"|yeon|yong|yoo|yoon|young|yu|yun))-(?i:(?:ah|bin|chan|chul|eun|ha|hee|ho|hoon|hwa|hye|hyun|in|jae|ji|jin"
    r"|joo|joon|jun|jung|kyu|kyung|mi"
    r"|min|na|nam|rim|seo|seok|seon|seung|sik|soo|su|suk|sun|sung|uk|wan|won|woo|wook|yeon|yong|yoon|young|yul|yun))"
)
_KOREAN = re.compile(KOREAN)
PARTIES = frozenset(
    "Plaintiff Defendant Claimant Policyholder Insured Witness Candidate Applicant Customer Client Patient Guest"
    " Passenger Employee Student Tenant Member Owner Driver Visitor Resident User".split()
)
NO_WORDS = frozenset(
    "Mr Mrs Ms Miss Dr Prof Dear Hi Hello Hey The This That Please Customer Client User Best Kind Did Does Has Was Is"
    " Can Could Will Would Thanks Sorry Cheers Best Ask Tell Call Text Contact Remind When Where Why How"
    " Once If Throughout Then While After Before Since Until Because Although Though But And Or So As At In On From"
    " With Without Between Both Each Every Some Any Many Most All Yes Maybe Perhaps However Also Now Today Tomorrow"
    " Here There Current Select".split()
)


def row_names(texts: Sequence[str], called: Sequence[Addressed] = ()) -> dict[int, list[FreeName]]:
    """Return the names of the texts that have some, by number, in order; some may overlap.

    called: what people of the record of each text are called by.
    """
    found = dict(free_names(texts)) if model() is not None else {}
    called = called or [addressed([text]) for text in texts]
    for number, text in enumerate(texts):
        spaced = _LOW_LINE.sub(" ", text)  # Jerome_Kowalski
        own = [*_listed(spaced, called[number]), *_led(spaced), *_alone(spaced, called[number])]
        own = [name._replace(end=name.end - 2) if _POSSESSIVE.search(text, 0, name.end) else name for name in own]
        # What leads to a name says better where it ends than the network, which takes any words for one.
        others = [name for name in found.pop(number, ()) if not any(_overlap(name, each) for each in own)]
        others = [name for name in others if NEVER.isdisjoint(text[name.start + 1 : name.end])]
        likely = (FreeName(name.start, name.end, MODEL) for name in likely_names(text, LEADS, called[number]))
        others += [name for name in likely if not any(_overlap(name, each) for each in (*own, *others))]
        believed = [name for name in others if _is_believed(text, name, called[number])]
        if every := sorted({*own, *believed}):
            found[number] = every
    return found


def _is_believed(text: str, name: FreeName, called: Addressed) -> bool:
    """Whether a Chinese name in a sentence is spelt as one; 抚养权给|母亲, 30万彩礼 and 由于阿泰 are not."""
    value, before, after = text[name.start : name.end], text[: name.start][-_LEAD:], text[name.end : name.end + 1]
    match = _SPELT_OUT.fullmatch(value)
    if match is None:
        return True
    surname, given = match.groups()
    if surname == "周" and before[-1:] in tuple("上下本每这那一两几半"):  # 下周转正
        return False
    if surname in _COUNTED and _NUMBER_BEFORE.search(before):
        return False
    ends_a_word = bool(before) and len(surname) == 1 and is_common(before[-1] + surname)
    if ends_a_word and (surname in _FUNCTION or is_common(given)):  # 由于阿泰, 权利继承
        return False
    if surname in called.surnames or given in called.given:
        return True
    if GIVEN_SET.issuperset(given):
        return surname not in _WISHES or not is_entry(given) or _IS_HAN.match(before[-1:]) is not None
    led = LEADS.search(before) is not None and surname not in _FUNCTION
    return led or not (_IS_HAN.match(before[-1:]) or _IS_HAN.match(after)) or before.endswith(_SURELY)


def _overlap(one: FreeName, two: FreeName) -> bool:
    return one.start < two.end and two.start < one.end


def _listed(text: str, called: Addressed) -> Iterator[FreeName]:
    """Runs of capitalised words that begin with a given name, be it a word as well, or end with who is `called` so."""
    given, ends = given_names()
    for match in _RUN.finditer(text):
        parts = match[0].split(" ")
        while len(parts) > 2 and parts[0] in NO_WORDS | PARTIES:
            parts = parts[1:]
        if parts[0] in PARTIES:  # Employee Patel: `called` knows who has a surname alone
            continue
        if match[0].isupper():  # ANNA PETROV
            parts = [part.title() for part in parts]
        first, last = without_accents(parts[0].rstrip(".")), parts[-1].rstrip(".")
        is_called = last in called.surnames and first not in NO_WORDS
        is_end = not is_called and (last in NO_NAMES or (last in ends and not (first in given and last in _ENDS_TOO)))
        is_first = first in given or first in words_as_names() or _KOREAN.fullmatch(first) is not None
        is_first |= first in called.given and first not in NO_WORDS
        is_last = is_called or _has_mailbox(" ".join(parts), called.users)
        is_last |= without_accents(last) in surnames() and first not in ends and first not in NO_WORDS  # Jiwoo Patel
        if (is_first or is_last) and not is_end and len(last) > 1:
            yield FreeName(match.end() - len(" ".join(parts)), match.end(), LISTED)
    for match in _REVERSED_FIELD.finditer(text):
        first = without_accents(match["first"])
        known = first in given or first in words_as_names() or first in called.given
        if known and match["last"] not in NO_WORDS - {"Best"}:
            yield FreeName(*match.span("value"), LISTED)
    for match in _REVERSED.finditer(text):  # Whitfield, Sarah
        last, first = (without_accents(word) for word in match[0].split(", "))
        is_known = last in called.surnames or _has_mailbox(f"{first} {last}", called.users)
        if is_known or (last in surnames() and (first in given or first in words_as_names())):
            yield FreeName(*match.span(), LISTED)


def surnames_of_people(text: str, called: Addressed) -> Iterator[FreeName]:
    """Where somebody of whom a record has no more is called by the surname: 顾医生, 小瞿, 老郑; the 小 goes with it."""
    known = {name for name in called.surnames if name in _COMPOUND or (len(name) == 1 and name in _SURNAME_SET)}
    for start, end, _ in called_by(text, sorted(known - _FUNCTION)):
        familiar = start > 0 and text[start - 1] in _FAMILIAR
        first = start - familiar
        if (
            not _IS_HAN.match(text[first - 1 : first])
            or text[first - 1] in _CALLING
            or is_entry(text[first - 2 : first])
        ):
            yield FreeName(first, end, MODEL)
    for match in _BROTHER.finditer(text):
        name = match["value"]
        if not (is_entry(name) or is_entry(text[match.start("value") : match.end("value") + 1])):
            yield FreeName(*match.span("value"), MODEL)


def _has_mailbox(name: str, users: Collection[str]) -> bool:
    """Whether a mailbox of the record is called after somebody: Jiwoo Woods <jiwoo.woods@…>, jwoods@…."""
    words = [re.sub("[^a-z]", "", without_accents(word).lower()) for word in name.split()]
    return any(is_called_after(user, words[0], words[-1]) for user in users)


def _alone(text: str, called: Addressed) -> Iterator[FreeName]:
    """Given names alone: who is spoken to or of, who speaks in a talk, and a listed one near an identifier."""
    for start, end in greeted(text):
        yield FreeName(start, end, LISTED)
    for match in _ONE_SPEAKER.finditer(text):
        if match["value"] not in NO_WORDS | PARTIES | _NO_SPEAKERS:
            yield FreeName(*match.span("value"), LISTED)
    given, ends = given_names()
    for match in _ONE_LED.finditer(text):
        other = NO_WORDS - {"Best", "Will"} if match["title"] else NO_WORDS | PARTIES | ends  # Prof. Day
        if match["value"] not in other:
            yield FreeName(*match.span("value"), LISTED)
    yield from (FreeName(*match.span("value"), LISTED) for match in _SIGNED_SMALL.finditer(text))
    for match in _SMALL.finditer(text):
        first, last = match["first"], match["last"]
        known = is_given(first) and (last.title() in surnames() or _NAMED_SMALL.search(text, 0, match.start()))
        if known or (is_given(last) and first.title() in surnames()):
            yield FreeName(*match.span(), LISTED)
    for match in _SINGLE.finditer(text):
        start, end = match.span()
        if match[0] in called.given:
            yield FreeName(start, end, LISTED)
        elif without_accents(match[0]) in given and match[0] not in called.places:
            before = _NOT_ALONE.search(text, max(0, match.start() - _LEAD), match.start())
            if before is None or before["capital"] in NO_WORDS:
                yield FreeName(*match.span(), LISTED)


def _led(text: str) -> Iterator[FreeName]:
    """What stands behind a word that leads to somebody."""
    ends = given_names()[1]
    for match in (
        each
        for form in (_LED, _PART_OF_NAME, _INITIALS, _OWNS, _IN_BRACKETS, _PARAMETER, _SPEAKER, _LINE, _PINYIN, _QUOTED)
        for each in form.finditer(text)
    ):
        start, end = match.span(str(match.lastgroup))
        parts = text[start:end].split(" ")
        while len(parts) > 2 and parts[0] in NO_WORDS | PARTIES:  # Plaintiff Liam Okonkwo
            start, parts = start + len(parts[0]) + 1, parts[1:]
        begins = parts[0].title() if parts[0].isupper() else parts[0]  # SELECT COUNT
        if begins not in NO_WORDS - {"Will"} and parts[-1] not in (ends - _ENDS_TOO) | NO_NAMES:
            yield FreeName(start, end, LISTED)
    for match in _REVERSED_LED.finditer(text):
        last, first = without_accents(match["last"]), without_accents(match["first"])
        if last not in NO_WORDS and (first in given_names()[0] or first in words_as_names()):
            yield FreeName(*match.span("value"), LISTED)
    yield from _in_listings(text)
    yield from _under_heads(text)
    yield from _inserted(text)
    yield from (FreeName(start, end, LISTED) for start, end in cantonese_names(text))
    for match in (each for form in _CHINESE_FORMS for each in form.finditer(text)):
        group = str(match.lastgroup)
        before = text[max(0, match.start(group) - _LEAD) : match.start(group)]
        led = before.endswith(_SURELY) and not is_entry(match[group])  # 收件人金文学
        if led or not _is_other(match[group]):
            yield FreeName(*match.span(group), MODEL)
    for match in _HAS.finditer(text):  # a place of that name has no telephone: 马山 手机号码是…
        if not (is_common(match["value"]) if len(match["value"]) == 2 else _is_other(match["value"])):
            yield FreeName(*match.span("value"), MODEL)
    for match in _RARELY.finditer(text):
        yield FreeName(*match.span(str(match.lastgroup)), MODEL)


def _in_listings(text: str) -> Iterator[FreeName]:
    """The names in lines of who was there, the surname first where signs part the names: Park, Zuri; Bell, Ewan."""
    ends = given_names()[1]
    for line in _LISTING.finditer(text):
        first, last = line.span("names")
        by_comma = ";" not in line["names"]
        at, items = first, []
        for between in re.finditer(r"[,，、]" if by_comma else ";", text[first:last] + (",;"[not by_comma])):
            items.append((at, first + between.start()))
            at = first + between.end()
        for start, end in items:
            match = _ITEM.match(text, start, end)
            if match is None:
                continue
            words = re.findall(rf"[{LATIN}]+", match["value"])
            if words[-1] not in (ends - _ENDS_TOO) | NO_NAMES and not NO_WORDS.intersection(words):
                yield FreeName(*match.span("value"), LISTED)


def _under_heads(text: str) -> Iterator[FreeName]:
    """What stands under the head of a column of people: | Name | Phone |."""
    ends = given_names()[1]
    for cell in persons_cells(text):
        words = text[cell.start : cell.end].replace(",", "").split(" ")
        form = _ONE_WORD if _IS_PART.fullmatch(cell.head) else _FULL_NAME
        is_name = cell.is_name and (form.fullmatch(text, cell.start, cell.end) or _is_reversed(text, cell))
        if is_name and words[0] not in NO_WORDS - {"Will"} and words[-1] not in (ends - _ENDS_TOO) | NO_NAMES:
            yield FreeName(cell.start, cell.end, LISTED)


def _is_reversed(text: str, cell: PersonsCell) -> bool:
    """Whether a cell is of a surname and a name behind it: Brennan, Ruby."""
    return _REVERSED.fullmatch(text, cell.start, cell.end) is not None


def _inserted(text: str) -> Iterator[FreeName]:
    """The parts of a name that SQL writes into columns of their own."""
    for match in _INSERT.finditer(text):
        heads = [head.strip(' "`[]') for head in match["heads"].split(",")]
        cells = _CELL.finditer(text, *match.span("cells"))
        for head, cell in zip(heads, cells, strict=False):
            if cell["value"] and _IS_PART.fullmatch(head) and _ONE_WORD.fullmatch(cell["value"]):
                yield FreeName(*cell.span("value"), LISTED)


def _is_other(name: str) -> bool:
    """Whether what reads as a Chinese name is a word: 高兴, 安全员, 王老师; but not 单子涵 and 欧阳海涛."""
    if name == "陈述" or name[-1] in "吗呢吧么" or name[1:] in ("明天", "今天"):
        return True
    if name[:2] in _COMPOUND or len(name) == 2:
        return len(name) == 2 and is_word(name)
    if name[0] in _FUNCTION and is_common(name[1:]) and not set(name[1:]) <= _GIVEN_NAMES:
        return True
    # 梁建国 stands in the dictionary as a place; 黄浦江 and 文艺兵 are what they are
    is_place = is_entry(name) and not (set(name[1:]) <= _GIVEN_NAMES and name[2] not in _PLACES)
    return is_place or name[1:] in TITLES or (is_common(name[:2]) and name[2] not in GIVEN_CHARACTERS)
