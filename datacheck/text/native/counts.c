/* Counting in texts: words by script, rows in which one n-gram stands over and over, distinct n-grams of windows, and
 * the normalised texts themselves. */
#include <math.h>

#include "texts.h"

/* script: which one each code point belongs to (the last number: none). single: of which scripts every character is a word, and
 * forms: which form of Chinese a code point is (1 simplified, 2 traditional). */
typedef struct {
    const uint8_t *script, *forms;
    const bool *single;
    int64_t none, width;
} Scripts;

/* Add to out [rows, width] the words of each script and, in the last two columns, the forms of Chinese. A word of a
 * script with spaces is a run of two letters or more. Returns whether there was memory. */
EXPORT bool count_words(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, const Scripts *scripts, uint32_t *out
) {
    uint32_t *codes = malloc((size_t)longest(source, first, last) * sizeof *codes);
    if (!codes) return false;
    for (int64_t row = first; row < last; row++) {
        uint32_t *counts = out + row * scripts->width;
        int64_t length = decode_row(source, row, table, codes), before = -1;
        for (int64_t i = 0; i < length; i++) {
            int64_t kind = scripts->script[codes[i]];
            if (kind != scripts->none) {
                bool begins = kind != before && i + 1 < length && scripts->script[codes[i + 1]] == kind;
                counts[kind] += scripts->single[kind] || begins;
                uint8_t form = scripts->forms[codes[i]];
                if (form) counts[scripts->width - 3 + form]++;
            }
            before = kind;
        }
    }
    free(codes);
    return true;
}

static int64_t power_of_two(int64_t least) {
    int64_t size = 1;
    while (size < least) size *= 2;
    return size;
}

/* Say of which rows one n-gram may cover `share` of the text and `characters`: it is as frequent as that needs. */
EXPORT bool find_repeating(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, double share, int64_t characters,
    bool *out
) {
    int64_t most = longest(source, first, last);
    size_t size = (size_t)most * sizeof(uint32_t), slots = (size_t)power_of_two(2 * most) * sizeof(uint32_t);
    Scratch scratch;
    if (!scratch_of(&scratch, 2 * size + 2 * slots)) return false;
    uint32_t *codes = place(&scratch, size), *hashes = place(&scratch, size);
    uint32_t *seen = place(&scratch, slots), *counts = place(&scratch, slots);
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(source, row, table, codes);
        if (length < n) continue;
        int64_t needed = MAX((int64_t)ceil((double)length * share), MAX(characters, 1)), top = 0;
        int64_t count = window_hashes(codes, token_hashes(codes, length, table->classes), n, hashes);
        uint32_t mask = (uint32_t)power_of_two(2 * count) - 1;
        memset(counts, 0, ((size_t)mask + 1) * sizeof *counts);
        for (int64_t i = 0; i < count; i++) {
            uint32_t slot = hashes[i] & mask;
            while (counts[slot] && seen[slot] != hashes[i]) slot = (slot + 1) & mask;
            seen[slot] = hashes[i];
            top = MAX(top, ++counts[slot]);
        }
        out[row] = top * n >= needed;
    }
    free(scratch.start);
    return true;
}

/* Cut the n-grams of all rows, row after row, into windows; returns how many are full, and in *distinct the different
 * hashes in each, added up. -1: a row cannot be normalised here, -2: no memory. */
EXPORT int64_t distinct_in_windows(
    const Rows *rows, int64_t count, const Lookup *table, int64_t n, int64_t size, int64_t *distinct
) {
    size_t most = (size_t)longest(rows, 0, count) * sizeof(uint32_t), window = (size_t)size * sizeof(uint32_t);
    Scratch scratch;
    if (!scratch_of(&scratch, 2 * most + 4 * window)) return -2;
    uint32_t *codes = place(&scratch, most), *hashes = place(&scratch, most);
    uint32_t *held = place(&scratch, window), *work = place(&scratch, 3 * window + 8);
    int64_t windows = 0, filled = 0;
    *distinct = 0;
    for (int64_t row = 0; row < count && windows >= 0; row++) {
        int64_t length = decode_row(rows, row, table, codes);
        if (length < 0) windows = -1;
        int64_t found = length < 0 ? 0 : window_hashes(codes, token_hashes(codes, length, table->classes), n, hashes);
        for (int64_t i = 0; i < found; i++) {
            held[filled++] = hashes[i];
            if (filled < size) continue;
            windows++;
            *distinct += sort_unique(held, size, work);
            filled = 0;
        }
    }
    free(scratch.start);
    return windows;
}

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

/* Write the normalised rows first to last - 1 as UTF-8 to out; lengths in bytes, -1: not done. Returns how many bytes,
 * -1: no memory. */
EXPORT int64_t normalised(
    const Rows *rows, int64_t first, int64_t last, const Lookup *table, uint8_t *out, int64_t *lengths
) {
    uint32_t *codes = malloc((size_t)longest(rows, first, last) * sizeof *codes);
    if (!codes) return -1;
    uint8_t *at = out;
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(rows, row, table, codes);
        uint8_t *start = at;
        for (int64_t i = 0; i < length; i++) at = encoded(codes[i], at);
        lengths[row - first] = length < 0 ? -1 : at - start;
    }
    free(codes);
    return at - out;
}
