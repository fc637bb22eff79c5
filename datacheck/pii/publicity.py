"""Tell what is an institution's from what is a person's: hotlines, role mailboxes, addresses of shops and offices.

A company prints its number so that it is called; a private person does not. No number says whose it is: the words
around it do, and the nearest of them decides. Where a private identifier stands beside it (a customer's mobile number
beside the address), or where no word says anything, it stays private; only a street and a number without a room, to
which nothing ties a person, is a place.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from datacheck.pii.given_names import is_given
from datacheck.pii.mailboxes import is_a_task_of_an_authority, is_an_authoritys, is_nobodys_name, is_ours
from datacheck.pii.recognizers.email_address import signs
from datacheck.text.chinese import simplified

BEFORE, AFTER = 48, 20
"""Code points before and after a value in which the words are looked for; as much as a line of a business card."""
HEARD = 300
"""Code points of what was said before that may tell of whom or what is spoken."""

_SHORTEST = 4  # letters of an office's short name: two or three are somebody's initials
# Mailboxes that stand for a function; RFC 2142 names the half of them.
_ROLES = re.compile(
    r"(?:[a-z0-9]{1,20}[._-])?(?:info|redaktion|redaction|redazione|redaccion(?:web)?|redakcja|presse|prensa|medien|verlag"
    r"|abo|kontakt|contacto|contatto|anzeigen|werbung|reklama|kundenservice|kundeservice|asiakaspalvelu|kanzlei|rathaus"
    r"|suscripciones|leserbriefe|letters|community|moderators?|webteam|accessibility|subs|advertising|publicfile|stats"
    r"|solutions|kf|jubao|zixun|zhengwu|banquan|shangwu|hezuo|copyright|tips|hallo|bonjour|hola"
    r"|support|services?|customer[._-]?(?:service|care|support)s?|care|sales|contact(?:us)?"
    r"|help(?:desk)?|admin(?:istrator)?|webmaster|postmaster|hostmaster|ftpmaster|abuse|security|privacy|legal|dpo|office|press|media"
    r"|news|newsletter|pr|hr|jobs?|careers?|recruit(?:ing|ment)?|zhaopin|hiring|marketing|billing|accounts?|finance|orders?"
    r"|enquir(?:y|ies)|inquir(?:y|ies)|feedback|complaints?|tousu|no-?reply|do-?not-?reply|alerts?|notifications?"
    r"|ombuds(?:man|person)?|editors?|editorial|submissions?|tougao|team|hello|mail|purchas(?:e|ing)|kefu|fuwu|hotline|registrar|admissions?|zhaosheng"
    r"|root|devs?|developers?|issues|commits|users?|announce|maint(?:ainers?)?|distros|corrections?"  # lists
    r"|lists?|sig|ideas|discuss(?:ions?)?|committers|checkins|bugs?|patches"
    r"|abonnements?|publicidad|lizenzen|pressestelle|zentrale|redac|redacao|bestellung(?:en)?|vertrieb|opinion|listings|[a-z]{2,8}publicfile|adsales"
    r"|leserservice|infoservice|onlinefeedback|promotion|bianji|websites?"
    r"|pki|certs?|certificates?|server"  # of those that issue certificates (RFC 5280: emailAddress=server-certs@…)
    r"|errors?|bounces?|crawlers?|spiders?|bingbot|googlebot"  # machines
    r"|library|reservations?|bookings?|donations?|donate|membership|investors?|ir|permissions?|subscribe|unsubscribe"
    r")[0-9]{0,3}(?:[._-][a-z0-9]{1,20})?"
    # with a name before or behind these are somebody's: anna.photo@
    r"|advertise|web-?masters|mailer(?:-daemon)?|no-?reply-[a-z0-9]+|(?:(?:corporate|company)[._-]?)?secretary|(?:news)?desk"
    r"|fotos?|photos?|bildredaktion|blog|faktencheck|hinweise|unterstuetzen|testament|medienzentrum|buchservice|printer|scanner"
    r"|ads|annons(?:er)?|anuncios|nyheter|contato|gerencia|sistemas|fraktion|newsroom|newstips|grievances?(?:[._-][a-z]{1,8})?"
    r"|[a-z]{2,12}(?:support|casework|inquiries|enquiries|service-?desk|help-?desk)|accounting|payroll|procurement|reception|compliance"
    r"|facilities|events|partner(?:ship)?s|outreach|volunteer(?:s|ing)?|general|join|conduct|contributors|system"
    r"|market|executive|foundation|comunica(?:cion|cao|tion)|pesquisa|social-?media|site|forbruker|pagina[._-]?web|user-?feedback|webredaktion"
)
# Of an authority a mailbox is a task's: consequences@odi.ohio.gov. Who works there has a name of one's own.
_GOVERNMENT = re.compile(
    r"(?:^|[.])(?:gov|mil|gov[.][a-z]{2}|gob[.][a-z]{2}|gouv[.][a-z]{2}|govt[.]nz|go[.](?:jp|kr|th|id|ke|tz|ug)|gc[.]ca|europa[.]eu)$"
)
_OFFICE = re.compile(
    r"[a-z]{0,14}(?:[ae]nces?|[st]ions?|ments?|ities|ity|ships?|ices?|lines?|desk|unit|council|public|records|health|safety"
    r"|research|science|programs?|programmes?|permits?|licens(?:es?|ing)|taxes|voters?|consumers?|foia|gov)"
)
# ... or a regional office's, which is called after its town: Mumbai 400051, ro.mumbai@epfindia.gov.in
_REGIONAL = re.compile(r"(?:ro|zo|hq)[._-]([a-z]{3,20})")
# A customer wants to complain, or asks: 想咨询一下退货 and 我要投诉 are his own words, 投诉请拨 is a hotline's.
_WANTED = r"(?<![想先])(?<![我们][要来去])(?<![帮给][我您你])(?<!打算)(?<!准备)"
_ASKS = (
    rf"{_WANTED}(?:咨询|諮詢|订[餐票房座位购场]|(?<![的改消换退])预[约订定]|投诉|举报|报修)(?!一下|[下过了]|[您你]|[个几]|[一两]个?问题)"
    r"|(?:咨询|諮詢|订[餐票房座位购]|预[约订定]|投诉|举报|报修)[^。！？!?，,；;\n]{0,4}(?:电话|热线|邮箱|QQ|微信|号码|请|[可拨]打)"
)
_HOTLINE = (
    rf"{_ASKS}|订场|信访|(?<![@＠])客服|热线|熱線|服务(?:电话|中心|台)|总机|總機|(?<![放到在存给交留])前台|监督|售[前后]|值班"
    r"|商务合作|领务|领事|专用电话|专线|招[商生聘]|官方|官网|更多信息|详情|[或请]访问|公众号|店铺|门店|商家"
    r"|(?i:hot ?line|help ?line|help ?desk|customer (?:service|care|support|relations)|call cent(?:er|re)|toll[ -]free"
    r"|(?<![a-z])our (?:tele)?phone|all rights reserved|copyright ?(?:[@©]|\(c\))|registrant|including area\s+code"
    r"|technical (?:assistance|support)|(?:during |regular )(?:business|office)|business hours"
    r"|(?<![a-z])(?:tty|tdd)(?![a-z])"
    r"|switchboard|front desk|reservations?|box office|press (?:office|contact)|media (?:contact|inquir)"
    r"|spenden|donat(?:e|ions?)|impressum|pressekontakt|redaktion|geschäftsstelle|rédaction|redacci[oó]n"
    r"|for (?:more|further|additional) information|call us|contact us|visit (?:us|our|www|https?)"
    r"|(?<![a-zäöü])kontakt(?=[ ]?(?:\n|uns|formular|aufnahme|daten))|kundenservice|kundesenter|sentralbord"
    r"|öffnungszeiten|vertrieb|pressestelle|abo-?service|publicidad|contacto (?:general|comercial)"
    r"|bestellung|filialen|kostenlose beratung|周一至"
    r"|(?<![a-z])mon?(?:day|tag)?[ .]{0,2}(?:[-–]|to|bis)[ ]?(?:fr|su|sa|so)(?![a-z]{8})"
    r"|servicezeiten|abonnemente?|pannenhilfe|presseabteilung|gebührenfrei|do not sell|главный редактор"
    r"|lifeline|trevor project|investor relations|crisis|suicide|samaritans|poison control|headquarters"
    r"|principal\s+executive|irs employer|(?-i:BUSINESS PHONE:)|(?-i:calling the [A-Z]{2,6} at)"
    r"|فاكس|الخط الساخن|خدمة العملاء"
    r"|employer identification|(?<![a-z])directions(?![a-z])|(?:new|current) patients|after[ -]hours"
    r"|(?:sales|service|parts|dispatch) ?:|opening (?:hours|times)|openingstijden"
    r"|business listing|sales (?:&|and) marketing|textphone)|版权|授权|捐款|捐赠|募捐"
)
_INSTITUTION = (
    r"酒店|宾馆|饭店|旅馆|客栈|餐[厅馆]|饭[馆庄]|酒[楼家吧]|烤[鸭肉]|火锅|小吃|咖啡|茶[馆楼]|面[馆店]|分店|总店|景[点区]|公园|博物|纪念馆"
    r"|展览|[技洋文族]馆|故宫|王府|长城|天坛|古镇|古城|遗址|度假村|山庄|乐园|景观|美术馆|艺术馆|[动植]物园|寺|教堂|故居|医院|诊所|卫生[院所]|门诊|疾控|药[店房]|学[校院]|校[区园]|大学|[中小]学|幼儿园|培训"
    r"|银行|[支分]行|营业[厅部]|证券|保险|政府|[市省县区]委|[公邮税财民教][安政务育]?局|管理局|总局|中央[\u4e00-\u9fff]{1,5}[办局部委]|委员会|派出所|警察|交警|法院|检察院"
    r"|律师事务所|公证处|公司|集团|企业|工厂|厂[家房区]|协会|学会|商会|基金会|联合会|报社|电视台|电台|出版社|杂志|图书馆|体育[馆场]"
    r"|剧[院场]|影[院城]|机场|车站|地铁|港口|码头|航空|公墓|陵园|殡仪馆|商[场城店]|超市|旗舰店|专卖店|书店|办公|办事|写字楼|注册(?:地址|电话)|纳税人|发票抬头"
    # what guides to services of the government say: 办理地点为…教育厅政务服务大厅6号窗口
    r"|办理(?:人员)?的?(?:联系)?(?:地[点址]|窗口|电话)|办理[^，。；！？\n我你您他她]{2,20}的(?:联系|咨询|办公|具体)?(?:地[点址]|电话)|物流地址"
    r"|(?:服务|办事|政务|行政)大厅|[0-9]号窗口|窗口(?:办理|电话|地[点址])"
    r"|[大领]使馆|使馆|研究[所院]|实验室|编辑部|居委会|村委会|机构|单位|总部|(?:市场|销售|人事|客户|编辑|业务|采购|财务|宣传|组织|保卫)部|(?:研发|开发|研究|服务|数据|会展)中心"
    r"|وزارة|الوزارة|شركة|مكتب|فندق|مستشفى|جامعة|مدرسة"
    r"|(?i:(?<![a-z])(?:inc|llc|ltd|corp(?:oration)?|company|co\.|plc|gmbh|hospital|clinic|university|college|school"
    r"|academy|institute|museum|librar(?:y|ies)|hotel|inn|resort|restaurant|caf[eé]|diner|bar|pizza|pizzeria|bistro|bakery|brewery|tavern|steakhouse|eatery|dishe?|church|temple|airport|station"
    r"|bank(?! (?:accounts?|cards?|details|statements?|transfers?)(?![a-z]))"
    r"|agency|department|ministry|bureau|commission|court|embassy|consulate|stadium|theat(?:er|re)|park|store|shop"
    r"|mall|office|common stock|foundation|association|society|center|centre"
    r"|city hall|council(?:member|lor)?|mayor|police dep|(?-i:Limited|S\.A\.|B\.V\.|N\.V\.)"
    r"|alliance|coalition|consortium|partnership)(?:e?s)?(?![a-z])"
    # compounds of German: Bundesministerium, Handballverband
    r"|(?i:(?:verband|ministerium|abteilung|bundesrat|bundesamt|umweltamt|anstalt|verlag|stiftung"
    r"|behörde|kirche|hochschule|universität|klinik|arena|distillery|winery|endowment)(?![a-zäöü]))"
    # talk of a place that people go to
    r"|推荐(?:您|你|大家)?去(?!找|见|问|联系|拜访|[^，。]{0,8}(?:家|那))"
    r"|(?<![给把])它们?|[这那](?:里(?!是)|儿|家店|个(?:地方|公园|景))|门票|游玩|游览|参观|开放|人均|营业|玩多[久长]|去玩|他们(?!两|俩)|开[门馆]"
    r"|(?i:\bthe(?:ir|re) (?:contact |(?:tele)?phone )?(?:number|address)|\b(?:contact|reach|call) them\b|\bproperty\b)"
    r"|\b(?:its|salon|dentist|venue|attraction|apartments?(?= complex)|gmbh|e\.?v\.|verband|stiftung|verein|société)\b"
    r"|\b(?:rating|cuisine|price_(?:range|level)|opening_hours|reviews)\b)"  # what stands beside the address of a place
)
# Of whom a telephone, or an address, is said to be.
_OWNER = (
    r"(?:[老小阿][王李张刘陈杨赵黄周吴徐孙胡朱高林何郭罗梁宋郑谢韩唐冯于董曹袁邓许沈曾彭吕苏卢蒋蔡贾丁魏薛叶潘杜戴钟汪姜范姚谭廖邹熊陆郝崔邱秦][总哥姐]?"
    r"|医生|大夫|老师|教授|导师|经理|主任|院长|房东|房主|业主|屋主|律师|司机|导游|阿姨|叔叔|老板娘?|领导|护士|中介|保姆|室友|客户)"
    r"(?:本人|个人|私人|自己)?的?(?:私人|个人|联系)?(?:电话|手机|号码|座机|固话|地址|住址|家|联系方式|微信)"
    r"|(?i:\b(?:landlord|landlady|owner|tenant|room ?mate|neighbou?r|colleague|co-?worker|boss|manager|teacher"
    r"|professor|doctor|nurse|therapist|lawyer|attorney|driver|agent|realtor|broker|friend|mother|father|wife|husband)"
    r"['’]s(?! office))"
)
_PERSON = re.compile(
    # who looks something up for somebody says nothing of himself
    r"(?<![诉问帮荐陪])(?<!(?:联系|关于|加入)(?=我们\s))我(?!们?(?:也|都|来|就|只|可以)?(?:知道|查|记得|觉得|想[知问去]|听[说过]|[看找][过到]|[去来]过|给[你您]|告诉|推荐|搜|了解|以为"
    r"|不知|不清|这[有里边就]|这就))|本人|(?<![给帮为候])您(?!好|可|需|要|如|若|想|也|去|到|放心|知道|能|请|记|存|查|看|稍|喜欢)|家(?:[住里中在]|庭(?!农场|旅馆|影院))"
    r"|在家|[她他](?![们])|(?<!公司，)(?<!公司,)(?<!公司)住所地|住(?!所地)[址在于宅所]|居住|现居|宅电|收[货件]|[寄送发][到往给至](?!我)|邮寄|快递(?!申请)|户籍|籍贯|患者|病人|姓名"
    r""
    r"|(?:用户|客户|会员|顾客)的?(?:资料|信息|档案|来电|留言)|[寄住]\Z|到付|[取寄]件地址"
    # 地址…2724王收
    r"|\A[0-9]{0,4}[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖]"
    r"[\u4e00-\u9fff]{0,2}收(?![费入购取到益回])"
    r"|联系人|户[ \u3000]?名|申请人(?!可|[需应须要如凭]|到|通过|提交|准备)|持卡人|(?:被)?投?保险?人|经办人"
    r"|先生|女士|小姐|师傅|骑手|外卖员|快递[员小]|爸|妈|父亲|母亲|妻子|丈夫|爱人|儿子|女儿|老公|老婆|朋友|同事|邻居|同学(?!们)|身份证|手机(?!里)"
    # your phone, but not: call from your phone
    r"|(?i:(?<![a-z])(?<!from )(?<!on )(?<!with )(?<!using )(?<!use )your (?:\w+ )?(?:phone|mobile|cell(?:phone)?|landline"  # noqa: E501
    r"|(?:phone|mobile|cell|telephone|contact|callback) number|number)(?![a-z]))"
    r"|(?i:(?<![a-z])(?:my|his|her|(?<!\n)i|me|home|living|resid\w*|ship(?:ped|ping)? to|deliver\w*"
    r"|(?:mail|ship|send|post) (?:it|them|this|(?:the|a) (?:\w+ ){1,2})to"
    r"|lives?(?! (?:music|shows?|bands?|events?))"
    rf"|patient|tenant|mr|mrs|ms|dr|passport|ssn|born|dob|cell|mobile"
    rf"|herr|frau|privat|wohn(?:haft|t|e)|handy|mein(?:e[nrm]?)?|ich)(?![a-zäöü]))|{_OWNER}"
)
_DWELLING = re.compile(r"(?i:(?<![a-z])(?:apt|apartment)(?![a-z]))")  # of an address, not of a telephone
# The same where nothing is said to be his: he speaks, or a place is called 他, as it is in talk (他家的门票).
_SPEAKER = re.compile(
    r"我(?!们?的|们?家|叫|姓|是|[爸妈父母爷奶哥弟姐妹儿女]|老[公婆]|妻|丈夫|先生|太太|孩子|同[事学]|朋友|邻居|房东|老板|领导|电话|手机号?(?!里)"
    r"|号码|座机|固话|联系|微信|这边|住|搬|在(?!网|旅|手册))|我手机里"
    r"|您(?![的家是住]|电话|手机|号码|本人|贵姓|[父母]|爱人|孩子|先生|太太|老)"
    r"|他(?![住叫姓是妈爸父母妻儿女老手]|们俩|本人|个人|在.{0,12}(?:上班|工作|任职))"
    r"|(?i:(?<![a-z])i(?:(?![’'a-z]| am\b| live\b| can be\b)|['’](?:ve|ll|d)(?![a-z])|(?:['’]m| am) (?:sorry|afraid"
    r"|glad|happy))|(?<=let )me(?![a-z]))"
)
_ENDED = re.compile(r"[。！？!?]|\n\n")  # what stands behind it is of something else
_HE, _HIS_SHOP = re.compile(r"他的"), re.compile(r"他家")
_HIMSELF = re.compile(  # what a person says of himself or of another one, in the turns before
    r"我(?:家(?!附近|旁边)|的(?![天妈]|要求|标准|眼睛|预算|需[求要]|意思|想法|行程|口味|问题|最爱))|本人"
    r"|[您你她](?:家|电话|手机|号码|联系方式|的(?![，。！,!]|要求|需[求要]|标准|用餐|预算|条件|喜好|选择|问题|推荐))"
    r"|他(?:住|叫|姓|本人)|在.{1,12}(?:上班|工作|任职)|[住宅]址|居住|收[货件]|患者|病人|联系人|先生|女士"
    r"|(?<![听和跟与带请约陪])(?<![听和跟与带请约陪]我)(?:爸|妈|老公|老婆|朋友|同事|同学)|(?<![凭带效])身份证"
    r"|(?:请|麻烦|烦请|方便|需要)[您你]?(?:提供|留|告知|填|登记|输入|预留|报(?!警|[名销修案考]))(?!给?我)|可以留|送[餐货]|外卖|配送|上门|预留"
    r"|(?i:(?<![a-z])(?:mine|his|her|(?:my|your|our)(?: \w+){0,2}? (?:(?:tele|cell)?phone|number|cell|mobile|contact"
    r"|e-?mail|address|name|home|house|place|office|mom|mother|dad|father|wife|husband|son|daughter|brother|sister|friend|boss"
    r"|doctor|landlord|colleague|neighbou?r)(?! for my)|at home|home (?:phone|number|address)|living|patient|tenant"
    r"|lives?(?! (?:music|shows?|bands?|events?))"
    rf"|mr|mrs|ms|passport|ssn|friend|mom|dad)(?![a-z]))|{_OWNER}"
)
# Before a mailbox: what it is there for. A person's own is 邮箱 alone.
_FUNCTION = re.compile(
    r"(?:服务|值班|举报|投稿|投诉|监督|工作|官方|客服|咨询|商务|合作|报名|招聘|征稿|新闻|编辑部?|会务组?)(?:电子)?(?:邮箱|信箱|邮件)[\"'”*]{0,2}"
    r"[ ]?[是为:：]?[ ]?\Z"
)
# The foot of a web page: whose the page is, the number of its licence, where to complain.
_FOOT = re.compile(r"版权所有|ICP ?备|公网安备|联系我们\s|(?i:copyright ?[@©]|all rights reserved)")
_FOOT_OF_A_FIRM = re.compile(r"经营许可证|(?:举报|客服|急救)电话")
_NAMED = re.compile(_INSTITUTION)
_PAGES_FOOT = re.compile(
    r"©[ ]?(?:[Cc]opyright )?(?:19|20)[0-9]{2}|(?i:copyright ?[@©]|all rights reserved)"
    r"|\b(?:GmbH|S\.?r\.?l\.|Inc\.|LLC)"
)
_CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}\b")
# What the machine is to be says nothing of whose number the customer gives: You are a help desk assistant.
_PART = re.compile(
    r"你(?:现在)?(?:是|将?扮演|作为)[^。！？!?\n]{0,60}|作为(?=.{0,12}(?:客服|助手|顾问))[^。！？!?，,\n]{0,40}"
    r"|(?i:\b(?:you are|you['’]re|you will be|act(?:ing)? as|play(?:ing)? the role of)\b)[^.!?\n]{0,80}"
    # ... nor what the agent of a service says of it first: 您好，这里是售后专线
    r"|(?:这里是|我是)[^。！？!?，,\n]{0,16}(?:客服|售[前后]|专线|热线|服务(?:中心|台)|总机)[^。！？!?，,\n]{0,8}[。！!，,]"
    # ... or the end of it, where what was said before begins within it
    r"|\A[^.!?。！？\n]{0,80}(?:(?<![a-z])(?i:assistant|chatbot)(?![a-z])|助手|机器人)"
)
# The same in the text of the value, where another sentence follows: 你是客服助手。用户资料：QQ 8806…
_PART_SAID = re.compile(
    r"你(?:现在)?(?:是|将?扮演|作为)[^。！？!?\n]{0,60}[。！!\n]"
    r"|(?i:\b(?:you are|you['’]re|you will be|act(?:ing)? as)\b)[^.!?\n]{0,80}[.!\n]"
)
_SPOKEN_OF = re.compile(rf"{_HOTLINE}|{_INSTITUTION}")
_BANKS = "|银行|[支分]行|营业[厅部]"
# Whose account it is no bank says: 银行账号 is its label, and 开户行 where it was opened.
_ACCOUNT_OF = re.compile(rf"{_HOTLINE}|{_INSTITUTION.replace(_BANKS, '')}")
# Surnames that are what one goes to, behind a given name or where somebody is introduced: I'm Melody Banks.
_SURNAME = re.compile(
    r"(?:\b(?P<given>[A-Z][a-z]+) (?=Banks|Parks)"
    r"|\b[A-Z][a-z]+ [A-Z]\. "  # Christopher R. Park; Grant Park is none
    r"|\b(?:I am|I[’']m|name is|[Tt]his is|Mrs?\.?|Ms\.?|Dr\.?) (?:[A-Z][a-z]+ )?)"
    r"(?P<surname>Banks?|Parks?|Church|Temple|Court|Inn|College|School|Store|Barr?)(?![\w-]| [A-Z])"
)
# What a street is called after says nothing of who lives there: 2058 Park St, 14 Church Lane, 学院路44号.
_STREETS_NAME = re.compile(
    r"\b[A-Z][a-z]+ "
    r"(?=(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace)\b)"
    rf"|(?:{_INSTITUTION})(?=[东西南北中前后一二三]?(?:路|大街|街|大道|巷|胡同|弄))"
)
# Talk of a place to which people go: a shop, a sight, a hotel, not where somebody works.
_PLACE = (
    r"酒店|宾馆|饭店|旅馆|客栈|民宿|餐[厅馆]|饭[馆庄]|火锅|烤[鸭肉]|小吃|景[点区]|公园|博物|纪念馆|展览|美术馆|故居|寺|教堂|乐园|剧[院场]"
    r"|影[院城]|故宫|王府|长城|天坛|古镇|古城|遗址|度假村|山庄|门店|分店"
    r"|(?i:\b(?:hotel|motel|inn|hostel|resort|restaurant|caf[eé]|diner|museum|attraction|landmark|salon|venue|theat(?:er|re)"
    r"|property|apartments|apartment (?:homes|complex)|town ?homes|condos|leasing office)s?\b)"
)
_VISITED = re.compile(
    rf"{_PLACE}|门票|票价|游玩|游览|参观|开放|人均|评分|营业|推荐菜|周边|附近|停车位|接机|能玩|可以玩|旅游|画廊|博览"
    r"|(?i:\b(?:admission|cuisine|per night|a night|seating|user rating|star rating|check(?:ing)?[- ]in|menu"
    r"|tables? (?:for|of|at)|(?:for|of|to) th(?:is|e|at) (?:place|location|establishment))\b)"
)
# Somebody has just asked for the telephone of a place: then a mobile number is the place's, too.
_ASKED = re.compile(
    rf"(?:{_PLACE}|[这那](?:里|儿|家)|它家?)(?:[（(][^（）()\n]{{1,12}}[)）])?的?(?:联系)?(?:电话|号码|联系方式)"
    r"(?=[\s\S]{0,48}\Z)"
)
_LISTED = re.compile(r"[ ]?[;；,，、/|][ ]?")  # what stands between the numbers of one subscriber
_CALLED = re.compile(_HOTLINE.replace("|值班", ""))  # who is on duty may have his own
_LABELLED = re.compile(
    r"(?:[地住]址|(?i:addr(?:ess)?))[\"'”*]{0,3}(?: value)?[ ]?[是为:：=]?[ ]?[\"'“]?\Z"
)  # of somebody
# ... an office of the government in the address or right behind its number: 武珞路360号省应急管理厅608室, …17号省水利厅
_AUTHORITY = re.compile(
    r"(?:(?<=号)|(?<=楼)|(?<=[0-9]))[，,]?"
    r"(?:(?:[\u4e00-\u9fff]{1,6}[省市州区县]|[省市州区县])[\u4e00-\u9fff]{1,16}?(?:厅|局|委员会|(?:健康|发改|经信|国资)委)"
    r"|[\u4e00-\u9fff]{0,8}(?:法规处|(?:服务|政务|办事)大厅))(?![\u4e00-\u9fff]{0,4}(?:宿舍|家属|小区|大院)|[旁边附对后前])"
)
# ... whose telephone stands behind it in a notice of what is done there, with the name of who answers
_NOTICE = re.compile(r"物流(?:快递|地址|服务|方式)|办理(?:地[点址]|过程|该|结果|时|形式)")
_HOME = re.compile(r"家(?:里|中|庭)|住宅|宅电|私人|本人|我")
_NOTED = 200
# "located at 355 Oak Circle, Suite 1500": who says so of himself, of a house with suites, is a company
_SEAT = re.compile(r"(?i:\b(?:located|headquartered|offices?)(?: (?:is|are))? (?:at|in)) ?\Z")
# What is written to a list goes to all its readers.
_NO_REPLY = re.compile(r"(?:^|[.])no-?reply[.]")  # ann@users.noreply.github.com: where GitHub hides a mailbox
_LISTS = re.compile(
    r"(?:lists?|groups|mailman|listserv)\..+|vger\.kernel\.org|(?:googlegroups|yahoogroups|freelists)\.(?:com|org)"
)
_ACCOUNTS = ("IBAN", "CN_BANK_ACCOUNT")
# What it says of the account, not of whoever gave: nobody's own is called so.
_DONATIONS = re.compile(
    r"(?i:spendenkont(?:o|en)|donations? account|account for donations|compte de dons)|捐[款赠]账[户号]"
)
# DIN 5008: an extension 0 is the switchboard, as in +49 (0)30 212341-0; no household has one
_SWITCHBOARD = re.compile(r"\+ ?4[139][ ()0-9/.]+[-\u2010-\u2015]?[0-9]*[ ]?[-\u2010-\u2015][ ]?00?")
# What a health authority names in a notice is a place; where somebody ill lives or is found stays his.
_CLOSED = re.compile(r"(?:封控|管控|防范)区|[高中低]风险")
_ILL = re.compile("病例|感染者|阳性|患者|居住|住所|住址|家住")
_CLOSED_NEAR = 200
# A guide's lines: name, latitude, longitude, address, telephone, website
_LOCATED = re.compile(r"-?[0-9]{1,2}\.[0-9]{4,} +-?[0-9]{1,3}\.[0-9]{4,} [^\n]*\Z")
_HOST = re.compile(r"(?:https?://|www\.|@)[^\s<>\"'，。）)]+")
_PSEUDONYM = re.compile("<[A-Z][A-Z_]+")  # or what is left of one at the end of a stretch
_WEBSITE = re.compile(r"[^\n]{0,240}?https?://")
_LINE = 240
_ROOM = re.compile(
    r"[单室栋幢户]|[0-9]房|号楼|楼之|弄[0-9]+号|门牌|[组社队][0-9一二三四五六七八九十]{1,4}号|(?i:apt|apartment|unit|suite|#)"
)


# Somebody's telephone at work, where the sentence has told of whom it speaks: 乘客田玉兰，办公室电话是…
_AT_WORK = re.compile(
    r"(?<=[，,、。；; ])(?:我的?|他的?|她的?)?(?:办公室?|单位|公司)的?(?:联系)?"
    r"(?:电话|座机|号码)[\"'”*]{0,2}[ ]?[是为:：]{0,2}[ ]?\Z"
    r"|(?<=[，,、。；;. ])(?i:(?:my |his |her )?office (?:phone|line|number|tel)(?: is)?)[:：]?[ ]?\Z"
)


# A line for telefaxes beside it, and no word of a person with both, is an office's
_FAX = re.compile(r"[\s,;|/]{0,4}\b(?i:(?:tele)?fax|telecop(?:y|ier))\b[^a-z]{0,24}(?:\Z|(?=[0-9(+]))")


class _Cues(NamedTuple):
    """Which words make a value of an entity an institution's."""

    spoken_of: re.Pattern[str]
    visited: re.Pattern[str] | None = None
    """In the turns before: with one of these, `我` and `他` in the text itself name nobody."""
    asked_for: bool = True
    """Whether the turns before may tell at all."""
    alone: bool = False
    """What it is where no word says anything."""


