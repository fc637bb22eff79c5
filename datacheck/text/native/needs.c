/* Which expressions a text may match: one pass over its bytes finds the words that they need, and its digits. */
#include "digits.h"
#include "words.h"

enum { HASH_BITS = 17 };

/* The automaton of some words in small letters. depth: of each state, how many bytes lead to it; single: whether a byte
 * is a word; begin: a bit for each three bytes with which a longer word may begin; longer: a bit for as many of the first
 * six as it has, but five. */
typedef struct {
    Automaton automaton;
    int32_t *depth;
    bool *single;
    uint64_t *begin, *longer;
} Words;

/* Word w stands in groups[group_of[w]] to groups[group_of[w + 1] - 1]; way[g]: which way of matching needs a word of
 * group g. Of each way: how many groups it needs, the fewest digits, those of its longest chain, and its expression. Those
 * that need no word come first: `wordless` of them. */
typedef struct {
    const int32_t *group_of, *groups, *way, *needed, *digits, *chain, *expression;
    int64_t wordless;
} Needs;

/* Places for all groups, ways, ways and ways, zero at first: which row each was last seen in, how many groups of a way
 * are left there, and the ways of this row that have all. */
typedef struct {
    int32_t *seen, *begun, *left, *met;
} Marks;

enum { EIGHT = 8, PIECE = 1024 };

/* Eight bytes, the first one lowest; capitals are small letters. */
INLINE uint64_t eight_at(const uint8_t *at) {
    uint64_t eight;
    memcpy(&eight, at, EIGHT);
    return eight | 0x2020202020202020u;
}

/* Where the bit of the first `count` of them is. */
INLINE uint64_t bit_of(uint64_t eight, int64_t count) {
    return (eight << (64 - 8 * count)) * 0x9E3779B97F4A7C15u >> (64 - HASH_BITS);
}

/* 1 or 0. */
INLINE uint64_t has_bit(const uint64_t *bits, uint64_t bit) { return bits[bit >> 6] >> (bit & 63) & 1; }

INLINE void set_bit(uint64_t *bits, uint64_t bit) { bits[bit >> 6] |= (uint64_t)1 << (bit & 63); }

/* Fill depth, single, begin and longer, zero at first, for the words of which the automaton was built. */
EXPORT void fill_words(const Words *words, const uint8_t *bytes, const int64_t *lengths, int64_t count) {
    for (int64_t word = 0; word < count; bytes += lengths[word++]) {
        int32_t state = 0;
        for (int64_t i = 0; i < lengths[word]; i++) {
            state = words->automaton.next[state * words->automaton.width + words->automaton.classes[bytes[i]]];
            words->depth[state] = (int32_t)i + 1;
        }
        int64_t length = lengths[word];
        if (length == 1) words->single[bytes[0]] = true;
        if (length >= 3) {
            uint8_t start[EIGHT] = {0};
            memcpy(start, bytes, (size_t)MIN(length, EIGHT));
            uint64_t eight = eight_at(start);
            set_bit(words->begin, bit_of(eight, 3));
            set_bit(words->longer, bit_of(eight, length < 4 ? 3 : length < 6 ? 4 : 6));
        }
        for (uint32_t third = 0; length == 2 && third < 256; third++) {
            uint8_t start[EIGHT] = {bytes[0], bytes[1], (uint8_t)third};
            uint64_t bit = bit_of(eight_at(start), 3);
            set_bit(words->begin, bit), set_bit(words->longer, bit);
        }
    }
}

/* Write the places of data[first:last] where a word may begin, by its first bytes, to out[0:last - first]; returns how
 * many. Eight bytes are read at each. A place is written first and counted then: one byte in sixteen begins as some word
 * does, and a jump that nobody foresees costs more than all else here. */
