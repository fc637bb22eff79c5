"""WeChat names, by their label."""

import re
from operator import itemgetter
from random import Random

from datacheck.pii.matching.expressions import HAN, IS_MINE, LINKER, NO_WORD
from datacheck.pii.policy import Policy
from datacheck.pii.recognizers.base import Judgement, Recognizer, random_digits, words

_STRONG = (
    r"(?:微信(?:号码?|[账帐]号|ID|id)|[薇威徽v]信|[微薇][❤♥]\ufe0f?|卫星号|绿泡泡|[加+＋➕]微|[加+＋➕][ ]?[Vv]|微信"
    r"|(?i:wechat|weixin)(?:[ _\-]{0,2}(?i:id|account|number|num|no\.?|name))?|[Vv][Xx]|[Ww][Xx]|V信|v信)"
)
# Without a sign between them a name needs a digit or a low line, and must not be a device or a product.
_NUMBERED = (
    rf"{LINKER}(?<![A-Za-z0-9_\-])(?!(?i:android|iphone|ipad|ios|win|mac|linux|version|v[0-9]|web|pay|app(?!le[a-z])|sdk|api|mini))"
    r"(?:wxid_|wx[_\-]|[A-Za-z][A-Za-z0-9\-]{0,18}?(?:_|[0-9]{2}|[0-9](?![A-Za-z0-9]))"
    # a word with a digit inside, longer than names of formats are
    r"|(?!mp[0-9]|html5|css3|vue[0-9]|web[0-9]|base[0-9]|[a-z]{1,4}[0-9][a-z]{1,4}(?![a-z0-9]))"
    r"[a-z]{2,16}[0-9](?=[a-z0-9]{1,16}(?![A-Za-z0-9])))"
)
_HANDLE = "[a-z]{3,12}(?:[_-]?[a-z]{1,12})?_?"
_TOUCHED = "(?:[vw]x|[加+＋]v|[Ww]e[Cc]hat|卫星[:：][ ]?)"  # 卫星 sounds like 微信
_TIGHT = f"{_TOUCHED}{_HANDLE}[0-9]{{2}}"
_VALUE = r"[A-Za-z][A-Za-z0-9_\-]{5,19}"
# A name of letters only, without a sign before it, is one where somebody speaks of his own or of somebody's WeChat,
# and where no English goes on: 我微信 skyetnaakv, but not 使用微信 payment. Few words begin with vx and wx.
_LETTERS = r"(?:[a-z]{6,20}|[A-Z]{6,20}|[A-Z][a-z]{5,19})"
_NO_NAME = (
    r"(?!(?i:android|iphone|windows|harmony|openid|unionid|webview|github|payment|official|website|browser"
    r"|server|client|python|javascript|typescript"
    r"|java|mini|program|wechat|weixin|messenger|facebook|twitter|whatsapp|telegram|linkedin|instagram"
    r"|tiktok|alipay|qrcode|login|token|oauth|jssdk|mobile|desktop|article|public|group|moments|channel|account|number|session"
    r"|secret|native|service|platform|support|business|enterprise|reading|weread|version|signal|discord|google|youtube|online"
    r"|works|widgets|python|charts|parse|pusher|share|request|router|table|config|image|cloud|store|proto|notify|message|robot"
    r"|url|http|email|phone|address|contact|update|download|install|please|thanks|before|friend|button|window|system))"
)
_STATES = (
    "blocked|banned|hacked|broken|working|logged|frozen|offline|private|disabled|linked|locked|connected|installed"
)
_NO_PRODUCT = r"(?!(?i:web|pay|app|sdk|api|open|mini|ios|mac|win|ver)|[a-z]+[ ](?:19|20)[0-9]{2}(?![0-9]))"
_NO_VARIABLE = r"(?!_[A-Za-z_]+(?![A-Za-z0-9_\-]))"  # Wx_plus_b
_BROKEN = (
    r"(?:wxid[ ]_[a-z0-9]{6,20}|[a-z]{2,12}[ ](?:[a-z]{0,12}[_\-][a-z]{0,12}|[a-z]{0,8})[0-9]{2,6}"
    r"|[a-z]{2,12}[_\-][a-z]{0,4}[ ][a-z]{0,12}[0-9]{2,6})"
)
_APART = r"[A-Za-z](?:[ ][A-Za-z0-9_\-]){5,19}"
_BEGUN = r"(?:\A|(?<=[\n，。：；！？、（(我的加你您他她或是有用这接])|(?<=[，。！？；：\u4e00-\u9fff] ))"
_ENDED = r"(?=[ ]?(?:[，。；！？、）)\n!]|\Z|[.,;](?![A-Za-z0-9])|[\u4e00-\u9fff]))"
_BEHIND = rf"{IS_MINE}(?:微信(?:号|ID|id)?|[VvWw][Xx]|[Vv]信|[薇威徽]信)"  # x-y93 是我微信
# vxlan_ports, wxml_dir: vx and wx are the beginning of the name of a technique
_LISTED = re.compile("_[vwVW][xX] ?, ?\\Z")
_LINK, _LONGEST_LINK = re.compile(r"https?://[^\s<>\"'()\[\]\u3000-\u9fff]+\Z"), 240  # …?channel=WX_RYF_00
_TECHNIQUE = re.compile(r"(?:lan|ml|ss|works|widgets|gate|vm|fs|sdk|api|pay|app)(?![A-Za-z])")
_PACKAGE = re.compile("[a-z]+(?:-[a-z]+)+")  # wx-form-kit
_AS_FOUND = ("searched", "apart", "spelt", "letters", "touched", "plus", "is", "touched_mixed", "behind", "mine")


