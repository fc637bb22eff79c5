/* Writing code points as UTF-8. */
#ifndef DATACHECK_UTF8_H
#define DATACHECK_UTF8_H

#include "texts.h"

enum { MOST_BYTES = 4 }; /* of a code point */

INLINE uint8_t *encoded(uint32_t code, uint8_t *out) {
    if (code < 0x80) {
        *out++ = (uint8_t)code;
        return out;
    }
    if (code < 0x800)
        *out++ = (uint8_t)(0xC0 | code >> 6);
    else {
        if (code < 0x10000)
            *out++ = (uint8_t)(0xE0 | code >> 12);
        else {
            *out++ = (uint8_t)(0xF0 | code >> 18);
            *out++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        }
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    }
    *out++ = (uint8_t)(0x80 | (code & 0x3F));
    return out;
}

#endif
