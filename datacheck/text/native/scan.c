/* The scan for evaluation items.
 *
 * One pass per text: decode and normalise, for each index hash n-grams, ask a Bloom filter whether an indexed n-gram may
 * be among them (nearly always the answer is no), count agreeing n-grams per item, and compare the few texts that have
 * enough in full. */
#include "texts.h"

#define SEVERAL ((uint32_t)1 << 31)
enum { OUT = 7 }; /* numbers per line of Found */

/* Evaluation items and their rare n-grams. filter: words, of hash h word h >> filter_shift, two bits by the low bits
 * of h. table: open addressing from slot h >> table_shift on; an entry is the hash and, in its lower half, the item
 * plus one that has this n-gram, or where several have it SEVERAL and the place in offsets. n: of an n-gram. first: what
 * the first item is called in the lines that are found. */
typedef struct {
    uint64_t *filter, *table;
    const int64_t *offsets, *postings, *agree, *needed, *item_offsets, *widths;
    const uint32_t *item_hashes, *begins, *ends;
    int64_t filter_shift, table_shift, table_size, n, first;
} Index;

/* What one thread works with: codes, hashes and passed have a place per code point of the longest row, counts (zeros)
 * and touched one per item, marks (zeros) one per n-gram of the largest item. */
typedef struct {
    uint32_t *codes, *hashes, *passed;
    int32_t *counts;
    int64_t *touched, *marks;
} Work;

/* Enter hashes and their values (see Index). */
EXPORT void fill_index(const uint32_t *hashes, const uint32_t *values, int64_t count, const Index *index) {
    uint64_t mask = (uint64_t)index->table_size - 1;
    for (int64_t at = 0; at < count; at++) {
        uint32_t value = hashes[at];
        index->filter[value >> index->filter_shift] |= (uint64_t)1 << (value & 63) | (uint64_t)1 << (value >> 6 & 63);
        uint64_t slot = value >> index->table_shift;
        while (index->table[slot]) slot = (slot + 1) & mask;
        index->table[slot] = (uint64_t)value << 32 | values[at];
    }
}

/* Copy the hashes that may be indexed; returns how many. Written first, counted then: no jump to guess. */
static int64_t passed(const Index *index, const uint32_t *hashes, int64_t count, uint32_t *out) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t value = hashes[i];
        uint64_t word = index->filter[value >> index->filter_shift];
        out[kept] = value;
        kept += (word >> (value & 63)) & (word >> (value >> 6 & 63)) & 1;
    }
    return kept;
}

INLINE int64_t counted(int64_t item, const Work *work, int64_t touched) {
    work->touched[touched] = item;
    return touched + (work->counts[item]++ == 0);
}

/* Collect in work->touched the items that enough indexed n-grams agree with; returns how many. An n-gram that the row
 * repeats counts again: some items too many, which are then compared in full. */
static int64_t agreeing(const Index *index, int64_t count, const Work *work) {
    int64_t kept = passed(index, work->hashes, count, work->passed), touched = 0, enough = 0;
    uint64_t mask = (uint64_t)index->table_size - 1;
    for (int64_t i = 0; i < kept; i++) {
        uint32_t value = work->passed[i];
        uint64_t slot = value >> index->table_shift;
        while (index->table[slot] && (uint32_t)(index->table[slot] >> 32) != value) slot = (slot + 1) & mask;
        uint32_t entry = (uint32_t)index->table[slot];
        if (!entry) continue;
        if (!(entry & SEVERAL)) {
            touched = counted((int64_t)entry - 1, work, touched);
            continue;
        }
        int64_t at = entry & ~SEVERAL;
        for (int64_t place = index->offsets[at]; place < index->offsets[at + 1]; place++)
            touched = counted(index->postings[place], work, touched);
    }
    for (int64_t i = 0; i < touched; i++) {
        int64_t item = work->touched[i];
        if (work->counts[item] >= index->agree[item]) work->touched[enough++] = item;
        work->counts[item] = 0;
    }
    return enough;
}

