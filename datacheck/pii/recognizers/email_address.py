"""E-mail addresses with ASCII boundaries, so that they are found beside Han."""

import re
from random import Random

from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

# RFC 2606 and 6761 names, and the domains that documentation uses instead of them.
_SAMPLE = re.compile(
    r"(?:.*\.)?(?:example|test|invalid|localhost)|(?:.*\.)?example[0-9]?\.[a-z]{2,4}(?:\.[a-z]{2})?"
    r"|(?:[a-z0-9]+-)*example(?:-[a-z0-9]+)*\.[a-z]{2,4}|(?:company|domain|business|brand)name\.[a-z]{2,4}"
    r"|(?:(?:my|your)[_\-]?)?test\.[a-z]{2,4}|(?:[a-z0-9\-]+\.){1,2}domain\.(?:com|net|org)"
    r"|(?:(?:my|your|some|any|other|sample|hosted|remote|fake|dummy|bogus|bad)[_\-]?)?(?:e?mail[_\-]?domain|test|domain|email"
    r"|company|work|abc|sample|school|college|hotel|website|site|placeholder|xxx+|host(?:name)?|server|law[_\-]?firm|organi[sz]ation|university|bank"
    r"|(?:some|any|no)where|whatever|acme(?:-?(?:corp|inc|co))?)\.(?:com|cn|org|net|edu)|(?:.*\.)?(?:local|lan|internal|corp|home)"
)
# Names that stand for any name: your_name@gmail.com
_ANYBODY = re.compile(
    r"(?:(?:my|your|the|a|some|first|last|full)?[._\-]?(?:name|user|username|email|mail|account|address|id|login)|you"
    r"|senders?|receivers?|recipients?|attackers?|victims?|hackers?|hacked"
    r"|your[._\-]?(?:company|business|org(?:anization)?|domain|(?:web)?site|team|brand|school|boss|friend|gmail|store|shop|app"
    r"|bot|work|personal)"
    r"|(?:bad|bogus|fake|dummy|invalid|unknown|existing|non-?existent|some|any|other)[._\-]?(?:name|user|username|email|account)"
    r"|(?:my|your)[._\-]?own[._\-]?(?:site|shop|company|domain|mail)|(?:e?mail|user|login)[._\-]?(?:account|address|name|id)|who-?ever|what-?ever|bla+h?|null|[a-z]{0,10}mailbox|toto|titi|tutu|tata|usr|user[._\-]?xyz|spammer"
    r"|someone|somebody|anyone|nobody|test|tester|testing|sample|example|demo|dummy|foo|bar|foobar|x{3,}|abcd?"
    r"|firstname[._\-]?lastname|first[._\-]last)[0-9]{0,3}|(?:john|jane|joe)[._\-]?doe[._\-+%0-9]*"
    # maria-fake-account@gmail.com, fakeemail2@gmail.com: it says itself that it is none
    r"|(?:[a-z0-9]+[._\-])*(?:fake|dummy|bogus)[._\-]?(?:e?mail|user(?:name)?|account|name|person|address)[a-z0-9._\-]{0,12}"
)
# Gmail gives names of 6 to 30 characters: bob@ is nobody. No provider in China gives one of two.
_NO_MAILBOX = re.compile(r"[a-z0-9]{1,5}@gmail\.com|[a-z0-9]{1,2}@(?:qq|163|126|sina|sohu)\.com")
_COUNTRYS = re.compile(r"\.(?:com|edu|gov|net|org|ac|co)\.[a-z]{2}\Z")  # tongji.edu.cn
_ALGEBRA = re.compile(r"[a-z0-9]@[a-z]\.[a-z]{2,3}")  # a@d.co
# Hosts of examples of attacks: evil.com; target.com and mail.com have customers, but not such ones.
_STAGED = re.compile(
    r".+@(?:(?:[a-z0-9]+[.-])?(?:evil|attacker|victim|hacker|malicious|phisher)(?:-?[a-z]{1,8})?\.(?:com|net|org)"
    r"|domain-?[a-z0-9]\.(?:com|net|org))"
    r"|(?:spam|new|old|e|evil|admin|user|root)[0-9]?@(?:target|mail|bank|corp)\.com|(?:me|friend|boss)@[a-z]{1,2}\.[a-z]{2,3}"
    r"|(?:john|jhon|jane|joe)@doe\.(?:com|org|net)"
)
# RFC 4251, 6: who makes up an algorithm names it with a host of his own: umac-128@openssh.com
_ALGORITHM = re.compile(
    r"(?:[a-z0-9]+[._-])*(?:aes|gcm|cbc|ctr|poly1305|[uh]mac|sha[0-9]*|md5|ripemd(?:160)?|curve25519|ed25519|ecdsa|rsa|dss|cert"
    r"|zlib|rijndael|etm|kex|sntrup761x25519|agent|hostkeys|keepalive|sessions|statvfs|rename|fsync|hardlink|limits|tun|eow)"
    r"(?:[0-9]*[._-][a-z0-9]+)*[0-9]*@(?:openssh\.com|libssh\.org|lysator\.liu\.se|ssh\.com|putty\.projects\.tartarus\.org)"
)
# pi@192.168.1.PI: an address of a machine with a name for its last part
_MACHINE = re.compile(r".+@(?:[0-9]{1,3}\.){3}[a-z]+")
# Mozilla's number of a mail: the second in hexadecimal digits, a random part
_NUMBERED = re.compile(r"(?=[0-9]{0,7}[A-F])[0-9A-F]{8}\.[0-9A-F]{5,8}@.+")
_OF_MAILS = {"mail.gmail.com", "www.gmail.com"}  # of the numbers that Gmail gives to mails
_MIRRORED = 80
_KERNEL = re.compile(r"\) \((?:gcc|clang) version")  # who built a kernel, on which machine
# Generic top-level domains that people's mailboxes are in. Two letters = a country. Anything else is a
# suspect, not a miss (obj@other.transpose is Python).
_GENERIC = words(
    "com net org edu gov mil int info biz name pro app dev xyz top vip club online site shop store tech "
    "cloud live work email mail link wang ltd group fun icu ink red mobi asia tel art blog wiki design "
    "space website press"
)
_FILES = words("png jpg jpeg gif svg webp bmp ico css js txt json html htm pdf")
# Providers with so many users that the domain names nobody.
_PUBLIC = words(
    "vip.qq.com vip.163.com vip.126.com vip.sina.com "
    "qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn "
    "gmail.com outlook.com hotmail.com live.com yahoo.com icloud.com protonmail.com proton.me example.com "
    "example.org example.net"
)
_OTHER_PROVIDERS = words(
    "msn.com aol.com me.com mac.com ymail.com rocketmail.com gmx.net gmx.com gmx.de web.de t-online.de "
    "mail.com mail.ru yandex.ru comcast.net verizon.net att.net sbcglobal.net bellsouth.net earthlink.net "
    "cox.net charter.net juno.com naver.com hanmail.net zoho.com fastmail.com tutanota.com pm.me "
    "orange.fr free.fr wanadoo.fr laposte.net libero.it 21cn.com tom.com hey.com duck.com"
)
_OF_A_COUNTRY = re.compile(r"(?:yahoo|hotmail|live|outlook|gmx)\.(?:(?:com|co)\.)?[a-z]{2}")  # yahoo.com.tw
_OF_A_MAIL = re.compile(r"(?i:message-?id|in-reply-to)[\"']?[ ]?[:=]?[ ]?<?\Z")
# "set it up with @live.com mail"
_WORD_BEFORE_A_PROVIDER = re.compile("(?i:with|from|for|via|your|using|ending in) @")
# The mask of somebody in a chat room, user@machine: "=== ann [n=ann@host] has joined", "ann (~ann@host) has left".
# A nickname may hold signs that no mailbox has: [n=||ann@host], [~SGC|ann@host].
_MASK_BEFORE = re.compile(
    r"(?:[\[(!](?:[ni]=|[~^])[A-Za-z0-9]{0,12}[|\[\]{}^`\\]{0,3}|(?:Joins|Parts|Quits): [^ \n]{1,16} \()\Z"
)
_NICKNAMED = re.compile(r"(?:\A|\n|[=*>!-] )[^ \n]{1,16} [\[(]\Z")  # "-!- ann (ann@host) has quit": its line begins so
_MASK_AFTER = re.compile(r"[\])] {1,2}(?:has|join|quit|left|part)")
# A line of a provider is named after its address: ann@69-12-132-188.dsl.example.net. No mailbox is there.
_LINE = re.compile(r"(?:.*[^0-9])?[12]?[0-9]{1,2}(?:[.-][12]?[0-9]{1,2}){3}[^0-9].*")
_NO_MAILS = re.compile(r"(?:ssh|sftp|ftp|irc|svn|vnc)[0-9]?\..*")  # hosts of logins: ann@ssh.example.net
_APART = re.compile("[ ]@|@[ ]")
_MARKED = re.compile(r"(?!\([aA]\))[(\[{（【]|艾特|圈[aA]|小老鼠")  # " at " and "#" also stand between other words
_SAID, _MIXED = re.compile(" at .* dot ", re.IGNORECASE), re.compile("[0-9._-]")  # frank22 at brightpath dot org
_FORGES = ("@github.com", "@gitlab.com", "@bitbucket.org", "@gitee.com")
_LONGEST_SHOWN = 6  # museum
_ADDRESS = r"[A-Za-z0-9_](?:[A-Za-z0-9._%+\-]{0,63})@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.){1,8}[A-Za-z]{2,24}"
# zhang [at] qq [dot] com, zhang艾特qq点com, john dot smith at gmail dot com, zhang#qq.com
_SIGN = (
    r"[ ]@[ ]?|@[ ]|[ ]?[(\[{（【][ ]?(?:at|AT|@|艾特)[ ]?[)\]}）】][ ]?"
    r"|[ ]?(?:艾特|圈[aA]|小老鼠)[ ]?|\([aA]\)|[ ](?:at"
    r"|AT)[ ]"
)
_AT = re.compile(rf"{_SIGN}(?=[A-Za-z0-9\-]+[^.A-Za-z0-9\-])|#")
_DOT = re.compile(r"[ ]?[(\[{（【][ ]?(?:dot|DOT|\.|点)[ ]?[)\]}）】][ ]?|[ ](?:dot|DOT)[ ]|[ ]?点[ ]?")
# What follows the name of a mailbox is no character of one: a run of them is taken whole (+), or it is read again from
# each of its characters on, in each word of English.
_RUN = r"[A-Za-z0-9._%+\-]"
_SPELT_BEHIND = (
    rf"(?:(?:{_DOT.pattern})[A-Za-z0-9_\-]{{1,63}}){{0,3}}(?:{_AT.pattern})"
    rf"[A-Za-z0-9][A-Za-z0-9\-]{{0,62}}(?:(?:\.|{_DOT.pattern})[A-Za-z0-9\-]{{1,63}}){{0,3}}(?:\.|{_DOT.pattern})[A-Za-z]{{2,24}}"
)
_SPELT = rf"[A-Za-z0-9_]{_RUN}{{0,63}}+{_SPELT_BEHIND}"
# For Rust: the sign and the first dot of _SPELT, which few texts have that have one of them somewhere.
_TRY_SPELT = rf"{_RUN}(?:{_SIGN}|#)[A-Za-z0-9][A-Za-z0-9\-]{{0,62}}(?:\.|{_DOT.pattern})[A-Za-z0-9\-]"


