/* Which rows share a band key: hash tables by open addressing instead of sorting (matching.pairs_from_buckets). */
#include "texts.h"

#define SPREAD 0x9E3779B97F4A7C15u /* minhash.SPREAD */
#define NO_KEY UINT64_MAX
enum { MANY = 1024 }; /* rows with one key: all are kept, to compare each with each would cost more than it saves */

/* Set out[row, band] where another row has the same key of this band; keys and out are [rows, bands]. slots: 2^bits,
 * all -1 and a quarter full at most; column: as many places as rows. */
EXPORT void mark_shared(
    const uint64_t *keys, int64_t rows, int64_t bands, int64_t band, int64_t bits, int32_t *slots, uint64_t *column,
    bool *out
) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t row = 0; row < rows; row++) column[row] = keys[row * bands + band];
    for (int64_t row = 0; row < rows; row++) {
        uint64_t key = column[row];
        if (key == NO_KEY) continue;
        uint64_t slot = key * SPREAD >> (64 - bits);
        while (slots[slot] >= 0 && column[slots[slot]] != key) slot = (slot + 1) & mask;
        if (slots[slot] < 0)
            slots[slot] = (int32_t)row;
        else
            out[slots[slot] * bands + band] = out[row * bands + band] = true;
    }
}

/* Link the entries of a share of the keys, from the last to the first; one that its own row repeats stays outside. The
 * leading `shares` bits of a spread key are its share, the `size` bits below them its place in slots, which are all
 * -1. Returns whether there was room: half of the slots. */
EXPORT bool chain(
    const uint64_t *keys, const int32_t *ranks, int64_t count, int64_t share, int64_t shares, int64_t size,
    int32_t *slots, int32_t *later
) {
    uint64_t mask = ((uint64_t)1 << size) - 1;
    int64_t taken = 0;
    for (int64_t entry = count - 1; entry >= 0; entry--) {
        uint64_t key = keys[entry], slot = key * SPREAD >> (64 - shares - size);
        if (key == NO_KEY || slot >> size != (uint64_t)share) continue;
        slot &= mask;
        while (slots[slot] >= 0 && keys[slots[slot]] != key) slot = (slot + 1) & mask;
        if (slots[slot] < 0 && 2 * ++taken > (int64_t)mask + 1) return false;
        if (slots[slot] < 0 || ranks[slots[slot]] != ranks[entry]) {
            later[entry] = slots[slot];
            slots[slot] = (int32_t)entry;
        }
    }
    return true;
}

INLINE int64_t differing(const uint64_t *marks, int64_t one, int64_t other) {
    return ones((marks[2 * one] ^ marks[2 * other]) | (marks[2 * one + 1] ^ marks[2 * other + 1]));
}

/* Set out[entry] where another one of its chain has a mark that differs in `most` values at most. */
EXPORT void alike(const int32_t *later, int64_t count, const uint64_t *marks, int64_t most, bool *out) {
    for (int64_t head = 0; head < count; head++) { /* the later ones are looked at once more: chains are short */
        int64_t one = head, size = 1;
        for (; later[one] >= 0 && size <= MANY; size++) one = later[one];
        if (size > MANY) {
            for (one = head; one >= 0 && !out[one]; one = later[one]) out[one] = true;
            continue;
        }
        for (int64_t other = later[head]; other >= 0; other = later[other])
            if (differing(marks, head, other) <= most) out[head] = out[other] = true;
    }
}

/* Entries in row order: their ranks, where those of each rank begin (first[count] ends the last), and the next entry
 * with the same key, or -1. */
typedef struct {
    const int32_t *ranks, *later;
    const int64_t *first;
    int64_t count;
} Chains;

/* Where pairs go: left, right and shared have room for `size` and one rank more; seen: any values, a place per rank:
 * where it stands among the pairs of the present left one; sorted: twice that room. */
typedef struct {
    int64_t *left, *right, *shared, *seen;
    uint64_t *sorted;
    int64_t size;
} Blocks;

static void in_order(const Blocks *out, int64_t begin, int64_t end) {
    uint64_t *both = out->sorted; /* ranks and shared keys are below 2^31 each */
    for (int64_t i = begin; i < end; i++) both[i - begin] = (uint64_t)out->right[i] << 32 | (uint64_t)out->shared[i];
    sort_long(both, end - begin, both + (end - begin));
    for (int64_t i = begin; i < end; i++) {
        out->right[i] = (int64_t)(both[i - begin] >> 32);
        out->shared[i] = (int64_t)(both[i - begin] & UINT32_MAX);
    }
}

/* Write the pairs of the ranks from *rank on, until `size` are there; returns how many, and in *rank the next one.
 * Those whose marks differ in more than `most` values are left out (marks: NULL for none), as are left ones to skip. */
EXPORT int64_t find_pairs(
    const Chains *chains, int64_t *rank, const bool *skip, const uint64_t *marks, int64_t most, const Blocks *out
) {
    int64_t at = 0, left = *rank;
    for (; left < chains->count && at < out->size; left++) {
        int64_t begin = at;
        for (int64_t entry = chains->first[left]; entry < chains->first[left + 1] && !skip[left]; entry++)
            for (int64_t other = chains->later[entry]; other >= 0; other = chains->later[other]) {
                int64_t partner = chains->ranks[other], place = out->seen[partner];
                if (begin <= place && place < at && out->right[place] == partner)
                    out->shared[place]++;
                else if (!marks || differing(marks, left, partner) <= most) {
                    out->seen[partner] = at;
                    out->left[at] = left, out->right[at] = partner, out->shared[at] = 1;
                    at++;
                }
            }
        if (at - begin > 1) in_order(out, begin, at);
    }
    *rank = left;
    return at;
}
