"""Texts with numbers that identify nobody, to judge with what the recognizers leave alone."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from independent_identifiers import some_digits


class Negative(NamedTuple):
    """A text without any identifier; `kind` says what its numbers are."""

    text: str
    kind: str


# --- texts without identifiers ---


def _isbn13(rng: Random) -> str:
    """ISO 2108: 978, weights 1 and 3."""
    body = "9787" + some_digits(rng, 8)
    return body + str(-sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(body)) % 10)


def _order_number(rng: Random) -> str:
    """A date, a time and a counter, 18 to 20 digits; the first two digits are no province, the first no card."""
    moment = f"20{rng.randint(19, 25)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}{rng.randint(0, 23):02d}"
    return moment + some_digits(rng, rng.randint(8, 10))


def _round_large(rng: Random) -> str:
    return rng.choice(("130", "138", "150", "156", "186", "199")) + "0" * 8


NEGATIVES: dict[str, Callable[[Random], tuple[str, ...]]] = {
    "order_number": lambda r: (
        f"订单号：{_order_number(r)}，预计明天送达。",
        f"Your order no. {_order_number(r)} has shipped.",
        f"快递单号SF{some_digits(r, 13)}已揽收",
    ),
    "timestamp": lambda r: (
        f"ts={r.randint(16 * 10**8, 18 * 10**8)}{some_digits(r, 3)} level=INFO msg=started",
        f"时间戳{r.randint(16 * 10**8, 18 * 10**8)}对应的是北京时间。",
        f"2024-0{r.randint(1, 9)}-1{r.randint(0, 9)}T08:{r.randint(10, 59)}:33.{some_digits(r, 6)}Z job done",
    ),
    "price": lambda r: (
        f"原价{r.randint(1000, 99999)}元，现价{r.randint(100, 999)}.{r.randint(10, 99)}元。",
        f"The total came to ${r.randint(1, 999)},{r.randint(100, 999)},{r.randint(100, 999)}.00.",
        f"合同金额人民币{r.randint(10**7, 10**8)}.00元整",
    ),
    "measure": lambda r: (
        f"预计到那时全球将有{_round_large(r)}人。",
        f"项目总投资{_round_large(r)}元，分三年到位",
        f"距离地球约{_round_large(r)}公里。",
        f"全年发电{_round_large(r)}千瓦时",
    ),
    "mathematics": lambda r: (
        f"{(a := r.randint(10**4, 10**6))} × {(b := r.randint(10**4, 10**5))} = {a * b}",
        "圆周率约等于3.14159265358979323846，自然常数约等于2.71828182845904523536。",
        f"2的{(n := r.randint(34, 63))}次方等于{2**n}。",
        f"{(n := r.randint(13, 18))}! = {_factorial(n)}",
    ),
    "isbn": lambda r: (f"ISBN：{_isbn13(r)}，人民邮电出版社。", f"See ISBN {_isbn13(r)}, chapter {r.randint(1, 20)}."),
    "version": lambda r: (
        f"软件已升级到版本 {r.randint(1, 9)}.{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(1000, 9999)}。",
        f"Chrome/{r.randint(90, 130)}.0.{r.randint(4000, 6999)}.{r.randint(10, 200)} Safari/537.36",
        f"pip install numpy=={r.randint(1, 2)}.{r.randint(10, 26)}.{r.randint(0, 4)}",
    ),
    "score": lambda r: (
        f"他数学考了{r.randint(60, 150)}分，全班第{r.randint(1, 50)}名。",
        f"最终比分21-{r.randint(5, 19)}，21-{r.randint(5, 19)}。",
        f"BLEU {r.randint(20, 45)}.{r.randint(10, 99)}, F1 0.{some_digits(r, 4)}",
    ),
    "coarse_coordinates": lambda r: (
        f"北京大致位于北纬{r.randint(39, 40)}度、东经{r.randint(115, 117)}度。",
        f"The city lies near {r.randint(20, 45)}.{r.randint(1, 9)}, {r.randint(100, 125)}.{r.randint(1, 9)}.",
        f"点P的坐标是({r.randint(1, 99)}.{r.randint(1, 9)}, {r.randint(1, 99)}.{r.randint(1, 9)})",
    ),
    "gene": lambda r: (
        f"BRCA1、TP53与rs{r.randint(10**5, 10**8)}相关。",
        f"The variant NM_{r.randint(10**5, 10**6 - 1):06d}.{r.randint(1, 5)} in CYP2D6 was found.",
        f"ENSG{some_digits(r, 11)} is expressed in the liver",
    ),
    "code": lambda r: (
        f"for (int i = 0; i < {r.randint(10, 10**6)}; i++) {{ sum += a[i] * {r.randint(2, 99)}; }}",
        f"#define MASK 0x{r.getrandbits(32):08X}u  // {r.randint(1, 31)} bits",
        f"commit {r.getrandbits(160):040x}",
        f"uuid = {str(_uuid4(r))!r}",
        f"npm install react@{r.randint(16, 19)}.{r.randint(0, 9)}.{r.randint(0, 9)}",
        "@app.route('/users/<int:user_id>')\ndef show(user_id): return user_id + 10000",
        "color: rgba(12, 34, 56, 0.5); margin: 0 10px 10px 0;",
    ),
    "placeholder_secret": lambda r: (
        "password=<your-password>",
        "api_key = os.environ['API_KEY']",
        "密码不能少于8位，且必须包含数字。",
        "mysql -u root -p  # then type the password",
        f"token count: {r.randint(100, 9999)}, max_tokens={r.randint(256, 8192)}",
    ),
    "plain_date": lambda r: (
        f"会议定于{r.randint(2019, 2026)}年{r.randint(1, 12)}月{r.randint(1, 28)}日上午9点召开。",
        f"Released on {r.randint(2010, 2025)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}.",
        f"本法自{r.randint(1990, 2024)}年{r.randint(1, 12)}月1日起施行。",
    ),
    "reference": lambda r: (
        f"doi:10.{r.randint(1000, 9999)}/{r.randint(10**6, 10**7)}.{r.randint(10**6, 10**7)}",
        f"arXiv:{r.randint(10, 25)}0{r.randint(1, 9)}.{some_digits(r, 5)}v{r.randint(1, 4)}",
        f"根据《民法典》第{r.randint(100, 1260)}条第{r.randint(1, 4)}款",
        f"（{r.randint(2015, 2024)}）最高法民终{r.randint(1, 1500)}号",
    ),
    "product": lambda r: (
        f"乘坐G{r.randint(1, 9999)}次列车，{r.randint(1, 16)}车厢检票。",
        f"股票代码60{some_digits(r, 4)}，收盘涨{r.randint(1, 9)}.{r.randint(10, 99)}%",
        f"型号RTX {r.randint(30, 50)}{r.choice('6789')}0，显存{r.choice((8, 12, 16, 24))}GB",
        f"航班MU{r.randint(1000, 9999)}延误{r.randint(1, 9)}小时",
        f"条形码69{some_digits(r, 11)}，净含量{r.randint(100, 999)}克",
    ),
    "coarse_place": lambda _r: (
        "公司总部位于广东省深圳市南山区。",
        "我们去了北京市海淀区的中关村。",
        "长江路上新开了3家店",
    ),
    "special_ip": lambda _r: ("listen 0.0.0.0:8080", "子网掩码为255.255.255.0。", "curl http://127.0.0.1:5000/health"),
    "part_number": lambda r: (
        f"系统报错，错误码E{some_digits(r, 8)}，请联系管理员。",
        f"批次号H{some_digits(r, 8)}的药品已召回",
        f"Part C{some_digits(r, 8)} is out of stock.",
        f"物料编码{r.randint(10**9, 10**10 - 1)}已停用",
    ),
    "count": lambda r: (
        f"播放量{r.randint(10**7, 10**9)}次，点赞{r.randint(1000, 99999)}",
        f"共{r.randint(10**5, 10**7)}条记录，耗时{r.randint(10, 9999)}毫秒",
        f"Downloads: {r.randint(10**6, 10**9)} this year",
    ),
    "masked": lambda r: (
        f"手机号：138****{some_digits(r, 4)}",
        f"身份证号1101**********{some_digits(r, 3)}X已脱敏",
        f"card ending in {some_digits(r, 4)}",
    ),
    "service_number": lambda _r: (
        "话费问题请拨打10086。",
        "报警请打110，急救请打120",
        "市民热线12345全天开通。",
        "银行客服95588会回电",
    ),
    "statistics": lambda r: (
        f"均值{r.uniform(0, 100):.12f}，方差{r.uniform(0, 10):.15f}",
        f"样本量n={r.randint(1000, 99999)}, p=0.0{some_digits(r, 8)}, χ²={r.uniform(1, 99):.4f}",
        f"第七次人口普查结果为{r.randint(14 * 10**8, 15 * 10**8)}人",
        f"0.{some_digits(r, 18)} 1.{some_digits(r, 10)}e-0{r.randint(1, 9)}",
    ),
    "famous_name": lambda _r: (
        "李白写了《静夜思》，杜甫写了《春望》。",
        "小明有5个苹果，小红有3个。",
        "牛顿生活在17世纪",
    ),
}


def _factorial(n: int) -> int:
    result = 1
    for factor in range(2, n + 1):
        result *= factor
    return result


def _uuid4(rng: Random) -> str:
    """RFC 9562, version 4."""
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{rng.choice('89ab')}{digits[17:20]}-{digits[20:]}"


def negative(rng: Random, kind: str | None = None) -> Negative:
    """A realistic text with numbers, or with what only looks like an identifier."""
    kind = kind or rng.choice(list(NEGATIVES))
    return Negative(rng.choice(NEGATIVES[kind](rng)), kind)