# At a provider whose name says that this is an address, any sign may stand for the at and the dot.
_LOOSE_AT = (
    r"(?:[ ]?[@★☆][ ]?|[ ]?\([aA]\)[ ]?|[ ]?[(（][ ]?#?[换改替]换?[成为][ ]?@[ ]?[)）][ ]?"  # zhang(换成@)qq.com
    r"|[ ]?[<＜〈《][ ]?(?:at|AT|@)[ ]?[>＞〉》][ ]?|[_\-](?:at|AT)[_\-]|[ ](?:at|AT)[ ]|AT)"
)
_LOOSE_DOT = r"(?:[ ]?[.。][ ]?|[ ]?[<＜〈《][ ]?(?:dot|DOT|\.|点)[ ]?[>＞〉》][ ]?|[_\-](?:dot|DOT)[_\-]|点)"
_PROVIDER = r"(?i:qq|foxmail|163|126|yeah|sina|sohu|aliyun|139|189|gmail|outlook|hotmail|yahoo|icloud|proton(?:mail)?)"
# Each character apart (z h a n g @ q q . c o m), and as a URL writes the sign.
_LETTER_BY_LETTER = (
    r"[A-Za-z0-9](?:[ ][A-Za-z0-9._\-]){2,40}[ ]@(?:[ ][A-Za-z0-9\-]){1,30}(?:[ ]\.(?:[ ][A-Za-z0-9]){2,12}){1,2}"
)
# A blank beside the @, right behind what says that it is one: mail is anna.k @ lumen.io, 发到zhang @hengtong.com.cn
_SAID_TO_BE = (
    r"(?:(?<![A-Za-z])(?i:(?:e-?)?mail(?:box)?(?:[ ]address)?(?:[ ]on[ ]file)?(?:[ ]is|[ ]me[ ]at|[’']s)?"
    r"|reach[ ]me[ ]at)[ ]?[:：=]?[ ]?"
    r"|(?:邮箱|邮件|电邮|信箱|郵箱|電郵)(?:地址)?[是为為：:]{0,2}[ ]?|[发發]到[ ]?)"
)
_WITH_BLANK = (
    rf"[A-Za-z0-9_]{_RUN}{{1,63}}(?:[ ]@[ ]?|@[ ])(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{{0,62}})\.){{1,8}}[A-Za-z]{{2,24}}"
)
_ENCODED = r"[A-Za-z0-9_][A-Za-z0-9._+\-]{0,63}%40(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.){1,8}[A-Za-z]{2,24}"
# 。 for the point where an @ says that it is one: zhang@zju。edu。cn
_FULL_STOP = r"@[A-Za-z0-9\-]{1,62}(?:[.。][A-Za-z0-9\-]{1,62}){0,3}。(?i:com|net|org|edu|gov|[a-z]{2})"
_LOOSE = (
    rf"(?:{_LOOSE_AT}(?:(?i:vip){_LOOSE_DOT})?{_PROVIDER}{_LOOSE_DOT}"
    r"|[ ]?@[ ]?(?i:live|msn|tom|21cn)[ ]?。[ ]?)(?i:com|cn|net|me)"  # "at live.com" says where to look
)


