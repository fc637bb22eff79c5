/* Chains of digits: ASCII digits with at most three separators between each two, as people write one number. */
#ifndef DATACHECK_DIGITS_H
#define DATACHECK_DIGITS_H

#include "texts.h"

enum {
    BLOCK = 128,
    FEW_DIGITS = 4,   /* nothing looks for shorter chains alone */
    MOST_BETWEEN = 3, /* as GAP in pii/matching/expressions.py says, and the separators are those of SEPARATOR there */
};

INLINE bool is_separator(uint32_t code) {
    if (code < 0x80) return code == ' ' || code == '\t' || code == '-' || code == '.' || code == '_' || code == '(' || code == ')';
    if (code < 0x2000) return code == 0xA0 || code == 0xB7;
    if (code < 0x3000)
        return code <= 0x200A || (code >= 0x2010 && code <= 0x2015) || code == 0x2022 || code == 0x202F || code == 0x2212;
    return code == 0x3000 || code == 0x30FB || code == 0xFF08 || code == 0xFF09;
}

INLINE bool is_digit(uint32_t code) { return code - '0' < 10; }

typedef struct {
    int64_t all, longest; /* in the text, and in its longest chain; of few digits these are the same */
} Digits;

/* How many digits a text has. What is in front of the first one and behind the last one is not decoded. */
INLINE Digits count_digits(const uint8_t *bytes, int64_t length) {
    int64_t all = 0, longest = 0, digits = 0, between = 0, at = 0, end = 0;
    for (int64_t block = 0; block < length; block += BLOCK) {
        uint8_t some = 0; /* counted in bytes, many at a time */
        for (int64_t i = block; i < MIN(block + BLOCK, length); i++) some += (uint8_t)(bytes[i] - '0') < 10;
        if (some && !all) at = block;
        if (some) end = MIN(block + BLOCK, length);
        all += some;
    }
    if (all < FEW_DIGITS) return (Digits){all, all};
    while (!is_digit(bytes[at])) at++;
    while (!is_digit(bytes[end - 1])) end--;
    while (at < end) {
        uint32_t code;
        at += (int64_t)decode_one(bytes + at, &code);
        if (is_digit(code))
            digits++, between = 0, longest = MAX(longest, digits);
        else if (!is_separator(code) || ++between > MOST_BETWEEN)
            digits = between = 0;
    }
    return (Digits){all, longest};
}

#endif