_OF = {
    # An institution is near many a mobile number that is its employee's: only what is printed to be called counts.
    "CN_MOBILE": _Cues(_CALLED, _ASKED),
    "QQ": _Cues(_CALLED),
    "WECHAT": _Cues(_CALLED),
    "TW_PHONE": _Cues(_CALLED),
    "HK_PHONE": _Cues(_CALLED),
    "MO_PHONE": _Cues(_CALLED),
    "CN_LANDLINE": _Cues(_SPOKEN_OF, _VISITED),
    "PHONE_NUMBER": _Cues(_SPOKEN_OF, _VISITED),
    "CN_BANK_ACCOUNT": _Cues(_ACCOUNT_OF, asked_for=False),  # to a bank or a shop a customer tells his own
    "IBAN": _Cues(_ACCOUNT_OF, asked_for=False),
    "ADDRESS": _Cues(_SPOKEN_OF, _VISITED, alone=True),
}

_CUT_WORD = re.compile(r"[A-Za-z]+\Z")  # "…, applying for a bar|ista job" speaks of no bar


def is_public(entity: str, text: str, start: int, end: int, before: str = "", roles: Collection[int] = ()) -> bool:
    """Whether the value of an entity at [start, end) of a text is an institution's, by itself or by what is near.

    before: what was said before in the conversation, asked where the text itself says nothing; roles: where mailboxes
    of functions stand in the text.
    """
    text, before = simplified(text), simplified(before)  # its words are of either script
    value = text[start:end]
    if says_itself(entity, text, start, end):
        return True
    if entity == "EMAIL_ADDRESS":
        return _is_a_functions(value, text, start)
    if entity not in _OF:
        return False
    cues = _OF[entity]
    if cues.visited is not None and _is_at_work(text, start, before):
        return False
    left = _without_surnames(_without_part(_unnamed(text[max(0, start - BEFORE) : start])))
    right = _CUT_WORD.sub("", _unnamed(text[end : end + AFTER])) if len(text) > end + AFTER else _unnamed(text[end:])
    said = _ENDED.split(right, maxsplit=1)[0]  # who is an owner may follow in the next sentence, other words say less
    institution = _distance(cues.spoken_of, left, said)
    if cues.spoken_of is _SPOKEN_OF:
        institution = _nearer(institution, _gap_to_roles(roles, start, end))
    if entity == "ADDRESS":
        if "Suite" in value and _SEAT.search(left):
            return True
        if _SPOKEN_OF.search(_STREETS_NAME.sub("", value)):  # the hospital's name is part of it
            institution = 0
    owner, speaker = _people(entity, left, right)
    if _is_nearer(institution, _nearer(owner, speaker)):
        return True
    if owner is not None:
        return False
    told = _told_before(_heard(before) if cues.asked_for else "", cues, nobody=speaker is None)
    if told is None and speaker is None:
        stands_alone = cues.alone and not (_ROOM.search(value) or _LABELLED.search(left))
        return stands_alone or (cues.visited is not None and _is_an_offices(text, start, end))
    return bool(told)


