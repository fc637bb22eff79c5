/* Which n-grams of a row are its own and which propose pairs: boilerplate left out, Latin letters apart.
 * The same rules as shingles.own_grams and shingles.proposing_hashes. */
#ifndef DATACHECK_OWN_H
#define DATACHECK_OWN_H

#include "texts.h"

enum { LATIN = 0x41, LATIN_END = 0x250, STRETCH = 20 }; /* as in shingles.py */

/* Hashes to leave out: sorted, and a bitmap over their leading twenty bits that answers for nearly all others; none:
 * bitmap is NULL. */
typedef struct {
    const uint32_t *hashes;
    int64_t count;
    const bool *bitmap;
} Dropped;

INLINE void find_dropped(const uint32_t *hashes, int64_t count, const Dropped *drop, bool *out) {
    for (int64_t i = 0; i < count; i++) {
        uint32_t value = hashes[i];
        out[i] = false;
        if (!drop->bitmap[value >> 12]) continue;
        int64_t low = 0, high = drop->count;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (drop->hashes[middle] < value)
                low = middle + 1;
            else
                high = middle;
        }
        out[i] = low < drop->count && drop->hashes[low] == value;
    }
}

/* Say of each code point whether it is a Latin letter; words are not asked: out stays as it is.
 * least: LATIN, or 0 where digits count as letters. */
INLINE void find_latin(const uint32_t *codes, int64_t length, const Lookup *table, bool *out, uint32_t least) {
    if (table->classes) return;
    for (int64_t i = 0; i < length; i++) out[i] = codes[i] >= least && codes[i] < LATIN_END;
}

/* Copy the hashes that are not dropped; returns how many. */
INLINE int64_t rare_grams(const uint32_t *hashes, int64_t count, const bool *dropped, uint32_t *out) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        out[kept] = hashes[i];
        kept += !dropped[i];
    }
    return kept;
}

/* Copy the hashes that are no boilerplate; returns how many. */
INLINE int64_t own_grams(
    const uint32_t *hashes, int64_t count, const bool *dropped, const bool *latin, uint32_t *out
) {
    int64_t kept = 0, stretch = 0, loose = 0; /* loose: how many of the last ones go if their stretch is long */
    for (int64_t i = 0; i < count; i++) {
        if (dropped[i])
            stretch++;
        else {
            kept -= stretch >= STRETCH ? loose : 0;
            stretch = loose = 0;
        }
        loose += dropped[i] && latin[i];
        out[kept] = hashes[i];
        kept += !(dropped[i] && !latin[i]);
    }
    return kept - (stretch >= STRETCH ? loose : 0);
}

/* Write the hash that is counted and proposes pairs of each of count n-grams; returns how many longer n-grams the row
 * has: behind them the short ones' hashes stand. */
INLINE int64_t mix_latin(
    const uint32_t *codes, int64_t tokens, const Lookup *table, const uint32_t *hashes, int64_t count,
    const bool *latin, uint32_t *out
) {
    bool has = table->longer && tokens >= table->longer;
    int64_t windows = has ? window_hashes(codes, tokens, table->longer, out) : 0;
    for (int64_t i = 0; i < count; i++)
        if (!latin[i] || i >= windows) out[i] = hashes[i];
    return windows;
}

/* Copy what own_grams keeps of the hashes of mix_latin; not the last Latin ones, which have no longer n-gram.
 * windows: how many longer ones there are; 0: the text is too short, and keeps the short ones. */
INLINE int64_t proposing_grams(
    const uint32_t *mixed, int64_t count, int64_t windows, const bool *dropped, const bool *latin, uint32_t *out
) {
    int64_t kept = 0, stretch = 0, written = 0; /* written: how many of the last ones go if their stretch is long */
    for (int64_t i = 0; i < count; i++) {
        if (dropped[i])
            stretch++;
        else {
            kept -= stretch >= STRETCH ? written : 0;
            stretch = written = 0;
        }
        out[kept] = mixed[i];
        if (latin[i] ? i < windows || windows == 0 : !dropped[i]) {
            kept++;
            written += stretch != 0;
        }
    }
    return kept - (stretch >= STRETCH ? written : 0);
}

#endif
