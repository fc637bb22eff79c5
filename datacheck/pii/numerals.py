"""Chinese numerals that stand for one digit each, the financial ones included."""

DIGIT_OF = {
    **dict(zip("零〇○", "000", strict=True)),
    **dict(zip("一二三四五六七八九", "123456789", strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖", "123456789", strict=True)),
    **dict(zip("貳參陸幺两兩", "236122", strict=True)),
}
CHINESE_NUMERALS = "".join(DIGIT_OF)