/* A hash table of a row's n-grams: keys, the first place of each (-1: empty slot), the next equal one. */
typedef struct {
    uint32_t *keys;
    int64_t *heads, *following;
    uint64_t mask;
} Grams;

INLINE uint64_t slot_of(const Grams *grams, uint32_t value) {
    uint64_t slot = value & grams->mask;
    while (grams->heads[slot] >= 0 && grams->keys[slot] != value) slot = (slot + 1) & grams->mask;
    return slot;
}

static bool grams_of(Scratch *scratch, Grams *grams, const uint32_t *hashes, int64_t count) {
    int64_t size = 4;
    while (size < 2 * count) size *= 2;
    if (!scratch_of(scratch, (size_t)size * 12 + (size_t)count * 8)) return false;
    grams->keys = place(scratch, (size_t)size * 4), grams->heads = place(scratch, (size_t)size * 8);
    grams->following = place(scratch, (size_t)count * 8), grams->mask = (uint64_t)size - 1;
    memset(grams->heads, 0xFF, (size_t)size * 8);
    for (int64_t i = count - 1; i >= 0; i--) {
        uint64_t slot = slot_of(grams, hashes[i]);
        grams->keys[slot] = hashes[i];
        grams->following[i] = grams->heads[slot];
        grams->heads[slot] = i;
    }
    return true;
}

/* Where the n-grams of an item stand in the row, sorted (place << 32 | n-gram); *found NULL if not enough do or there
 * is no memory (-1). Returns how many. */
static int64_t occurrences(const Index *index, int64_t item, const Grams *grams, uint64_t **found) {
    int64_t first = index->item_offsets[item], last = index->item_offsets[item + 1], covered = 0, total = 0;
    *found = NULL;
    for (int64_t at = first; at < last; at++) {
        int64_t place = grams->heads[slot_of(grams, index->item_hashes[at])];
        covered += place >= 0;
        if (covered + last - 1 - at < index->needed[item]) return 0; /* as soon as too many are missing */
        for (; place >= 0; place = grams->following[place]) total++;
    }
    if (!total) return 0;
    *found = malloc((size_t)total * 2 * sizeof **found);
    if (!*found) return -1;
    int64_t i = 0;
    for (int64_t at = first; at < last; at++) {
        int64_t place = grams->heads[slot_of(grams, index->item_hashes[at])];
        for (; place >= 0; place = grams->following[place]) (*found)[i++] = (uint64_t)place << 32 | (uint64_t)(at - first);
    }
    sort_long(*found, total, *found + total);
    return total;
}

/* The stretch of at most `width` code points that holds most distinct n-grams of an item: how many, the first and the last
 * of the sorted occurrences in it. The first of equals, as short as it can be at that start. */
typedef struct {
    int64_t covered, first, last;
} Best;

#define GRAM(occurrence) ((occurrence) & UINT32_MAX)
#define PLACE(occurrence) ((int64_t)((occurrence) >> 32))

static Best best_window(const uint64_t *found, int64_t count, int64_t width, int64_t reach, int64_t *marks) {
    Best best = {0, 0, -1};
    int64_t first = 0, distinct = 0;
    for (int64_t last = 0; last < count; last++) {
        distinct += ++marks[GRAM(found[last])] == 1;
        while (first <= last
               && (PLACE(found[last]) + reach - PLACE(found[first]) > width || marks[GRAM(found[first])] > 1))
            distinct -= --marks[GRAM(found[first++])] == 0;
        if (distinct > best.covered) best = (Best){distinct, first, last};
    }
    for (int64_t i = 0; i < count; i++) marks[GRAM(found[i])] = 0;
    return best;
}

/* Compare a row with the items in work->touched in full; writes lines of Found, in normalised places, from line *used
 * on. Returns whether there was memory. */