def is_short(value: str) -> bool:
    """Whether only the length of its name says that a mailbox is nobody's."""
    value = value.strip().lower()
    return _NO_MAILBOX.fullmatch(value) is not None and _ANYBODY.fullmatch(value.partition("@")[0]) is None


def _is_sample(value: str, local: str, domain: str) -> bool:
    """Whether an address is one of documentation, of exercises or of nobody; no country has .xx."""
    samples = _SAMPLE.fullmatch(domain) or _ANYBODY.fullmatch(local) or domain.endswith(".xx")
    return bool(samples) or any(each.fullmatch(value) for each in (_STAGED, _ALGEBRA, _NO_MAILBOX))


def _spelt_out(written: str, local: str, domain: str) -> Judgement | None:
    """Judge what has a word or a blank where its signs would be: a at b dot com, W @ x.shape."""
    tld = domain.rpartition(".")[2]
    familiar = domain in _PUBLIC or _OF_A_COUNTRY.fullmatch(domain) is not None
    of_a_country = _COUNTRYS.search(domain) is not None
    if _APART.search(written) and not familiar:  # beside E-mail it is one
        known = " @ " in written and (tld in _GENERIC or of_a_country)
        return Judgement(0.3, "suspect") if known else None
    marked = _MARKED.search(written) is not None
    if "点" in written and not marked:
        return None
    if familiar:
        return Judgement(0.6, "valid")
    known = tld in _GENERIC or (len(tld) == 2 and (marked or of_a_country))
    sure = marked or (_SAID.search(written) is not None and _MIXED.search(local) is not None)
    return Judgement(0.6 if sure else 0.3, "valid" if known else "suspect")