class Wechat(Recognizer):
    """6 to 20 letters, digits, - and _ after 微信号, vx, WeChat (with a colon or 是 between)."""

    entity = "WECHAT"
    priority = 200
    policy = Policy("block", hard=True)
    label = "微信号:"
    prefilter = rf"{_STRONG}{LINKER}[A-Za-z]|(?:wxid|WXID)_[A-Za-z0-9]|[Vv]：[A-Za-z]|{_TIGHT}"
    prefilters = (
        r"(?:[VvWw] [Xx]|微[Xx]|微 信|微信同[号步]|WX|VX|(?i:wechat|weixin)号)[:：是][ ]?[A-Za-z]",
        r"[VvWw][Xx][A-Za-z]{2}|加[Vv][A-Za-z]{2}|(?i:wechat|weixin)[A-Za-z]{2,16}[0-9_\-]",
        r"(?i:(?:my|his|her|our) (?:wechat|weixin)(?:[ ]?(?:id|account|number|name))? is )[A-Za-z]",
        rf"薇{LINKER}[A-Za-z]",
        "[+＋][ ]?[Vv][ :：]{1,2}[A-Za-z]{6}",
        "微信上?搜索?[一下:： ]{0,3}[A-Za-z]",
        r"[A-Za-z0-9_\-][ ]?[（(](?:微信|[VvWw][Xx]|(?i:wechat))",
        f"[A-Za-z0-9_-]{_BEHIND}",
    )
    patterns = {
        "wechat": (
            rf"(?<![A-Za-z0-9])(?<![A-Za-z0-9)_%#] ?(?=[+]))(?:{_STRONG})"
            rf"(?=号|[ \\\"']{{0,3}}(?:[:：=#是为]|[,，][ ]?[\\\"']{{1,3}}value)|{_NUMBERED})\#?{LINKER}"
            rf"(?<![A-Za-z0-9_\-])(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
        # 薇 alone, where it is no part of a name
        "wechat.wei": (
            rf"(?:(?<![\u3400-\u9fff])|(?<=[加我是接有的给]))薇(?={_NUMBERED}){LINKER}"
            rf"(?<![A-Za-z0-9_\-])(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
        "wechat.wxid": (
            r"(?<=(?:(?<![A-Za-z0-9])[vwVW][xX]?[ :：]?|(?<![A-Za-z0-9_])))"
            r"(?P<value>wxid_[a-z0-9]{6,20}|WXID_[A-Z0-9]{6,20})(?![A-Za-z0-9_])"
        ),
        # ocea n-silent54, wxid _z35ms0oewu3gyc: digits end it, and without a sign before it a sign stands inside
        "wechat.broken": (
            rf"(?<![A-Za-z0-9])(?:{_STRONG})(?=号|[ \\\"']{{0,3}}[:：=是为]"
            rf"|{LINKER}(?:wxid|[a-z]{{2,12}})[ ][a-z]{{0,12}}[_\-])"
            rf"{LINKER}(?<![A-Za-z0-9_\-]){NO_WORD}{_NO_NAME}{_NO_PRODUCT}(?P<value>{_BROKEN})"
            r"(?![A-Za-z0-9_\-@]|[.][A-Za-z0-9]|[ ][A-Za-z0-9])"
        ),
        "wechat.v": rf"(?<![A-Za-z0-9])[Vv]：(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])",
        "wechat.number": (
            rf"(?:微信号码?|微信ID|[加+＋]微信?|加[ ]?[Vv薇威](?![A-Za-z0-9])|[徽薇威]信|绿泡泡"
            rf"|(?<![A-Za-z0-9.])(?:[VvWw][Xx]号?{_NO_VARIABLE}|[Vv]信)){LINKER}"
            rf"(?<![0-9A-Za-z])(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
        "wechat.spelt": (
            rf"(?<![A-Za-z0-9])(?:[VvWw] [Xx]|微[Xx]|微 信|微信同[号步]|(?i:wechat|weixin)号)[:：是][ ]?"
            rf"(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]|\.[A-Za-z0-9])"
        ),
        "wechat.letters": rf"{_BEGUN}微信[ ]?{_NO_NAME}(?P<value>{_LETTERS})(?![A-Za-z0-9_\-@]){_ENDED}",
        "wechat.touched": (
            rf"(?<![A-Za-z0-9_/@\-])(?:[vw]x|[VW]X){_NO_NAME}"
            rf"(?P<value>{_LETTERS}|[a-z]{{2,16}}(?:[_\-][a-z]{{2,12}}|[_\-]?[0-9]{{1,5}}))"
            rf"(?![A-Za-z0-9_\-@]){_ENDED}"
        ),
        "wechat.plus": rf"{_BEGUN}[+＋][ ]?[Vv][ :：]{{1,2}}(?P<value>{_LETTERS}){_ENDED}",
        "wechat.is": (
            rf"(?<![A-Za-z])(?i:(?:my|his|her|our) (?:wechat|weixin)(?:[ ]?(?:id|account|number|name))? is )"
            rf"(?!(?i:{_STATES})(?![A-Za-z]))(?P<value>{_VALUE})(?![A-Za-z0-9_\-@]){_ENDED}"
        ),
        "wechat.touched_mixed": (
            rf"(?:{_BEGUN}|(?<=[{HAN}]))(?:(?:有意|可)?加[Vv][Xx]?|(?i:wechat|weixin)|[VvWw][Xx]){_NO_PRODUCT}"
            r"(?P<value>[A-Za-z]{2,16}(?:[0-9]{2,8}|[_\-][A-Za-z0-9]{2,12}))(?![A-Za-z0-9_\-@])"
            rf"{_ENDED}"
        ),
        # 微信搜 alone leads to a public account
        "wechat.searched": (
            rf"微信上?搜索?[一下:： ]{{0,3}}(?P<value>{_VALUE}|{_APART})(?![A-Za-z0-9_\-@])"
            r"(?=[^\n。！？]{0,6}(?:加|找到?)我)"
        ),
        "wechat.apart": (
            rf"(?<![A-Za-z0-9])(?:{_STRONG}|微信)[号號]?(?:[ ]?[:：是为為]{{1,2}}[ ]?|{LINKER})"
            rf"(?<![A-Za-z0-9])(?P<value>{_APART})(?![ ]?[A-Za-z0-9_@])"
        ),
        "wechat.behind": (
            rf"(?:加我|加|联系|找我|我|[号是：:])[ ]?(?!(?i:wechat|weixin|tencent))(?P<value>{_VALUE})"
            r"[ ]?[（(](?:微信|[VvWw][Xx]|(?i:wechat))(?:号|同号)?[）)]"
        ),
        # a word and 我的微信 may stand side by side, so a digit or a low line is asked for
        "wechat.mine": (
            rf"(?<![A-Za-z0-9_\-@./])(?=[A-Za-z0-9\-]*[0-9_\-])(?P<value>{_VALUE}){_BEHIND}"
            r"(?!群|公众|小程序|支付|付款|[A-Za-z0-9])"
        ),
        # last: of a span that several rules match the first has it, and this one is sure of nothing
        "wechat.glued": (rf"(?<![A-Za-z0-9]){_TOUCHED}(?!id)(?P<value>{_HANDLE}[0-9]{{2,5}})(?![A-Za-z0-9_])"),
    }
    extents = (
        rf"(?:{_STRONG}){LINKER}(?<![A-Za-z0-9_\-])(?P<value>{_VALUE})",
        f"{_TIGHT}[0-9]{{0,3}}",
        # names that only what touches them tells from words: as they are found
        *itemgetter(*(f"wechat.{rule}" for rule in _AS_FOUND))(patterns),
    )
    specimens = words(
        "WECHAT WEIXIN ABCDEFG ABC123 TEST123 WXID_XXXXXX YOUR_ID YOURWECHATID EXAMPLE WECHATID WECHAT_ID"
    )

    def judge(self, rule: str, value: str) -> Judgement | None:
        """The label is the evidence; a lower-case word of a language may follow it too, so letters alone warn."""
        if value.upper() in self.specimens:
            return Judgement(1.0, "specimen")
        if rule in ("wechat.v", "wechat.glued"):
            return Judgement(0.5, "suspect") if sum(map(str.isdigit, value)) > 1 else None
        return Judgement(0.7, "valid") if any(not char.isalpha() for char in value) else Judgement(0.5, "suspect")

    def is_other(self, text: str, start: int, end: int) -> bool:
        """A name that vx touches may go on that of a technique; per_wx, per_wy and wx-form-kit are of a program."""
        if _LINK.search(text, max(0, start - _LONGEST_LINK), start):
            return True
        if _LISTED.search(text, max(0, start - 6), start):
            return True
        if text[max(0, start - 3) : start] in ("wx-", "vx-") and _PACKAGE.fullmatch(text, start, end):
            return True
        return text[max(0, start - 2) : start].lower() in ("vx", "wx") and bool(_TECHNIQUE.match(text, start, end))

    def canonical(self, value: str) -> str:
        """Return it in lower case, without blanks: WeChat does not tell case apart."""
        return value.lower().replace(" ", "")

    def canary(self, rng: Random) -> str:
        """Return a labelled name."""
        letters = "".join(rng.choice("abcdefghjkmnpqrstuvwxyz") for _ in range(7))
        return f"{self.label}{letters}_{random_digits(rng, 4)}"
