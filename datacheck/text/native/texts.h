/* What every kernel begins with: a row of Arrow's UTF-8 buffers, decoded, normalised, and cut into hashes of n-grams.
 *
 * The rules are those of text/rules.py and text/shingles.py; nothing here knows them, they come as tables. All
 * functions are inlined into the kernels that call them. Nothing is bounded by a zero byte, nothing is copied.
 */
#ifndef DATACHECK_TEXTS_H
#define DATACHECK_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

enum {
    ROOM = 64,        /* code points that a row may grow by; one that grows more goes the other way */
    INSIDE = 12,      /* bytes of a text that stands in its view */
    EXCHANGES = 32,   /* rounds of exchanging neighbours; hashes need about five */
    SEPARATOR = 0,    /* classes of code points where words are cut (shingles.classes) */
    LETTER = 1,
};
#define BASE 0x9E3779B1u      /* of polynomials over hashes: shingles.BASE */
#define DROP 0x110000u        /* what the table says of a code point that is no other one: it goes, */
#define CONTEXT 0x110001u     /* its neighbours decide, */
#define EXPAND 0x110002u      /* or from here on the number of an expansion */
#define OTHERWISE SIZE_MAX

/* A text column as polars holds it (Arrow's string views). views[4 * row]: length in bytes, then the text itself if it
 * has 12 bytes at most, else four bytes of it, the number of its buffer and the place there. buffers: addresses. */
typedef struct {
    const uint32_t *views;
    const uint64_t *buffers;
} Rows;

/* What each code point becomes. classes: NULL where n-grams are of characters. longer: of how many Latin letters
 * n-grams are (shingles.longer), or 0. plain: every code point stays what it is. */
typedef struct {
    int64_t plain, longer, stride;
    const uint32_t *single, *expansions; /* expansions[stride * number]: code points, as many as widths says */
    const int64_t *widths;
    const uint8_t *classes;
} Lookup;

INLINE int64_t bytes_of(const Rows *rows, int64_t row) { return rows->views[4 * row]; }

INLINE const uint8_t *text_of(const Rows *rows, int64_t row) {
    const uint32_t *view = rows->views + 4 * row;
    if (view[0] <= INSIDE) return (const uint8_t *)(view + 1);
    return (const uint8_t *)(uintptr_t)rows->buffers[view[2]] + view[3];
}

/* How many places the code points of the longest of some rows need. */
INLINE int64_t longest(const Rows *rows, int64_t first, int64_t last) {
    int64_t most = 0;
    for (int64_t row = first; row < last; row++) most = MAX(most, bytes_of(rows, row));
    return most + ROOM;
}

typedef uint8_t Bytes16 __attribute__((vector_size(16)));
typedef uint32_t Codes4 __attribute__((vector_size(16)));

/* Whether four characters of three bytes each begin here (Chinese does); 16 bytes are read. Little-endian only. */
INLINE bool four_begin(const uint8_t *data) {
    uint64_t low;
    uint32_t high;
    memcpy(&low, data, 8);
    memcpy(&high, data + 8, 4);
    return (low & 0x00F00000F00000F0u) == 0x00E00000E00000E0u && (high & 0xF000u) == 0xE000u;
}

/* Their code points: of each its three bytes, the last one lowest; six bits of each byte, four of the first. */
INLINE void decode_four(const uint8_t *data, uint32_t *out) {
    Bytes16 raw, zero = {0};
    memcpy(&raw, data, 16);
    Bytes16 turned = __builtin_shufflevector(raw, zero, 2, 1, 0, 16, 5, 4, 3, 16, 8, 7, 6, 16, 11, 10, 9, 16);
    Codes4 four = (Codes4)turned;
    Codes4 codes = (four & 0x3F) | ((four >> 2) & 0xFC0) | ((four >> 4) & 0xF000);
    memcpy(out, &codes, 16);
}

/* Write what four code points become; returns where the next goes, or OTHERWISE: one of them is not simple. What is
 * dropped is written as well, and overwritten by the next: a jump that cannot be foreseen would cost more. */
INLINE size_t map_four(
    const uint32_t *single, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t *out, size_t at
) {
    uint32_t m0 = single[c0], m1 = single[c1], m2 = single[c2], m3 = single[c3];
    if (MAX(MAX(m0, m1), MAX(m2, m3)) >= CONTEXT) return OTHERWISE;
    out[at] = m0, at += m0 < DROP;
    out[at] = m1, at += m1 < DROP;
    out[at] = m2, at += m2 < DROP;
    out[at] = m3, at += m3 < DROP;
    return at;
}

