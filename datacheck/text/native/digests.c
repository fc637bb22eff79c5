/* A digest of what each row says: normalised, white space collapsed, hashed by BLAKE2b (RFC 7693) to 16 bytes. */
#include "texts.h"
#include "utf8.h"

enum { BLOCK = 128, ROUNDS = 12, DIGEST = 16 };
#define FIRST_MARK 0x1Eu /* U+001E and U+001F part what is put together: no white space beside them counts */
#define LAST_MARK 0x1Fu

static const uint64_t START[8] = {
    0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
    0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u,
};
static const uint8_t ORDER[ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

INLINE uint64_t turned(uint64_t value, int bits) { return value >> bits | value << (64 - bits); }

INLINE void mixed(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x, v[d] = turned(v[d] ^ v[a], 32);
    v[c] += v[d], v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y, v[d] = turned(v[d] ^ v[a], 16);
    v[c] += v[d], v[b] = turned(v[b] ^ v[c], 63);
}

/* Take in a block; seen: how many bytes there are up to its end. Little-endian only, as all kernels are. */
static void compress(uint64_t *state, const uint8_t *block, uint64_t seen, bool last) {
    uint64_t v[16], m[16];
    memcpy(m, block, BLOCK);
    memcpy(v, state, 8 * sizeof *v);
    memcpy(v + 8, START, 8 * sizeof *v);
    v[12] ^= seen;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t *at = ORDER[round];
        mixed(v, 0, 4, 8, 12, m[at[0]], m[at[1]]), mixed(v, 1, 5, 9, 13, m[at[2]], m[at[3]]);
        mixed(v, 2, 6, 10, 14, m[at[4]], m[at[5]]), mixed(v, 3, 7, 11, 15, m[at[6]], m[at[7]]);
        mixed(v, 0, 5, 10, 15, m[at[8]], m[at[9]]), mixed(v, 1, 6, 11, 12, m[at[10]], m[at[11]]);
        mixed(v, 2, 7, 8, 13, m[at[12]], m[at[13]]), mixed(v, 3, 4, 9, 14, m[at[14]], m[at[15]]);
    }
    for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
}

static void blake2b(const uint8_t *data, uint64_t length, uint64_t *out) {
    uint64_t state[8], done = 0;
    uint8_t rest[BLOCK] = {0};
    memcpy(state, START, sizeof state);
    state[0] ^= 0x01010000u ^ DIGEST; /* no key, no tree */
    for (; length - done > BLOCK; done += BLOCK) compress(state, data + done, done + BLOCK, false);
    memcpy(rest, data + done, (size_t)(length - done)); /* the last block is never empty, but of an empty text */
    compress(state, rest, length, true);
    memcpy(out, state, DIGEST);
}

/* White_Space of Unicode, which is what \s means to Rust. */
INLINE bool is_space(uint32_t code) {
    if (code <= 0x20) return code == 0x20 || (code >= 0x09 && code <= 0x0D);
    if (code < 0x1680) return code == 0x85 || code == 0xA0;
    return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F
           || code == 0x205F || code == 0x3000;
}

INLINE bool is_mark(uint32_t code) { return code >= FIRST_MARK && code <= LAST_MARK; }

/* Write code points as UTF-8, each run of white space as one blank, none beside a mark; returns how many bytes. */
static uint64_t collapsed(const uint32_t *codes, int64_t length, uint8_t *out) {
    uint8_t *at = out;
    bool space = false, mark = false; /* of what stands before */
    for (int64_t i = 0; i < length; i++) {
        uint32_t code = codes[i];
        if (is_space(code)) {
            space = !mark;
            continue;
        }
        mark = is_mark(code);
        if (space && !mark) *at++ = ' ';
        space = false;
        at = encoded(code, at);
    }
    if (space) *at++ = ' ';
    return (uint64_t)(at - out);
}

/* Write the digest of each row, as two numbers, to out. odd: the rows that cannot be normalised here. Returns whether
 * there was memory. */
EXPORT bool digest_rows(
    const Rows *rows, int64_t first, int64_t last, const Lookup *table, uint64_t *out, bool *odd
) {
    size_t most = (size_t)longest(rows, first, last);
    Scratch scratch;
    if (!scratch_of(&scratch, most * (sizeof(uint32_t) + MOST_BYTES))) return false;
    uint32_t *codes = place(&scratch, most * sizeof *codes);
    uint8_t *bytes = place(&scratch, most * MOST_BYTES);
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(rows, row, table, codes);
        odd[row] = length < 0;
        if (length >= 0) blake2b(bytes, collapsed(codes, length, bytes), out + 2 * row);
    }
    free(scratch.start);
    return true;
}