class EmailAddress(Recognizer):
    """An address; at a sample domain a specimen, at an unknown top-level domain a suspect."""

    entity = "EMAIL_ADDRESS"
    priority = 280
    policy = Policy("block", hard=True)
    prefilter = (
        r"@[ ]?[A-Za-z0-9][A-Za-z0-9\-]*\.[A-Za-z0-9]|[(\[{（【][ ]?(?:at|AT|@|艾特|dot|DOT|点|\.)[ ]?[)\]}）】]|艾特|圈[aA]|小老鼠"  # noqa: E501
        r"|[A-Za-z0-9]\([aA]\)[A-Za-z0-9]|[ ](?:dot|DOT)[ ]"
        r"|#[A-Za-z0-9][A-Za-z0-9\-]*\.[A-Za-z0-9]|[A-Za-z0-9._\-] @ [A-Za-z0-9\-] |%40[A-Za-z0-9]"
        rf"|{_LOOSE}|{_FULL_STOP}"
    )
    tries = {"email_address.at": (_TRY_SPELT,)}
    # What stands before the @ of a URL (ftp://user:password@host) is a login, not a mailbox.
    patterns = {
        "email_address": rf"(?<![A-Za-z0-9])(?<!://[^\s/@]{{0,128}}){_ADDRESS}(?![A-Za-z0-9])",
        "email_address.at": rf"(?<!{_RUN}){_SPELT}(?![A-Za-z0-9])",
        "email_address.labelled": rf"{_SAID_TO_BE}(?P<value>{_WITH_BLANK})(?![A-Za-z0-9(])",
        "email_address.apart": rf"(?<![A-Za-z0-9]){_LETTER_BY_LETTER}(?![A-Za-z0-9])",
        "email_address.encoded": rf"(?<![A-Za-z0-9._%+\-]){_ENCODED}(?![A-Za-z0-9])",
        "email_address.full_stop": rf"(?<!{_RUN})[A-Za-z0-9_]{_RUN}{{1,63}}{_FULL_STOP}(?![A-Za-z0-9])",
        # chenjh75ATgmail.com, but no word in capitals (FLATGMAIL.COM)
        "email_address.loose": rf"(?<!{_RUN})[A-Za-z0-9_]{_RUN}{{1,63}}?(?!(?<=[A-Z])AT){_LOOSE}(?![A-Za-z0-9])",
    }
    # one run into another, too
    extents = (
        rf"(?<!{_RUN}){_RUN}+(?:@{_RUN}+)+",
        rf"(?<!{_RUN}){_RUN}++{_SPELT_BEHIND}",
        rf"(?<!{_RUN}){_RUN}{{1,64}}?{_LOOSE}",
        rf"(?<!{_RUN}){_RUN}{{1,64}}{_FULL_STOP}",
        rf"(?<![A-Za-z0-9]){_LETTER_BY_LETTER}(?![A-Za-z0-9])",
        r"[A-Za-z0-9._+\-]+%40[A-Za-z0-9.\-]+",
    )
    positive = r"邮箱|邮件|电邮|信箱|郵箱|(?i:e-?mail|mailto|contact)|#[换改替]"
    specimens = frozenset[str]()  # by domain, see _SAMPLE

    def judge(self, rule: str, value: str) -> Judgement | None:
        """Judge by the domain."""
        written, value = value, self.canonical(value)
        local, _, domain = value.rpartition("@")
        tld = domain.rpartition(".")[2]
        # git@github.com:owner/name, logo@2x.png; Gmail numbers its mails at a host of theirs
        if local == "git" or tld in _FILES or domain in _OF_MAILS or _ALGORITHM.fullmatch(value):
            return None
        if domain.endswith(".gserviceaccount.com") or _MACHINE.fullmatch(value) or _NUMBERED.fullmatch(written):
            return None
        if _is_sample(value, local, domain):
            return Judgement(1.0, "specimen")
        if rule in ("email_address.loose", "email_address.full_stop"):
            return Judgement(0.6, "valid")
        if rule == "email_address.at":
            return _spelt_out(written, local, domain)
        return Judgement(0.9, "valid") if len(tld) == 2 or tld in _GENERIC else Judgement(0.6, "suspect")

    def doubts(self, value: str, before: str, after: str) -> bool:
        """The number of a mail is no mailbox, nor is the mask of somebody in a chat room or on a provider's line."""
        masked = _NICKNAMED.search(before) and _MASK_AFTER.match(after)
        masked = masked or _WORD_BEFORE_A_PROVIDER.match(value)
        if masked or _OF_A_MAIL.search(before) or _MASK_BEFORE.search(before):
            return True
        domain = value.rpartition("@")[2]
        return _LINE.fullmatch(domain) is not None or _NO_MAILS.fullmatch(domain) is not None

    def is_other(self, text: str, start: int, end: int) -> bool:
        """A variable of a shell is filled in later ($USER@host.com), and a kernel tells where it was built.

        user@github.com/path is where a program lies.
        """
        if text[max(0, start - 1) : start] == "$" or _KERNEL.match(text, end) is not None:
            return True
        return text[end : end + 1] == "/" and text[start:end].lower().endswith(_FORGES)

    def is_sample(self, text: str, start: int, end: int) -> bool:
        """Two that are each other's mirror are made up: from=<sun@moon.com> to=<moon@sun.com>."""
        local, _, domain = text[start:end].lower().partition("@")
        name = domain.partition(".")[0]
        return name != local and f"{name}@{local}." in text[max(0, start - _MIRRORED) : end + _MIRRORED].lower()

    def canonical(self, value: str) -> str:
        """Return it in lower case, its signs written as signs."""
        return signs(value.lower())

    def mask(self, value: str) -> str:
        """Keep the first character; of a domain that is no public provider's, the same and its top level."""
        local, _, domain = signs(value).rpartition("@")
        if domain.lower() not in _PUBLIC:
            name, _, tld = domain.rstrip(".").rpartition(".")
            # `excerpt` hands over more than an address at times: what is no top level may be anything
            domain = f"{name[:1]}***.{tld}" if name and tld.isalpha() and len(tld) <= _LONGEST_SHOWN else "***"
        return f"{local[:1]}***@{domain}"

    def canary(self, rng: Random) -> str:
        """Return an address at a domain of twelve random letters."""
        letters = "".join(rng.choice("abcdefghijkmnpqrstuvwxyz") for _ in range(20))
        return f"{letters[:8]}{random_digits(rng, 3)}@{letters[8:]}.com"


def is_providers(domain: str) -> bool:
    """Whether a host gives mailboxes to anybody: at gmail.com nobody's house is."""
    return domain in _PUBLIC or _OF_A_COUNTRY.fullmatch(domain) is not None or domain in _OTHER_PROVIDERS


def signs(value: str) -> str:
    """The address with its signs written as signs."""
    if re.fullmatch(_LETTER_BY_LETTER, value):
        return value.replace(" ", "")
    if "@" not in value and re.fullmatch(_ENCODED, value):
        return value.replace("%40", "@")
    provider = re.search(rf"(?P<at>{_LOOSE_AT})(?P<name>{_PROVIDER})(?P<dot>{_LOOSE_DOT})(?P<tld>[A-Za-z]+)\Z", value)
    if provider:
        return f"{value[: provider.start()]}@{provider['name']}.{provider['tld']}"
    return _DOT.sub(".", _AT.sub("@", value)).replace("。", ".")