def _gap_to_roles(roles: Collection[int], start: int, end: int) -> int | None:
    """How far the nearest mailbox of a function stands from a value; None where none is near."""
    gaps = (min(abs(at - start), abs(at - end)) for at in roles)
    return min((gap for gap in gaps if gap <= BEFORE), default=None)


def _heard(before: str) -> str:
    """What was said before, without what names no institution: the machine's part, surnames, hosts (corp-a.cn)."""
    return _without_surnames(_HOST.sub("", _PART.sub("", _unnamed(before[-HEARD:]))))


def _unnamed(text: str) -> str:
    """As many code points, without the names of pseudonyms: <CN_BANK_CARD_v1> is no bank."""
    return _PSEUDONYM.sub(lambda found: "_" * len(found[0]), text)


def says_itself(entity: str, text: str, start: int, end: int) -> bool:
    """Whether a value is an institution's whatever stands beside it.

    By itself, as an account for donations, or as the address of an office or the telephone in its notice.
    """
    escaped = 2 if text[max(0, start - 1) : start + 2] == "%20" else 0  # mailto:%20hello@gearbox.org
    if is_public_by_itself(entity, text[start + escaped : end]):
        return True
    if entity in ("ADDRESS", "PHONE_NUMBER") and _is_in_a_guide(text, start, end):
        return True
    if entity == "ADDRESS":
        near = text[max(0, start - _CLOSED_NEAR) : end + _CLOSED_NEAR]
        closed = _CLOSED.search(near) is not None and not _ILL.search(near)
        return closed or _AUTHORITY.search(text[start : end + AFTER]) is not None
    if entity == "CN_LANDLINE":
        said = text[max(0, start - _NOTED) : start]
        return not _HOME.search(said) and all(words.search(said) for words in (_NOTICE, _AUTHORITY))
    return entity in _ACCOUNTS and _DONATIONS.search(text, max(0, start - 2 * BEFORE), start) is not None