static int64_t may_begin(
    const Words *words, const uint8_t *data, int64_t first, int64_t last, int32_t *restrict out
) {
    const uint64_t *begin = words->begin, *longer = words->longer;
    const bool *single = words->single;
    int64_t some = 0, kept = 0;
    for (int64_t at = first; at < last; at++) {
        out[some] = (int32_t)(at - first);
        some += (int64_t)(has_bit(begin, bit_of(eight_at(data + at), 3)) | single[data[at]]);
    }
    for (int64_t i = 0; i < some; i++) {
        uint64_t eight = eight_at(data + first + out[i]);
        uint64_t goes_on = has_bit(longer, bit_of(eight, 3)) | has_bit(longer, bit_of(eight, 4))
                           | has_bit(longer, bit_of(eight, 6)) | single[data[first + out[i]]];
        out[kept] = out[i], kept += (int64_t)goes_on;
    }
    return kept;
}

/* A word stands in the row `mark`: returns how many ways are met there, the ones that need nothing else now among them. */
INLINE int64_t count_word(const Needs *needs, int32_t word, int32_t mark, const Marks *marks, int64_t met) {
    for (int32_t at = needs->group_of[word]; at < needs->group_of[word + 1]; at++) {
        int32_t group = needs->groups[at], way = needs->way[group];
        if (marks->seen[group] == mark) continue;
        marks->seen[group] = mark;
        if (marks->begun[way] != mark) marks->begun[way] = mark, marks->left[way] = needs->needed[way];
        if (!--marks->left[way]) marks->met[met++] = way;
    }
    return met;
}

/* Look for the words that begin here; as count_word. */
static __attribute__((noinline)) int64_t find_words_at(
    const Words *words, const uint8_t *at, const uint8_t *end, const Needs *needs, int32_t mark, const Marks *marks,
    int64_t met
) {
    const Automaton *automaton = &words->automaton;
    int32_t state = 0, length = 0;
    for (; at < end; at++) {
        state = automaton->next[state * automaton->width + automaton->classes[*at]];
        if (words->depth[state] != ++length) break; /* no word goes on like this */
        if (automaton->word[state] >= 0) met = count_word(needs, automaton->word[state], mark, marks, met);
    }
    return met;
}

/* Whether a text with so many digits has as many as a way of matching needs. */
INLINE bool has_digits(const Needs *needs, int64_t way, Digits digits) {
    return needs->digits[way] <= digits.all && needs->chain[way] <= digits.longest;
}

/* Say in out[expression * stride + row] which expressions each row may match. */
EXPORT void find_possible(
    const Rows *rows, int64_t first, int64_t last, const Words *words, const Needs *needs, const Marks *marks,
    int64_t stride, bool *out
) {
    int32_t places[PIECE];
    for (int64_t row = first; row < last; row++) {
        const uint8_t *data = text_of(rows, row), *end = data + bytes_of(rows, row);
        Digits digits = count_digits(data, end - data);
        int64_t met = 0, whole = MAX(0, end - data - EIGHT + 1); /* where eight bytes can be read */
        int32_t mark = (int32_t)(row - first + 1);
        for (int64_t from = 0; from < whole; from += PIECE) {
            int64_t count = may_begin(words, data, from, MIN(from + PIECE, whole), places);
            for (int64_t i = 0; i < count; i++)
                met = find_words_at(words, data + from + places[i], end, needs, mark, marks, met);
        }
        uint8_t rest[2 * EIGHT] = {0}; /* the last bytes, of which there are fewer than eight, and zeros */
        memcpy(rest, data + whole, (size_t)(end - data - whole));
        int64_t count = may_begin(words, rest, 0, end - data - whole, places);
        for (int64_t i = 0; i < count; i++)
            met = find_words_at(words, data + whole + places[i], end, needs, mark, marks, met);
        for (int64_t i = 0; i < met; i++)
            if (has_digits(needs, marks->met[i], digits)) out[needs->expression[marks->met[i]] * stride + row] = true;
        for (int64_t way = 0; way < needs->wordless; way++)
            if (has_digits(needs, way, digits)) out[needs->expression[way] * stride + row] = true;
    }
}
