/* Texts to MinHash band keys, or to their sets of n-grams, in one pass: sketches.sketch and sketches.sets. */
#include "own.h"

#define EMPTY 0xFFFFFFFFu /* a set without members (datasketch's value) */
#define NO_KEY UINT64_MAX /* the band key of a row without n-grams: equal to none */
#define MARK 0x9E3779B1u
enum { MARKED = 64, STEP = 8 }; /* hashes per pass over the signature: loads and stores of it become rare */

/* permutations: their factors and addends, and how they are banded. */
typedef struct {
    const uint32_t *a, *b;
    int64_t count, bands, rows;
} Scheme;

/* Write the MinHash signature of hashes[:count] (any order, repetitions allowed); spoils count + 8 of them. */
EXPORT void signature_of(uint32_t *hashes, int64_t count, const Scheme *scheme, uint32_t *restrict out) {
    const uint32_t *restrict a = scheme->a, *restrict b = scheme->b;
    for (int64_t k = 0; k < scheme->count; k++) out[k] = EMPTY;
    if (!count) return;
    for (int64_t i = 0; i < count; i++) hashes[i] = mix_one(hashes[i]);
    for (int64_t i = count; i < count + STEP; i++) hashes[i] = hashes[count - 1];
    for (int64_t i = 0; i < count; i += STEP) {
        uint32_t h[STEP];
        memcpy(h, hashes + i, sizeof h);
        for (int64_t k = 0; k < scheme->count; k++) {
            uint32_t least = out[k];
            for (int j = 0; j < STEP; j++) {
                uint32_t value = a[k] * h[j] + b[k];
                least = MIN(least, value);
            }
            out[k] = least;
        }
    }
}

/* One key per band (minhash.band_keys); bands in the inner loops, so that several are done at once. */
static void band_keys(const uint32_t *signature, const Scheme *scheme, uint64_t *out) {
    uint32_t least = EMPTY;
    for (int64_t k = 0; k < scheme->count; k++) least = MIN(least, signature[k]);
    for (int64_t band = 0; band < scheme->bands; band++) out[band] = mix_long((uint64_t)band);
    for (int64_t at = 0; at < scheme->rows; at++)
        for (int64_t band = 0; band < scheme->bands; band++)
            out[band] = mix_long(out[band] ^ signature[band * scheme->rows + at]);
    for (int64_t band = 0; band < scheme->bands; band++)
        out[band] = least == EMPTY ? NO_KEY : out[band] == NO_KEY ? NO_KEY - 1 : out[band];
}

/* minhash.marks of one signature. */
static void mark(const uint32_t *signature, const Scheme *scheme, uint64_t *out) {
    out[0] = out[1] = 0;
    for (int64_t k = 0; k < MIN(scheme->count, MARKED); k++) {
        uint32_t mixed = signature[k] * MARK;
        out[0] |= (uint64_t)(mixed >> 31) << k;
        out[1] |= (uint64_t)(mixed >> 30 & 1) << k;
    }
}

/* Write keys [rows, bands], pick (the last MinHash value), marks [rows, 2] and counts [rows, 2] (n-grams compared, all
 * of them; -1: not done) of rows first to last - 1. Returns whether there was memory. */