def _is_in_a_guide(text: str, start: int, end: int) -> bool:
    """Whether a value stands in a line between coordinates and a website, and no word of a person with it."""
    line = text[text.rfind("\n", max(0, start - _LINE), start) + 1 or max(0, start - _LINE) : start]
    located = _LOCATED.search(line)
    return located is not None and _WEBSITE.match(text, end) is not None and not _PERSON.search(line)


def _is_a_functions(value: str, text: str, start: int) -> bool:
    """Whether a mailbox is a function's or an office's by what stands before it."""
    local, _, domain = signs(value).partition("@")
    shared = "-" in local and local.isupper()  # CNECT-AIOFFICE@ec.europa.eu
    said = text[max(0, start - 2 * BEFORE) : start]
    if _GOVERNMENT.search(domain.lower()) and (shared or _is_short_for(local.lower(), said)):
        return True
    town = _REGIONAL.fullmatch(local.lower())
    if town and town[1].capitalize() in said and _GOVERNMENT.search(domain.lower()):
        return True
    if is_ours(signs(value), text, start) or _FUNCTION.search(text, max(0, start - BEFORE), start) is not None:
        return True
    if is_an_authoritys(signs(value), text, start) and not _PERSON.search(said):
        return True
    return _is_at_the_foot(said, text[start:])


