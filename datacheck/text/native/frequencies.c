/* In how many rows each n-gram stands: what many rows have is boilerplate (sketches.frequent). */
#include "own.h"

enum { SLOT_BITS = 17, SHIFT = 32 - SLOT_BITS }; /* counters of the first look */

typedef struct {
    uint32_t *codes, *hashes, *mixed, *work;
    bool *latin;
} Places;

static bool places_of(Scratch *scratch, Places *places, size_t most, size_t more) {
    size_t size = most * sizeof(uint32_t);
    if (!scratch_of(scratch, 3 * size + most + more)) return false;
    places->codes = place(scratch, size), places->hashes = place(scratch, size), places->mixed = place(scratch, size);
    places->work = place(scratch, more), places->latin = place(scratch, most);
    memset(places->latin, 0, most);
    return true;
}

/* Write what mix_latin does of a row to places->mixed; returns how many, -1: not done. */
static int64_t mixed_hashes(const Rows *source, int64_t row, const Lookup *table, int64_t n, Places *places) {
    int64_t length = decode_row(source, row, table, places->codes);
    if (length < 0) return -1;
    find_latin(places->codes, length, table, places->latin, LATIN);
    int64_t tokens = token_hashes(places->codes, length, table->classes);
    int64_t count = window_hashes(places->codes, tokens, n, places->hashes);
    mix_latin(places->codes, tokens, table, places->hashes, count, places->latin, places->mixed);
    return count;
}

/* Count for each slot (leading bits of a hash) the rows that have one there: no hash is more frequent. counts: 2^17
 * places, added to. Returns whether there was memory. */
EXPORT bool count_slots(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, uint32_t *counts, bool *done
) {
    Scratch scratch;
    Places places;
    size_t slots = ((size_t)1 << SLOT_BITS) * sizeof(int32_t);
    if (!places_of(&scratch, &places, (size_t)longest(source, first, last), slots)) return false;
    int32_t *seen = (int32_t *)places.work; /* the row that was counted there last */
    memset(seen, 0xFF, slots);
    for (int64_t row = first; row < last; row++) {
        int64_t count = mixed_hashes(source, row, table, n, &places);
        done[row] = count >= 0;
        int32_t mark = (int32_t)(row - first);
        for (int64_t i = 0; i < count; i++) {
            uint32_t slot = places.mixed[i] >> SHIFT;
            counts[slot] += seen[slot] != mark;
            seen[slot] = mark;
        }
    }
    free(scratch.start);
    return true;
}

/* Write the distinct hashes of each row that lie in a wanted slot to out; returns how many, -1: no memory. */
EXPORT int64_t collect(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, const bool *wanted,
    uint32_t *out, bool *done
) {
    Scratch scratch;
    Places places;
    size_t most = (size_t)longest(source, first, last);
    if (!places_of(&scratch, &places, most, (3 * most + 2) * sizeof(uint32_t))) return -1;
    int64_t at = 0;
    for (int64_t row = first; row < last; row++) {
        int64_t count = mixed_hashes(source, row, table, n, &places), kept = 0;
        done[row] = count >= 0;
        for (int64_t i = 0; i < count; i++) {
            places.mixed[kept] = places.mixed[i];
            kept += wanted[places.mixed[i] >> SHIFT];
        }
        kept = sort_unique(places.mixed, kept, places.work);
        memcpy(out + at, places.mixed, (size_t)kept * sizeof *out);
        at += kept;
    }
    free(scratch.start);
    return at;
}