/* The code point that begins here; returns how many bytes it has. */
INLINE size_t decode_one(const uint8_t *data, uint32_t *code) {
    uint32_t byte = data[0];
    if (byte < 0x80) return *code = byte, 1;
    if (byte < 0xE0) return *code = (byte & 0x1F) << 6 | (data[1] & 0x3F), 2;
    uint32_t middle = (uint32_t)(data[1] & 0x3F) << 6 | (data[2] & 0x3F);
    if (byte < 0xF0) return *code = (byte & 0x0F) << 12 | middle, 3;
    return *code = (byte & 0x07) << 18 | middle << 6 | (data[3] & 0x3F), 4;
}

/* Decode and normalise a row into out (a place per byte, and ROOM more); returns the length, or -1: the row has code
 * points whose normal form depends on their neighbours, or grows beyond out. */
static inline int64_t decode_row(const Rows *rows, int64_t row, const Lookup *table, uint32_t *out) {
    const uint8_t *data = text_of(rows, row);
    const uint32_t *single = table->single;
    size_t at = 0, length = 0, stop = (size_t)bytes_of(rows, row), room = stop + ROOM;
    while (at < stop) {
        if (at + 16 <= stop && four_begin(data + at)) {
            size_t after = length + 4;
            uint32_t *here = out + length;
            decode_four(data + at, here);
            if (!table->plain) after = map_four(single, here[0], here[1], here[2], here[3], out, length);
            if (after != OTHERWISE) {
                length = after, at += 12;
                continue;
            }
        }
        while (at + 4 <= stop) { /* as long as all four are of one byte and simple */
            uint32_t c0 = data[at], c1 = data[at + 1], c2 = data[at + 2], c3 = data[at + 3];
            if ((c0 | c1 | c2 | c3) >= 0x80) break;
            size_t after = map_four(single, c0, c1, c2, c3, out, length);
            if (after == OTHERWISE) break;
            length = after, at += 4;
        }
        if (at >= stop) break;
        uint32_t code;
        at += decode_one(data + at, &code);
        uint32_t mapped = single[code];
        if (mapped < CONTEXT) {
            out[length] = mapped, length += mapped < DROP;
            continue;
        }
        if (mapped == CONTEXT) return -1;
        size_t which = mapped - EXPAND, width = (size_t)table->widths[which];
        if (length + width + (stop - at) > room) return -1;
        memcpy(out + length, table->expansions + which * (size_t)table->stride, width * sizeof *out);
        length += width;
    }
    return (int64_t)length;
}

/* Spread the bits: the finaliser of MurmurHash3 (shingles.mix). */
INLINE uint32_t mix_one(uint32_t value) {
    value = (value ^ value >> 16) * 0x85EBCA6Bu;
    value = (value ^ value >> 13) * 0xC2B2AE35u;
    return value ^ value >> 16;
}