def _is_at_the_foot(said: str, following: str) -> bool:
    """Whether a mailbox stands at the foot of the page of an institution that is named there, and nobody with it."""
    near = said + following[: 2 * BEFORE]
    firm = _FOOT_OF_A_FIRM.search(near) or (_FOOT.search(near) and _NAMED.search(near))
    return firm is not None and not _PERSON.search(near)


def _is_an_offices(text: str, start: int, end: int) -> bool:
    """Whether a line for telefaxes stands beside a telephone, or the foot of a firm's page, and nobody with that."""
    if _FAX.search(text, max(0, start - BEFORE), start) or _FAX.match(text, end, end + AFTER):
        return True
    near = text[max(0, start - 3 * BEFORE) : start] + text[end : end + 3 * BEFORE]
    foot = _PAGES_FOOT.search(near) is not None and not _PERSON.search(near)
    return foot and not any(is_given(word) for word in _CAPITALISED.findall(near))


def _is_at_work(text: str, start: int, before: str) -> bool:
    """Whether a number is called that of an office, and neither its sentence nor what was said names whose office."""
    label = _AT_WORK.search(text, max(0, start - BEFORE), start)
    if label is None:
        return False
    said = text[max(0, label.start() - HEARD) : label.start()]
    line = said.rpartition("\n")[2].strip(" ，,、。；;.")
    heard = _PART.sub("", _unnamed(before[-HEARD:]))
    return bool(line) and not _SPOKEN_OF.search(said) and not _SPOKEN_OF.search(heard)