static bool compare(
    const Index *index, int64_t row, int64_t length, int64_t count, int64_t enough, const Work *work, int64_t *out,
    int64_t *used
) {
    Scratch scratch;
    Grams grams;
    if (!grams_of(&scratch, &grams, work->hashes, count)) return false;
    int64_t reach = MIN(index->n, length), total = 0;
    for (int64_t i = 0; i < enough && total >= 0; i++) {
        int64_t item = work->touched[i];
        uint64_t *found;
        total = occurrences(index, item, &grams, &found);
        if (total <= 0) continue;
        Best best = best_window(found, total, index->widths[item], reach, work->marks);
        if (best.covered >= index->needed[item]) {
            int64_t begin = (int64_t)1 << 40, stop = 0, *line = out + OUT * (*used)++;
            for (int64_t at = best.first; at <= best.last; at++) {
                int64_t gram = index->item_offsets[item] + (int64_t)GRAM(found[at]);
                begin = MIN(begin, (int64_t)index->begins[gram]);
                stop = MAX(stop, (int64_t)index->ends[gram]);
            }
            line[0] = row, line[1] = index->first + item, line[2] = best.covered;
            line[3] = PLACE(found[best.first]), line[4] = PLACE(found[best.last]) + reach;
            line[5] = begin, line[6] = stop;
        }
        free(found);
    }
    free(scratch.start);
    return total >= 0;
}

/* Look in a row (its tokens stand in work->codes) for the items of an index; returns how many candidates there are, or
 * OTHERWISE: no memory. They are compared only if `out` has room for them. */
static size_t search(
    const Index *index, int64_t row, int64_t length, int64_t tokens, const Work *work, int64_t *out, int64_t room,
    int64_t *used
) {
    int64_t count = window_hashes(work->codes, tokens, index->n, work->hashes);
    int64_t enough = agreeing(index, count, work);
    if (!enough || enough > room - *used) return (size_t)enough;
    return compare(index, row, length, count, enough, work, out, used) ? (size_t)enough : OTHERWISE;
}

/* Scan rows from `row` on for the items of `many` indexes (their addresses); returns the row where `out` [room, 7] has no
 * room for its candidates, else `last`; -1: no memory. odd: the rows that cannot be normalised here. state: lines in out,
 * lines that it should have room for. */
EXPORT int64_t scan_rows(
    const Rows *rows, int64_t row, int64_t last, const Lookup *table, const uint64_t *indexes, int64_t many,
    const Work *work, bool *odd, int64_t *out, int64_t room, int64_t *state
) {
    for (; row < last; row++) {
        int64_t length = decode_row(rows, row, table, work->codes), before = state[0], wanted = 0;
        if (length < 0) odd[row] = true;
        if (length <= 0) continue;
        int64_t tokens = token_hashes(work->codes, length, table->classes);
        for (int64_t each = 0; each < many; each++) {
            const Index *index = (const Index *)(uintptr_t)indexes[each];
            size_t found = search(index, row, length, tokens, work, out, room, state);
            if (found == OTHERWISE) return -1;
            wanted += (int64_t)found;
        }
        if (wanted > room - before) { /* what was found of this row is found again */
            state[0] = before, state[1] = wanted;
            break;
        }
    }
    return row;
}

/* Replace places in normalised text by those in the text as it was written; lines in row order. where: a place per
 * code point of the longest row. */
EXPORT void as_written(const Rows *rows, const Lookup *table, int64_t *lines, int64_t used, int64_t *where) {
    int64_t known = -1;
    for (int64_t *line = lines; line < lines + OUT * used; line += OUT) {
        int64_t row = line[0];
        if (row != known) {
            const uint8_t *data = text_of(rows, row), *end = data + bytes_of(rows, row);
            int64_t code_point = 0, length = 0;
            for (uint32_t code; data < end; code_point++) {
                data += decode_one(data, &code);
                uint32_t mapped = table->single[code];
                int64_t width = mapped < DROP ? 1 : mapped == DROP ? 0 : table->widths[mapped - EXPAND];
                for (; width > 0; width--) where[length++] = code_point;
            }
            known = row;
        }
        line[3] = where[line[3]];
        line[4] = where[line[4] - 1] + 1;
    }
}