/* SplitMix64's finaliser (minhash.mix64). */
INLINE uint64_t mix_long(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

/* Replace codes[:length] by the hashes of its tokens, characters or words; returns how many. */
static inline int64_t token_hashes(uint32_t *codes, int64_t length, const uint8_t *classes) {
    if (!classes) {
        for (int64_t i = 0; i < length; i++) codes[i] = mix_one(codes[i] + BASE);
        return length;
    }
    int64_t count = 0, i = 0;
    while (i < length) {
        uint8_t kind = classes[codes[i]];
        uint32_t total = 0, power = 1;
        int64_t first = i;
        while (i < length && (i == first || (kind == LETTER && classes[codes[i]] == kind))) {
            total += mix_one(codes[i++] + BASE) * power;
            power *= BASE;
        }
        if (kind != SEPARATOR) codes[count++] = mix_one(total);
    }
    return count;
}

/* Write the hashes of every n tokens in a row to out; a shorter row has one, of all. Returns how many.
 * Horner's rule over all windows at once, two places per pass: passes are what it costs. */
static inline int64_t window_hashes(const uint32_t *restrict tokens, int64_t count, int64_t n, uint32_t *restrict out) {
    if (!count) return 0;
    int64_t width = MIN(n, count), windows = count - width + 1, place = width < 3 ? 1 : 3;
    if (width < 3)
        memcpy(out, tokens, (size_t)windows * sizeof *out);
    else
        for (int64_t i = 0; i < windows; i++) out[i] = (tokens[i] * BASE + tokens[i + 1]) * BASE + tokens[i + 2];
    for (; place + 1 < width; place += 2)
        for (int64_t i = 0; i < windows; i++)
            out[i] = (out[i] * BASE + tokens[i + place]) * BASE + tokens[i + place + 1];
    if (place < width)
        for (int64_t i = 0; i < windows; i++) out[i] = mix_one(out[i] * BASE + tokens[i + place]);
    else
        for (int64_t i = 0; i < windows; i++) out[i] = mix_one(out[i]);
    return windows;
}

/* Sort nearly sorted values by odd-even transposition, without a jump; says whether they are sorted now. */
static inline bool exchanged(uint32_t *values, int64_t count) {
    for (int round = 0; round < EXCHANGES; round++) {
        for (int64_t odd = 0; odd < 2; odd++)
            for (int64_t i = odd; i < count - 1; i += 2) {
                uint32_t one = values[i], two = values[i + 1];
                values[i] = MIN(one, two), values[i + 1] = MAX(one, two);
            }
        uint32_t wrong = 0;
        for (int64_t i = 0; i < count - 1; i++) wrong += values[i] > values[i + 1];
        if (!wrong) return true;
    }
    return false;
}

/* Sort by insertion: for the rare bucket in which several values stand many times. */
static inline void inserted(uint32_t *values, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        uint32_t value = values[i];
        int64_t j = i;
        for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Sort values[:count] (hashes: evenly spread) and drop repetitions; returns how many are left.
 * One scatter into as many buckets as there are values, then exchanges of neighbours, all of them at once, until
 * nothing moves: linear for hashes. work: at least 3 * count + 2 places. */
static inline int64_t sort_unique(uint32_t *values, int64_t count, uint32_t *work) {
    if (count < 2) return count;
    int bits = 1;
    while ((int64_t)1 << bits < count) bits++;
    int shift = 32 - bits;
    uint32_t *ends = work + count;
    memset(ends, 0, (((size_t)1 << bits) + 1) * sizeof *ends);
    for (int64_t i = 0; i < count; i++) ends[(values[i] >> shift) + 1]++;
    for (int64_t b = 0; b < (int64_t)1 << bits; b++) ends[b + 1] += ends[b];
    for (int64_t i = 0; i < count; i++) work[ends[values[i] >> shift]++] = values[i];
    if (!exchanged(work, count)) inserted(work, count);
    int64_t kept = 0;
    values[0] = work[0];
    for (int64_t i = 1; i < count; i++) {
        kept += work[i] != values[kept];
        values[kept] = work[i];
    }
    return kept + 1;
}

/* Sort ascending: runs of eight by insertion, merged in pairs, whatever order they come in. work: as many places. */
static inline void sort_long(uint64_t *values, int64_t count, uint64_t *work) {
    for (int64_t first = 0; first < count; first += 8)
        for (int64_t i = first + 1; i < MIN(first + 8, count); i++) {
            uint64_t value = values[i];
            int64_t j = i;
            for (; j > first && values[j - 1] > value; j--) values[j] = values[j - 1];
            values[j] = value;
        }
    uint64_t *from = values, *into = work;
    for (int64_t width = 8; width < count; width *= 2) {
        for (int64_t first = 0; first < count; first += 2 * width) {
            int64_t i = first, half = MIN(first + width, count), j = half, end = MIN(first + 2 * width, count);
            for (int64_t at = first; at < end; at++)
                into[at] = i < half && (j >= end || from[i] <= from[j]) ? from[i++] : from[j++];
        }
        uint64_t *kept = from;
        from = into, into = kept;
    }
    if (from != values) memcpy(values, from, (size_t)count * sizeof *values);
}

/* Memory of a kernel that ends before its caller does anything else; `place` cuts it, eight bytes aligned. */
typedef struct {
    char *start, *at;
} Scratch;

INLINE bool scratch_of(Scratch *scratch, size_t bytes) {
    scratch->start = scratch->at = malloc(bytes + 256);
    return scratch->start != NULL;
}

INLINE void *place(Scratch *scratch, size_t bytes) {
    void *given = scratch->at;
    scratch->at += (bytes + 7) / 8 * 8;
    return given;
}

/* How many bits are set. */
INLINE int64_t ones(uint64_t value) { return __builtin_popcountll(value); }

#endif
