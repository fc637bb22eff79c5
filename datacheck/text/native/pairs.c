/* Comparing sorted sets pair by pair (matching.intersections), and which members are rare (matching.rarest_first). */
#include "texts.h"

enum {
    STRIDE = 64, /* steps between two looks at whether the pair can still reach what it needs */
    WORDS = 16,  /* a bitmap of the leading ten bits of each hash */
    LONGER = 16, /* from here on, looking up the shorter set in the longer one is cheaper than merging them */
};

/* Sets row by row: members of row i are hashes[offsets[i]] to hashes[offsets[i + 1] - 1], ascending. */
typedef struct {
    const int64_t *offsets;
    const uint32_t *hashes;
} Sets;

static int32_t merged(const uint32_t *a, const uint32_t *a_end, const uint32_t *b, const uint32_t *b_end, int64_t needed) {
    int64_t common = 0;
    while (a < a_end && b < b_end) {
        int64_t rest = MIN(a_end - a, b_end - b);
        if (common + rest < needed) break;
        for (int64_t step = MIN(rest, STRIDE); step > 0; step--) {
            uint32_t left = *a, right = *b;
            common += left == right;
            a += left <= right;
            b += right <= left;
        }
    }
    return (int32_t)common;
}

static int32_t looked_up(const uint32_t *a, const uint32_t *a_end, const uint32_t *b, const uint32_t *b_end) {
    int32_t common = 0;
    for (; a < a_end; a++) {
        const uint32_t *low = b, *high = b_end;
        while (low < high) {
            const uint32_t *middle = low + (high - low) / 2;
            if (*middle < *a)
                low = middle + 1;
            else
                high = middle;
        }
        common += low < b_end && *low == *a;
        b = low;
    }
    return common;
}

/* Set the bits of the members of rows first to last - 1; out: [rows, 16], zeros. */
EXPORT void fill_bitmaps(const Sets *sets, int64_t first, int64_t last, uint64_t *out) {
    for (int64_t row = first; row < last; row++)
        for (int64_t at = sets->offsets[row]; at < sets->offsets[row + 1]; at++)
            out[WORDS * row + (sets->hashes[at] >> 28)] |= (uint64_t)1 << (sets->hashes[at] >> 22 & 63);
}

/* Say of which pairs as many members may be common as needed: 2 |A and B| = |A| + |B| - |A xor B|, and bitmaps (that
 * of row i is known[16 * i]) bound the last from below. */
EXPORT void reachable(
    const Sets *sets, const uint64_t *known, const int64_t *left, const int64_t *right, const int64_t *needed,
    int64_t count, bool *out
) {
    for (int64_t pair = 0; pair < count; pair++) {
        int64_t one = left[pair], two = right[pair], apart = 0;
        for (int word = 0; word < WORDS; word++) apart += ones(known[WORDS * one + word] ^ known[WORDS * two + word]);
        int64_t sizes = sets->offsets[one + 1] - sets->offsets[one] + sets->offsets[two + 1] - sets->offsets[two];
        out[pair] = sizes - apart >= 2 * needed[pair];
    }
}

/* Write how many members are common to each of the pairs first to last - 1; below `needed` it may be too few. */
EXPORT void intersect(
    const Sets *a, const int64_t *left, const Sets *b, const int64_t *right, const int64_t *needed, int64_t first,
    int64_t last, int32_t *out
) {
    for (int64_t pair = first; pair < last; pair++) {
        const uint32_t *one = a->hashes + a->offsets[left[pair]], *one_end = a->hashes + a->offsets[left[pair] + 1];
        const uint32_t *two = b->hashes + b->offsets[right[pair]], *two_end = b->hashes + b->offsets[right[pair] + 1];
        if ((one_end - one) * LONGER < two_end - two)
            out[pair] = looked_up(one, one_end, two, two_end);
        else if ((two_end - two) * LONGER < one_end - one)
            out[pair] = looked_up(two, two_end, one, one_end);
        else
            out[pair] = merged(one, one_end, two, two_end, needed[pair]);
    }
}

/* Count members by their leading bits. */
EXPORT void count_members(const uint32_t *hashes, int64_t count, int64_t shift, uint32_t *out) {
    for (int64_t i = 0; i < count; i++) out[hashes[i] >> shift]++;
}

/* Write the counts[row] rarest members of rows first to last - 1 to out[places[row]]; frequency: of count_members.
 * Returns whether there was memory. */
EXPORT bool rarest(
    const Sets *sets, const uint32_t *frequency, int64_t shift, const int64_t *counts, const int64_t *places,
    int64_t first, int64_t last, uint32_t *out
) {
    int64_t most = 0;
    for (int64_t row = first; row < last; row++) most = MAX(most, sets->offsets[row + 1] - sets->offsets[row]);
    uint64_t *keys = malloc((size_t)(2 * most + 1) * sizeof *keys);
    if (!keys) return false;
    for (int64_t row = first; row < last; row++) {
        const uint32_t *members = sets->hashes + sets->offsets[row];
        int64_t count = sets->offsets[row + 1] - sets->offsets[row];
        for (int64_t i = 0; i < count; i++) keys[i] = (uint64_t)frequency[members[i] >> shift] << 32 | members[i];
        sort_long(keys, count, keys + most);
        for (int64_t i = 0; i < counts[row]; i++) out[places[row] + i] = (uint32_t)keys[i];
    }
    free(keys);
    return true;
}
