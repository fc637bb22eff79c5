"""Names of people: labelled ones by rule; unlabelled ones come from `datacheck.pii.names`."""

import re
from random import Random

from datacheck.pii.given_names import is_given, surnames, words_as_names
from datacheck.pii.matching.expressions import HAN, NAME_LINKER
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, words

# The surnames of 99 % of the people (Ministry of Public Security's reports), and the compound ones.
SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章云苏潘葛奚范彭郎鲁韦昌马苗"
    "凤方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于傅皮卞齐康伍余元卜顾孟黄穆萧尹姚邵湛汪祁毛禹狄米"
    "贝臧计伏成戴宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯"
    "管卢莫房裘缪解应宗丁宣邓郁单杭洪包诸左石崔吉龚程邢裴陆荣翁荀羊惠甄曲封储靳段富巫焦巴牧山谷车侯全班仲宫宁"
    "仇栾甘厉祖武符刘景詹束龙叶幸司黎薄印宿白怀蒲从鄂索赖卓蔺屠蒙池乔闻党翟谭姬申冉雍桑桂牛边扈燕冀尚农温庄晏"
    "柴瞿阎慕连习艾鱼容向古易廖耿满匡国文寇欧沃利蔚越师巩聂晁敖冷辛阚简饶曾沙鞠关查游权肖涂闫岳佟陳張劉楊趙吳"
    "黃孫馬蘇呂蔣賈葉鄧許鄭謝韓馮蕭鍾盧錢龔薩覃付佘练冼仝亓隋谌荆買練羅鄒陸嚴龍顧萬齊關莊聶範倫駱簡譚雲湯魯遊"
    "賴顏龐溫賀閻喬紀閔麥單衛鐘項塗鄺"
)
COMPOUND = (
    "欧阳|太史|端木|上官|司马|东方|独孤|南宫|万俟|闻人|夏侯|诸葛|尉迟|公羊|赫连|澹台|皇甫|宗政"
    "|濮阳|公冶|太叔|申屠|公孙|慕容|仲孙|钟离|长孙|宇文|司徒|鲜于|司空|令狐|轩辕|歐陽"
)
# Common characters of given names: a role is followed by names and by any other word.
GIVEN = (
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰建国志晓东雨欣子涵浩然梓萱思远佳怡俊熙文博海燕庆春梅立新诺嘉豪诗琪振永康雪一宇轩泽睿宏鹏飞龙虎辉斌波峰鑫凯亮"
    "健林森彬琳琴莉红云月莲凤珍婷玲慧颖洁倩雯薇萍露瑶瑞蕾璐菲菁馨妍妮婉淑惠巧美爱贞荣香莎彩翠雅芝素环璇佩纨仪丹蓉眉君蕊媛姣悦昭冰爽茗羽希宁蓓妤冬兴良民贵福顺信昌胜义"
    "光武毅达辰帆航启皓宸铭逸晨阳昊天乐翔恒奕楠骏哲尧舜霖贤德忠诚根茂祥瑾珊琼莹莺钰霄菊桃芬芷若彤桐语舒沐汐心忆安歌清泉源江河山川松柏竹兆仁礼智孝廉生成富长玮琦珂琛瑜"
    "瑛璟炜煜炎焱灿烨熠煊熹婧娇娅嫣姗妙依伊柔韵岚枫朵苗苑菡茜葵蔓蕙宝喜旺金银铁钢树柱栋梁书剑锋铮锐钧锦镇震霆雷万向卫兵利维嵩岩岳崇峻巍洲浦沛淳渊润澄潇澜瀚滨"
    "墨懿靖廷绍洪曼延邦敬寿迪雄鸿培斐卿灵誉耀威麟坚乾禄修盛隆炳溪朗衡旭勋宪勤儒谦裕奎龄翰钦鼎丰甫昆佐跃湘"
    "家宗绣若世芸芹骥淇沅珏琬筱钊铠骁漫晗小行知言亦夏薇凡程宜孟扬楚少"
    # traditional forms
    "偉傑剛華蘭國曉東詩銘麗鳳寶貴順龍飛鵬慶紅雲蓮穎潔樂翰賢詠強軍勝業雅詩婷佩靜儀燁誠義憲瑋凱麗維綺慈嫻"
    "曦鸣佑祐昕昱晟晗祺硕彧翊苒洛柠禾恩圣帅亚冠群继守秉彦晴晶桢梦玥玟琰娥珠萌乔景承艺"
)
COMPOUNDS = frozenset(COMPOUND.split("|"))
SURNAME_AND_GIVEN = re.compile(rf"({COMPOUND}|[{HAN}])([{HAN}]{{1,2}})")
"""What may be a Chinese name: a surname, be it of two characters, and a given name."""
_SPACED = "|".join("[ \u3000]?".join(name) for name in COMPOUND.split("|"))
_ENDS_OF_COMPOUNDS = "".join(sorted({name[-1] for name in COMPOUNDS}))  # in a superset of what follows
_LIKELY = rf"(?:{_SPACED}|[{SURNAMES}])(?:[ \u3000]?[{GIVEN}]){{1,2}}"
# What may follow such a name; a third character of a word may not.
_FOLLOWS = (
    r"的|[已也在于与和及同]|收到|申请|签[收字名]|来|为|是|办理|购买|预约"
    # the next entry of a form, without a sign between them: 姓名许军性别男
    r"|性别|年龄|电话|手机|联系|[入出住]院|就诊|身份证|[住地]址|出生|生于|签?收|[男女]"
    r"|确认|反馈|表示|说|称|需|要|本人|先生|女士|谢谢|麻烦|别|对吗|没错|就行|就好|在线等|请|可以[吗么]|[哈哦噢呀啊吧呢啦哟]"
)
_END = rf"(?:{_FOLLOWS}|[^{HAN}]|$)"
_ENGLISH_LABEL = (
    r"(?i:(?:full|real|legal|patient|customer|contact|client|employee|student|recipient|receiver|sender|applicant|holder"
    r"|card[ _\-]?holder|account|guardian|passenger|guest|emergency[ _\-]?contact)[ _\-]{0,2}name"
    r"|(?:contact|responsible)[ _\-]{0,2}person|consignee|addressee)"
)
_QUOTED_KEY = rf"{_ENGLISH_LABEL}\\{{0,3}}[\"'][ ]?[:：][ ]?\\{{0,3}}[\"']"
_BARE_KEY = r"(?i:name)[\"'\\]{0,2}[ ]?[:：=][ ]?\\?[\"']?"
_OPENS, _CLOSES = '[“"‘「【『（(《]', '[”"’」】』）)》]'
_NAME = rf"(?:(?:{COMPOUND})[{HAN}]{{1,2}}|[{SURNAMES}][{HAN}]{{1,2}})"
_NO_THANKS = "(?!谢谢|(?<=[感多致答鸣拜酬]|(?<![感多致答鸣拜酬谢])谢)谢)"  # 谢谢俞女士, 感谢俞女士: no 谢 of a surname
# After a name without punctuation these go on with the sentence: 我叫张伟来自…
_AFTER = "来是今在的和年从现毕担任曾住电联女也我您你请想要很有，"
_CUT = (
    rf"(?:(?:{COMPOUND}|[{SURNAMES}])(?:[{HAN}]{{2}}(?![{HAN}])|[{HAN}]{{1}}(?=[^{HAN}]|[{_AFTER}]|\Z)|[{HAN}]{{1,2}}))"
)
_LABEL = (
    r"(?:姓[ \u3000]{0,4}名|名字|联系人|联络人|收件人|收货人|寄件人|发件人|患者|病人"
    r"|户[ \u3000]?名|持卡人|开户人|申请人|法定代表人|法人代表|法人"
    r"|负责人|经办人|签[ \u3000]?名|签字|投保人|被保险人|受益人|甲方|乙方|原告|被告|监护人|紧急联系人|聯絡人|收件者"
    r"|申請人|收貨人|負責人|經辦人|監護人|聯繫人|緊急聯絡人|投保人|被保險人|戶[ \u3000]?名|開戶人)"
)
# Behind these stand other words as well (业主：你好), so only what reads as a name counts.
# Whoever is called so has a name of any characters: 收件人是陳大文
_NAMED = r"(?:姓名|联系人|联络人|[收寄发]件人|收货人|持卡人|开户人|户名|申请人|经办人|投保人"
_NAMED += r"|聯絡人|聯繫人|收件者|申請人|收貨人|經辦人)"
_SAID = r"(?:(?:就|还|应该|應該|确实)?[是为為叫係]|[写填寫](?:的是?)?|这一栏填)"
_MORE_ROLES = "(?:户主|戶主|报名人|報名人|承租人|出租人|报案人|当事人"
_MORE_ROLES += "|考生|乘客|旅客|住户|业主|租客|家长|就诊人|受检人|预订人|預訂人)"
_ANY_ROLE = rf"(?:{_LABEL}|{_MORE_ROLES})"
_ROLE = rf"(?:{_LABEL}|{_MORE_ROLES}(?:(?![{HAN}])|(?=[是为叫写填就])))"
_LATIN_LABEL = rf"(?:{_LABEL}|(?:姓名|名字)?拼音|英文(?:姓?名|名字))"
_HONOURS = words(
    "老师 医生 大夫 律师 经理 主任 教授 师傅 阿姨 同学 护士 护士长 总监 校长 院长 警官 法官 博士 董事长 总经理 "
    "局长 科长 处长 书记 队长 "
    "班长 组长 店长 主管 叔叔 大哥 大姐 先生 女士 小姐 老師 醫生 律師 經理 師傅 同學 護士 總監 校長 院長"
)
_HONOUR = "|".join(sorted(_HONOURS, key=lambda word: (-len(word), word)))
_AFTER_CHIEF = "您说好的来打主签叫让请也"  # 张伟总说, but not 张伟总是
_TITLES = words("先生 女士 小姐")
# What may stand before a full name and a title, besides a sign: 请转告朱若曦女士, 昨天挂的任家骏经理的号
_BEFORE_A_NAME = "和与及向给为是被把请让找对跟同的由叫约才刚下告知联系说见问帮替到位名了"
_BEFORE_A_NAME += "转在个这那挂陪谢跟随因请邀聘任用经给於與給為請讓找對約剛聯絡說見問幫轉謝"
_COLON = r"[\"'”*_\\ \t\u3000】）)\]|]{0,3}[:：=|][\"'“*_\\ \t\u3000【（(\[|]{0,4}"
_CALLED = (
    r"(?:我(?:的名字)?(?:就|名)?叫做?|我的名字[是叫]|我的姓名是|本人姓名|姓名[是为叫]|名字[是为叫]"
    r"|他叫|她叫|(?<!日)本名|真名[是叫]?)[ ]?(?:[:：])?[ ]?"
)
# Before "Name:", what is nobody: a game, a character of a story, a firm.
_NOBODY = "".join(
    rf"(?<!{word} )" for word in "Game Character Hero Company Product Project Brand Team App Book Movie Band".split()
)
_DESCRIBED = r"[^\n]{1,80}\n[ ]{0,4}(?:Description|Parameters)[ ]?[:：]"  # the name of a tool
LATIN = r"A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ"
UPPER = "A-ZÀ-ÖØ-Þ"
"""Latin letters, and capitals with which names begin, inside a class."""
# A full stop belongs to few words: with "My name is Sarah. My order …" a sentence ends.
_WORD = rf"(?:(?:Dr|Mrs?|Ms|Prof|Eng|Jr|Sr|St|Wm)\.|[{UPPER}][{LATIN}'’\-]{{1,20}})"
# What stands behind a name on the same line is the label of the next value: Contact: Jane Roe Tel: …
NEXT_LABEL = (
    r"(?!(?:Tel|Telephone|Phone|Mobile|Cell|Fax|E-?[Mm]ail|Mail|QQ|We[Cc]hat|Address|Passport|Card|Account|ID|Age|Date|DOB|Born"
    r"|Gender|Sex|From|To|Re|Subject|Company|Title|Room|Order)(?![A-Za-z]))"
)
_PARTICLE = r"(?:(?:van|von|de|del|della|der|den|dos|da|di|la|bin|ibn|al|el)[ ]){0,2}"
_ON = rf"(?:[ ]{_PARTICLE}{NEXT_LABEL}(?:{_WORD}|[A-Z]\.))"
# A title is no label by itself: novels and exercises are full of them. Beside an identifier it is (see names.py).
TITLED = (
    r"(?<![A-Za-z])(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?[ ]"
    rf"(?P<value>{_WORD}(?:[ ]{NEXT_LABEL}(?:{_WORD}|[A-Z]\.?)){{0,2}})(?![A-Za-z])"
)
# Who stands between a word that leads to somebody and an identifier: ship to Siobhan O'Connor (415-…
ADDRESSED = (
    r"(?<![A-Za-z])(?i:to|for|from|by|with|contact|attn\.?|call|ask|cc|dear|hi|hello|name|patient|recipient|is|am)"
    r"[:,]?[ ]"
    rf"(?P<value>{_WORD}(?:[ ](?:{_WORD}|[A-Z]\.)){{1,2}})[ ,:(<\[—-]{{1,3}}\Z"
)
# Who says the name before an identifier and its label: This is Tobias Haverford, passport number E6…
INTRODUCED = (
    r"(?<![A-Za-z])(?i:this is|it is|it[’']s|here is|i am|i[’']m)[ ]"
    rf"(?P<value>{_WORD}(?:[ ](?:{_WORD}|[A-Z]\.)){{1,2}})(?=[,;(]|\.[ ]| and my | speaking)"
)
_FULL = rf"{_WORD}(?:[ ]{NEXT_LABEL}(?:{_WORD}|[A-Z]\.?)){{0,2}}[ ]{_PARTICLE}{NEXT_LABEL}{_WORD}"
_TRY_AM = r"(?:I[’']?m|I am)[ ][A-ZÀ-ÖØ-Þ]"
_TRY_THIS = r"[Tt]his is[ ][A-ZÀ-ÖØ-Þ]"
_TRY_LABELLED = (  # the labels of person.en, without what must not stand before them
    r"(?:(?i:my name is|my name[’']s|i[’']?a?m called|(?:full|patient|customer|contact|client|employee|student)[ _]?"
    r"name[\"']?[ ]?[:：=][ ]?[\"']?|(?:patient|contact|attn|recipient)[ ]?[:：])|N(?:ame|AME)[ ]?[:：])"
    r"[ ]{0,2}[A-ZÀ-ÖØ-Þ]"
)
_MIXED = r"(?:我[是叫]|叫我|本人)[ ]?"  # a Chinese sentence and an English name
_TRY_MIXED = rf"{_MIXED}[A-ZÀ-ÖØ-Þ]"
_TRY_ENGLISH = rf"{_TRY_LABELLED}|{_TRY_AM}|{_TRY_THIS}|{_TRY_MIXED}"
# Behind 姓名 stands the head of the next column, or the next label: | 姓名 | 手机号 |
_FIELD = re.compile(
    f"[{HAN}]*(?:[号號码碼址箱]|手[机機]|[电電][话話]|座[机機]|微信|[邮郵][件编編]|性别|性別|年[龄齡]|生日|学历|職[位称業]|职[位务称业]|部[门門]|城市|省份"
    "|日期|[时時][间間]|备注|備註|金额|金額|数量|數量|单位|單位|公司|[关關]系|[关關]係|住[处處]|班[级級]|年[级級]|科室|[诊診][断斷]|成[绩績]|分[数數]|[职職]?工[号號])"
)
_STOP = words(
    "查到 查询 查看 查收 查找 查一 查得 查出 查过 查明 查不 "
    "什么 不详 未知 匿名 保密 待定 同上 无名 方法 应该 时间 单位 公司 安全 成功 任何 全部 计算 "
    "从事 常用 和平 高级 成为 应用 "
    "印度 古巴 蒙古 单亲 应届 成熟 成年 高贵 高雅 温柔 时尚 时髦 单身 年轻 平凡 华贵 严肃 严厉 "
    "严格 关于 向量 国家 管家 农家 文字 文本 文件 项目 利用 单元 程序 解释 于是 高兴 万一 安排 计划 从来 "
    "单程 荣誉 全面 全国 成都 路人 强大 连续 "
    "班长 宁夏 方知 曾经 简单 简历 张三丰 时候 何时 何人 何种 谁家 解决 易用 温度 向上 向下 容量 容易 农民 师傅 "
    "房子 房屋 房产 房间 权利 权益 权属 左右 白色 黄色 蓝色 高度 "
    "支持 支付 关系 关闭 关心 关注 管理 管理员 应急 全体 全名 常见 包括 包含 路径 游戏 水平 石头 雷达 金额 "
    "高血 高烧 高热 黄疸 白血 水肿 水痘 车辆 车牌 文档 国籍 江苏 江西 云南 安徽 山东 山西 广东"
)
_GOING_ON = frozenset("一行安成明长家小生良民国")  # characters of given names with which a sentence goes on as well
_WHO = frozenset({"房东", "房主", "房客", "车主", "商家", "商户", "党员"})  # by a word that begins with a surname
_SPECIMENS = frozenset({"John Doe", "Jane Doe"}) | words(
    "张三 李四 王五 赵六 小明 小红 张某 李某 王某 刘某 李明 王小明 李华 韩梅梅 李雷 某某 陈某"
)
_ENGLISH_STOP = words(
    "The This That Not And Your First Last Full Company Product Assistant Chatgpt User New "
    "Unknown None Null String Required Open Model "
    "Data File Test Sample Example An It In At Of Sure Here Please Hello Hi"
)
_HAN_NAME = re.compile(rf"{_NAME}")
_ONE_HAN = re.compile(f"[{HAN}]")
# The role of a firm goes on as a word (法人章程, 法人单位); where no sign parts them, a word is no name.
_BEHIND_A_FIRM = re.compile(r"法人\Z")
_IN_A_LIST = re.compile(r"[\]\"'`]\s?\)?\s?,\s?[\[(\"'`]{1,2}$")