EXPORT bool sketch(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, const Dropped *drop,
    const Scheme *scheme, uint64_t *keys, uint32_t *pick, uint64_t *marks, int64_t *counts
) {
    size_t most = (size_t)longest(source, first, last), size = most * sizeof(uint32_t);
    Scratch scratch;
    if (!scratch_of(&scratch, 4 * size + 4 * most + (size_t)scheme->count * sizeof(uint32_t))) return false;
    uint32_t *codes = place(&scratch, size), *hashes = place(&scratch, size), *own = place(&scratch, size);
    uint32_t *mixed = place(&scratch, size), *signature = place(&scratch, (size_t)scheme->count * sizeof(uint32_t));
    bool *dropped = place(&scratch, most), *latin = place(&scratch, most);
    bool *low = place(&scratch, most), *none = place(&scratch, most);
    memset(dropped, 0, (size_t)(scratch.at - (char *)dropped)); /* all four */
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(source, row, table, codes);
        if (length < 0) {
            counts[2 * row] = counts[2 * row + 1] = -1;
            continue;
        }
        bool mixes = table->longer || drop->bitmap;
        if (mixes) find_latin(codes, length, table, latin, LATIN);
        int64_t tokens = token_hashes(codes, length, table->classes);
        int64_t every = window_hashes(codes, tokens, n, hashes), kept = 0, rare = 0, windows = 0;
        if (mixes) windows = mix_latin(codes, tokens, table, hashes, every, latin, mixed);
        if (drop->bitmap) {
            find_dropped(mixed, every, drop, dropped);
            kept = own_grams(hashes, every, dropped, latin, own);
        }
        if (table->longer) {
            rare = proposing_grams(mixed, every, windows, dropped, latin, own);
            if (!rare) { /* all of it is boilerplate: digits are longer, too */
                length = decode_row(source, row, table, codes);
                find_latin(codes, length, table, low, 0);
                tokens = token_hashes(codes, length, table->classes);
                windows = mix_latin(codes, tokens, table, hashes, every, low, mixed);
                rare = proposing_grams(mixed, every, windows, none, low, own);
            }
        } else if (drop->bitmap)
            rare = rare_grams(hashes, every, dropped, own);
        signature_of(rare ? own : hashes, rare ? rare : every, scheme, signature);
        band_keys(signature, scheme, keys + row * scheme->bands);
        pick[row] = signature[scheme->count - 1];
        mark(signature, scheme, marks + 2 * row);
        counts[2 * row] = kept ? kept : every;
        counts[2 * row + 1] = every;
    }
    free(scratch.start);
    return true;
}

/* sort_unique, for who has the hashes already. */
EXPORT int64_t sort_hashes(uint32_t *values, int64_t count, uint32_t *work) { return sort_unique(values, count, work); }

/* A hash of a normalised text: the same as sketches.text_hashes. */
static uint64_t text_hash(const uint32_t *codes, int64_t length) {
    uint64_t total = (uint64_t)length;
    for (int64_t i = 0; i < length; i++) total += mix_long((uint64_t)i << 32 | codes[i]);
    return total;
}

/* Write the sorted sets of rows first to last - 1 to out, one behind the other, their sizes (-1: not done), and hashes
 * of their texts (NULL: none). Returns how many members there are, -1: no memory. */
EXPORT int64_t own_sets(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, const Dropped *drop,
    uint32_t *out, int64_t *lengths, uint64_t *copies
) {
    size_t most = (size_t)longest(source, first, last), size = most * sizeof(uint32_t);
    Scratch scratch;
    if (!scratch_of(&scratch, 7 * size + 2 * most)) return -1;
    uint32_t *codes = place(&scratch, size), *hashes = place(&scratch, size), *own = place(&scratch, size);
    uint32_t *mixed = place(&scratch, size), *work = place(&scratch, 3 * size + 8);
    bool *dropped = place(&scratch, most), *latin = place(&scratch, most);
    memset(latin, 0, most);
    int64_t at = 0;
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(source, row, table, codes);
        if (length < 0) {
            lengths[row] = -1;
            continue;
        }
        if (copies) copies[row] = text_hash(codes, length);
        if (drop->bitmap) find_latin(codes, length, table, latin, LATIN);
        int64_t tokens = token_hashes(codes, length, table->classes);
        int64_t count = window_hashes(codes, tokens, n, hashes), kept = 0;
        if (drop->bitmap) {
            mix_latin(codes, tokens, table, hashes, count, latin, mixed);
            find_dropped(mixed, count, drop, dropped);
            kept = own_grams(hashes, count, dropped, latin, own);
        }
        uint32_t *chosen = kept ? own : hashes;
        count = sort_unique(chosen, kept ? kept : count, work);
        memcpy(out + at, chosen, (size_t)count * sizeof *out);
        at += count;
        lengths[row] = count;
    }
    free(scratch.start);
    return at;
}