def _without_part(left: str) -> str:
    """What stands before a value, as many code points, without the sentence that says what the machine is to be."""
    return _PART_SAID.sub(lambda found: "_" * len(found[0]), left)


def _without_surnames(left: str) -> str:
    """What stands before a value, as many code points, without surnames that are words for an institution."""

    def of_nobody(found: re.Match[str]) -> str:
        if found["given"] and not is_given(found["given"]):
            return found[0]
        return found[0][: -len(found["surname"])] + "_" * len(found["surname"])

    return _SURNAME.sub(of_nobody, left)


def _is_short_for(local: str, said: str) -> bool:
    """Whether a mailbox is called by the short name of the office before it: (ADEAR) Center, or its initials."""
    if len(local) < _SHORTEST or not local.isalpha():
        return False
    initials = "".join(word[0] for word in re.findall(r"\b[A-Z][a-z]+", said)).lower()
    return local.upper() in re.findall(r"[A-Z]+", said) or local in initials


def _people(entity: str, left: str, right: str) -> tuple[int | None, int | None]:
    """How far the nearest words are that tell of an owner, and those of somebody who only speaks or is called 他."""
    near: dict[bool, list[int]] = {True: [], False: []}
    for found in _PERSON.finditer(left):
        near[_SPEAKER.match(left, found.start()) is None].append(len(left) - found.end())
    said = len(_ENDED.split(right, maxsplit=1)[0])
    for found in _PERSON.finditer(right):
        owns = _SPEAKER.match(right, found.start()) is None
        if owns or found.start() < said:
            near[owns].append(found.start())
    owner = min(near[True], default=None)
    dwelling = _distance(_DWELLING, left, right) if entity == "ADDRESS" else None
    return _nearer(owner, dwelling), min(near[False], default=None)