def _is_entry(value: str) -> bool:
    """Whether the dictionary has it as a word: 国语老师, 华东经理."""
    from datacheck.pii.tagger import is_entry  # takes polars and the dictionary, for a few words

    return is_entry(value)


_SAID_OF_ONESELF = frozenset({"person.am_en", "person.this_en", "person.mixed"})
MODEL, LISTED = "person.model", "person.listed"
"""Rules of `datacheck.pii.free_names`: what a network or a list takes for a name is a suspect."""


class Person(Recognizer):
    """A name after 姓名：, 我叫, "my name is"; before 先生, 女士. A surname with a title alone is only a suspect."""

    entity = "PERSON"
    priority = 340
    policy = Policy("warn", suspect="profile", linked="block")  # suspect: a tagger alone says so
    label = "姓名："
    prefilter = (
        rf"{_LABEL}{_COLON}[{HAN}]|(?:我是|我係|叫我|本人){_LIKELY}"
        rf"|(?:[我字就名他她]叫|名字[是为]|姓名[是为]?|本名|真名)[ 做:：是叫]{{0,4}}[{HAN}]"
        rf"|{_TRY_ENGLISH}"
    )
    prefilters = (
        rf"[{HAN}][ ]?(?:先生|女士|小姐)",
        rf"{_ANY_ROLE}{NAME_LINKER}{_LIKELY}{_END}",
        rf"{_NAMED}{_SAID}[{SURNAMES}][{HAN}]{{2}}",
        rf"{_LATIN_LABEL}{NAME_LINKER}{_WORD}[ ][A-ZÀ-ÖØ-Þ]",
        rf"{_LABEL}{NAME_LINKER}{_OPENS}[{SURNAMES}][{HAN}]{{2}}{_CLOSES}",
        rf"[{SURNAMES}{_ENDS_OF_COMPOUNDS}][ \u3000]?[{GIVEN}](?:[ \u3000]?[{GIVEN}])?[ ]?(?:{_HONOUR})",
        rf"[{SURNAMES}{_ENDS_OF_COMPOUNDS}][ \u3000]?[{GIVEN}](?:[ \u3000]?[{GIVEN}])?(?:总|總)",
        # the end of every English label and of the bare key; in JSON no name in English is told by the key alone
        rf"(?i:name|person|consignee|addressee){NAME_LINKER}{_LIKELY}{_END}",
        rf"{_ENGLISH_LABEL}{NAME_LINKER}{_WORD}[ ][A-ZÀ-ÖØ-Þ]",
        rf"{_QUOTED_KEY}[{HAN}]",
    )
    tries = {
        "person.role": (rf"(?:(?:{_ANY_ROLE}|{_ENGLISH_LABEL}){NAME_LINKER}|{_BARE_KEY}){_LIKELY}{_END}",),
        "person.role_en": (rf"(?:{_LATIN_LABEL}|{_ENGLISH_LABEL}){NAME_LINKER}{_WORD}[ ][A-ZÀ-ÖØ-Þ]",),
        "person.am_en": (_TRY_AM,),
        "person.this_en": (_TRY_THIS,),
        "person.mixed": (_TRY_MIXED,),
        "person.en": (_TRY_LABELLED,),
    }
    ends = {"person.title": (_TITLES, 8), "person.surname": (_TITLES, 8), "person.honoured": (_HONOURS, 12)}
    patterns = {
        "person.label": (
            rf"(?!患者|病人){_LABEL}{_COLON}(?P<value>[{HAN}]{{1,8}}[·•・][{HAN}]{{1,8}}|[{HAN}]{{2,4}}(?![{HAN}])"
            rf"|{_NAME})"
        ),
        # 患者：谢谢医生 is who speaks
        "person.patient": (
            rf"(?:患者|病人){_COLON}(?P<value>{_LIKELY}(?![{HAN}])|{_NAME}(?=[，,、/ ]{{0,2}}(?:男|女|[0-9]{{1,3}}岁)))"
        ),
        "person.role": (
            rf"(?:(?:{_ROLE}|{_ENGLISH_LABEL}){NAME_LINKER}|{_BARE_KEY})(?P<value>{_LIKELY})(?={_END})(?![ ]?[:：])"
        ),
        "person.stated": rf"{_NAMED}{_SAID}(?P<value>[{SURNAMES}][{HAN}]{{2}})(?=没错|不是|[^{HAN}]|\Z)",
        # of three characters and between quotes or brackets: 投保人（“黎景行”）
        "person.quoted": rf"{_LABEL}{NAME_LINKER}(?<={_OPENS})(?P<value>[{SURNAMES}][{HAN}]{{2}})(?={_CLOSES})",
        # a full name and what somebody is called by
        "person.honoured": (
            rf"(?:(?<![{HAN}·•・])|(?<=[{_BEFORE_A_NAME}])){_NO_THANKS}(?P<value>{_LIKELY})[ ]?"
            rf"(?:{_HONOUR})"
        ),
        # {"customer_name": "薛紫涵"}: no other word stands alone between quotes behind such a key
        "person.key": rf"{_QUOTED_KEY}(?P<value>{_NAME})(?=\\{{0,3}}[\"'])",
        "person.role_en": (  # "Jamie's full name is" belongs to a story
            rf"(?:{_LATIN_LABEL}|(?<![’']s[ ]|(?<![A-Za-z])(?:his|her|their)[ ]){_ENGLISH_LABEL}){NAME_LINKER}"
            rf"(?<![A-Za-z])(?P<value>{_FULL})"
        ),
        "person.called": (
            rf"{_CALLED}(?P<value>{_CUT}|[{SURNAMES}](?:[ \u3000][{GIVEN}]){{1,2}}"
            rf"(?![{HAN}]|[ ][{GIVEN}]))"
        ),
        "person.am": (
            rf"(?:我是|我係|叫我|(?<![{HAN}])本人)(?P<value>{_LIKELY})(?=谢谢|麻烦|吧|就行|就好|哈|啊|呀|[^{HAN}]|\Z)"
        ),
        "person.am_en": (
            rf"(?<![A-Za-z])(?:I[’']?m|I am)[ ]"
            rf"(?P<value>{_WORD}(?:[ ]{_PARTICLE}(?:{_WORD}|[A-Z]\.)){{0,2}})(?![A-Za-z])"
        ),
        "person.this_en": (
            rf"(?<![A-Za-z])[Tt]his is[ ](?P<value>{_WORD}(?:[ ]{_PARTICLE}(?:{_WORD}|[A-Z]\.)){{1,2}})"
            r"(?=,[ ](?!the |an? |who |which |one |our )|[ ](?:and my|speaking|calling)(?![A-Za-z])"
            r"|\.[ ](?:My|I|I[’'][a-z]{1,2})[ ])"
        ),
        "person.mixed": (rf"{_MIXED}(?P<value>{_WORD}(?:[ ]{_PARTICLE}(?:{_WORD}|[A-Z]\.)){{1,2}})(?![{LATIN}{HAN}·])"),
        "person.title": (
            # 对于王先生来说: no 于 of a surname
            rf"(?:(?<![{HAN}])|(?<=[和与及向给为是被把请让找对跟同的由叫约才刚]))"
            rf"(?!(?<=[对由])于){_NO_THANKS}(?P<value>{_NAME})[ ]?"
            r"(?:先生|女士|小姐)"
        ),
        "person.chief": (
            rf"(?:(?<![{HAN}·•・])|(?<=[{_BEFORE_A_NAME}])){_NO_THANKS}(?P<value>{_LIKELY})[总總]"
            rf"(?:(?![{HAN}])|(?=[{_AFTER_CHIEF}])(?!的[来說说看原趋方情目体]))"
        ),
        "person.surname": rf"{_NO_THANKS}(?P<value>{_NAME}|{COMPOUND}|[{SURNAMES}])[ ]?(?:先生|女士|小姐)",
        "person.en": (
            rf"(?:(?i:my name is|my name[’']s|\bi[’']?a?m called|(?:full|patient|customer|contact|client"
            rf"|employee|student)[ _]?name[\"']?[ ]?[:：=][ ]?[\"']?"
            rf"|\b(?:patient|contact|attn|recipient)[ ]?[:：])|(?:(?<![A-Za-z\"'])|(?<=:\")|(?<=:[ ]\"))"
            rf"{_NOBODY}N(?:ame"
            rf"|AME)[ ]?[:：](?!{_DESCRIBED}))[ ]{{0,2}}(?P<value>{_WORD}{_ON}{{0,3}})"
        ),
    }
    extents = (
        rf"(?:(?:{_LABEL}|{_ENGLISH_LABEL}){NAME_LINKER}|{_BARE_KEY})(?P<value>{_LIKELY})",
        rf"(?:{_LABEL}|{_ENGLISH_LABEL}){NAME_LINKER}(?P<value>{_FULL})",
        rf"{_LABEL}{_COLON}(?P<value>[{HAN}]{{1,8}}[·•・][{HAN}]{{1,8}}|[{HAN}]{{2,4}})",
        rf"{_CALLED}(?P<value>{_CUT})",
        rf"(?P<value>[{HAN}]{{1,3}})[ ]?(?:先生|女士|小姐)",
        TITLED,
        (
            rf"(?i:my name is|my name[’']s|name[\"']?[ ]?[:：=][ ]?[\"']?|patient[ ]?[:：]"
            rf"|contact[ ]?[:：])[ ]{{0,2}}(?P<value>{_WORD}(?:[ ](?:{_WORD}|[A-Z]\.)){{0,3}})"
        ),
        (
            r"(?i:called|attn|recipient)[ ]?[:：]?[ ]{0,2}(?P<value>[A-Z][A-Za-z'’\-]{1,20}\.?(?:"
            r"[ ][A-Z][A-Za-z'’\-]{1,20}\.?){0,3})"
        ),
    )
    specimens = _SPECIMENS

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the surname and the label."""
        if rule in (MODEL, LISTED):
            # IRIS MOORE, LIU Zhiming: who lists it has read it so
            written = " ".join(part.title() if part.isupper() else part for part in value.split(" "))
            judged = self.judge("person.en" if rule == LISTED else "person.called", written)
            return judged and (judged if judged.state == "specimen" else Judgement(0.5, "suspect"))
        if rule in _SAID_OF_ONESELF and not self._begins_as_a_name(value):
            return None  # I'm Canadian
        if rule in ("person.en", "person.role_en", "person.titled", "person.am_en", "person.this_en", "person.mixed"):
            return self._english(value)
        value = "".join(value.split())
        if value in _SPECIMENS or re.search("某|^.[甲乙丙丁]$", value):
            return Judgement(0.9, "specimen")
        if self._is_a_word(rule, value):
            return None
        if rule == "person.surname":
            return Judgement(0.5, "suspect")
        if _HAN_NAME.fullmatch(value) or re.search("[·•・]", value):
            return Judgement(0.9 if rule in ("person.label", "person.patient") else 0.7, "valid")
        return Judgement(0.5, "suspect")

    def _is_a_word(self, rule: str, value: str) -> bool:
        """Whether what stands where a Chinese name is expected is a word instead."""
        if rule == "person.label" and _FIELD.fullmatch(value):
            return True
        if value in _STOP or value in _WHO or value == "韩国":  # 韩国女士, but 韩国强先生 has a name
            return True
        if value[:2] in _STOP and not self._goes_on_as_a_name(rule, value):
            return True
        if rule in ("person.honoured", "person.chief", "person.stated") and _is_entry(value):
            return True
        return rule == "person.stated" and (_is_entry(value[:2]) or _is_entry(value[1:]))  # 收件人是单位的

    @staticmethod
    def _goes_on_as_a_name(rule: str, value: str) -> bool:
        """Whether a word with which a surname begins is only the beginning of a name."""
        said = rule in ("person.called", "person.label", "person.role", "person.stated", "person.quoted", "person.key")
        rest = value[2:]
        likely = len(rest) == 1 and rest in GIVEN and rest not in _GOING_ON  # 我叫查询一下
        return said and likely and not (_is_entry(value) or _is_entry(value[1:]))

    @staticmethod
    def _begins_as_a_name(value: str) -> bool:
        """Whether it begins with an English given name, or before another name with one that is a word as well."""
        first, _, more = value.partition(" ")
        return is_given(first.rstrip(".")) or bool(more and first in words_as_names())

    def doubts(self, value: str, before: str, after: str) -> bool:
        """In a list of fields the next one stands behind a label, no value: Customer[CustomerName], [Total Sales]."""
        del after
        return value.isascii() and bool(_IN_A_LIST.search(before)) and not is_given(value.split(maxsplit=1)[0])

    def is_other(self, text: str, start: int, end: int) -> bool:
        """What other words make up is no name: 了解|清楚律师, and behind a role without a sign 法人|章程."""
        value, before = text[start:end], text[max(0, start - 1) : start]
        if not _ONE_HAN.fullmatch(before) or not value.isalpha() or value.isascii():
            return False
        split = len(value) > 2 and _is_entry(before + value[0]) and _is_entry(value[1:])
        return split or (_BEHIND_A_FIRM.search(text, max(0, start - 4), start) is not None and _is_entry(value))

    def _english(self, value: str) -> Judgement | None:
        parts = value.rstrip(".").split()
        spelt_large = any(part.isupper() and len(part.rstrip(".")) > 1 for part in parts)
        large = len(parts) > 1 and value.isupper() and (is_given(parts[0]) or parts[-1].title() in surnames())
        if any(part.rstrip(".").title() in _ENGLISH_STOP for part in parts) or (spelt_large and not large):
            return None
        if value in _SPECIMENS:
            return Judgement(0.9, "specimen")
        return Judgement(0.7, "valid" if len(parts) > 1 else "suspect")

    def canonical(self, value: str) -> str:
        """Return it without white space at the ends, one blank between words, a Chinese name without any."""
        parts = value.split()
        return "".join(parts) if re.search(f"[{HAN}]", value) else " ".join(parts).rstrip(".")

    def mask(self, value: str) -> str:
        """Keep the first character."""
        return f"{value[:1]}**"

    def canary(self, rng: Random) -> str:
        """Return a labelled name."""
        given = "".join(rng.choice("建国志强晓芳俊杰雪梅海燕文博雨桐浩然思远宇轩子涵梓欣怡佳琪") for _ in range(2))
        return f"{self.label}{rng.choice('张王李赵陈刘杨黄周吴徐孙马朱胡郭林何高罗')}{given}"