def _told_before(heard: str, cues: _Cues, *, nobody: bool) -> bool | None:
    """Whether the turns before speak of an institution, or else of a person; None if of neither.

    nobody: the text itself has no word of a person; else only a place that people go to counts.
    """
    himself, he, shop = (_distance(words, heard, "") for words in (_HIMSELF, _HE, _HIS_SHOP))
    place = None if cues.visited is None else _distance(cues.visited, heard, "")
    institution = _nearer(place, _distance(cues.spoken_of, heard, "") if nobody else None)
    if {institution, himself, he, shop} == {None}:
        return None
    if _is_nearer(institution, _nearer(himself, _nearer(he, shop))):
        return True
    # 他家 is what a shop is called as well, and 他的 is its where no person was spoken of
    return place is not None and (himself is None or (he is None and place < himself))


def are_of_one(between: str, after: str) -> bool:
    """Whether two numbers are one subscriber's by what stands between them, and nothing behind names an owner."""
    return _LISTED.fullmatch(between) is not None and _people("", "", after[:AFTER])[0] is None


def _nearer(one: int | None, other: int | None) -> int | None:
    return min((gap for gap in (one, other) if gap is not None), default=None)


def _is_nearer(one: int | None, other: int | None) -> bool:
    return one is not None and (other is None or one < other)


def is_public_by_itself(entity: str, value: str) -> bool:
    """Whether a value says itself that it is an institution's: a mailbox of a function, a toll-free number."""
    if entity == "EMAIL_ADDRESS":
        local, _, domain = signs(value.lower()).partition("@")  # info[at]house[dot]org
        head, _, rest = local.partition(".")
        local = rest if rest and head in domain.split(".") else local  # uscis.foia@uscis.dhs.gov
        # leetcode@leetcode.com is the house's own, python-3000@python.org a list of it
        if _LISTS.fullmatch(domain) or _NO_REPLY.search(domain):
            return True
        name = domain.rpartition(".")[0]
        house = name.rpartition(".")[2]  # gearbox@mail.gearbox.org, cust1@cust.com; not me@ann.me.uk
        named = name == local or (len(house) >= _SHORTEST and house == local.rstrip("0123456789"))
        own = _ROLES.fullmatch(local) is not None or named or local.startswith((f"{name}-", "draft-"))
        if own or _GOVERNMENT.search(domain) is None:
            return own
        task = local.rpartition("-")[2] if is_nobodys_name(local) else local  # data-federation@agency.gov
        return _OFFICE.fullmatch(task) is not None or is_a_task_of_an_authority(local)
    return entity == "PHONE_NUMBER" and (_SWITCHBOARD.fullmatch(value) is not None or _is_service_number(value))


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
