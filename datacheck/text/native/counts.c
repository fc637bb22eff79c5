/* Counting in texts: words by script, rows in which one n-gram stands over and over, distinct n-grams of windows, and
 * the normalised texts themselves. */
#include <math.h>

#include "texts.h"
#include "utf8.h"

/* Classes of code points (classes.py), as polars' regular expressions have them. */
enum { WRITTEN = 1, WORD = 2, DIGIT = 4, SPACE = 8, EAST = 16 };

/* A text whose words are to be told from what is no language. flags: of each code point. */
typedef struct {
    const uint32_t *codes;
    const uint8_t *flags;
    int64_t length;
} Text;

INLINE bool is_letter(uint32_t code) { return (code | 0x20) >= 'a' && (code | 0x20) <= 'z'; }

INLINE bool is_one(const Text *text, int64_t at, uint32_t code) { return at < text->length && text->codes[at] == code; }

INLINE bool is_word(const Text *text, int64_t at) { return (text->flags[text->codes[at]] & (WORD | EAST)) == WORD; }

INLINE bool begins(const Text *text, int64_t at, const char *word) {
    for (; *word; word++, at++)
        if (!is_one(text, at, (uint8_t)*word)) return false;
    return true;
}

/* Where a link ends that begins here: (?:https?|ftp):// or www\., and what is no white space nor of the East; here, if
 * none does, as for all that follow. */
static int64_t after_link(const Text *text, int64_t at) {
    int64_t end = at;
    if (begins(text, at, "www."))
        end += 4;
    else {
        int64_t scheme = begins(text, at, "https") ? 5 : begins(text, at, "http") ? 4 : begins(text, at, "ftp") ? 3 : 0;
        if (!scheme || !begins(text, at + scheme, "://")) return at;
        end += scheme + 3;
    }
    int64_t first = end;
    while (end < text->length && !(text->flags[text->codes[end]] & (SPACE | EAST))) end++;
    return end > first ? end : at;
}

/* Where the address ends whose sign is here: @[\w-]+\.[\w.]+ */
static int64_t after_address(const Text *text, int64_t at) {
    int64_t end = at;
    if (!is_one(text, end++, '@')) return at;
    int64_t first = end;
    while (end < text->length && (is_word(text, end) || text->codes[end] == '-')) end++;
    if (end == first || !is_one(text, end, '.')) return at;
    first = ++end;
    while (end < text->length && (is_word(text, end) || text->codes[end] == '.')) end++;
    return end > first ? end : at;
}

/* </?[A-Za-z][^<>\n]{0,200}> */
static int64_t after_tag(const Text *text, int64_t at) {
    int64_t end = at + 1;
    if (is_one(text, end, '/')) end++;
    if (end >= text->length || !is_letter(text->codes[end++])) return at;
    int64_t last = MIN(end + 200, text->length - 1);
    for (; end <= last; end++) {
        uint32_t code = text->codes[end];
        if (code == '>') return end + 1;
        if (code == '<' || code == '\n') break;
    }
    return at;
}

/* \\[A-Za-z]+ */
static int64_t after_command(const Text *text, int64_t at) {
    int64_t end = at + 1;
    while (end < text->length && is_letter(text->codes[end])) end++;
    return end > at + 1 ? end : at;
}

/* The runs in which a place stands: what may be the name of an address, [\w.+-]+, and what that is then; the word, and
 * its last digit or underscore. Known once for all their places: else a long one would cost its square. */
typedef struct {
    int64_t name, address, word, digit;
} Runs;

INLINE void find_runs(const Text *text, int64_t at, Runs *runs) {
    if (at >= runs->word) {
        runs->digit = -1;
        for (runs->word = at; runs->word < text->length && is_word(text, runs->word); runs->word++)
            if (text->flags[text->codes[runs->word]] & DIGIT || text->codes[runs->word] == '_') runs->digit = runs->word;
    }
    if (at >= runs->name) {
        for (runs->name = at; runs->name < text->length; runs->name++) {
            uint32_t code = text->codes[runs->name];
            if (!is_word(text, runs->name) && code != '.' && code != '+' && code != '-') break;
        }
        runs->address = after_address(text, runs->name);
    }
}

/* Where something ends that is no language and begins here: a link, an address, a tag, a command of LaTeX, a word with
 * digits or underscores, the first of them that fits. */
INLINE int64_t after_no_words(const Text *text, int64_t at, Runs *runs) {
    uint32_t code = text->codes[at];
    int64_t end = code == 'h' || code == 'f' || code == 'w' ? after_link(text, at) : at;
    if (end > at) return end;
    find_runs(text, at, runs);
    if (at < runs->name && runs->address > runs->name) return runs->address;
    if (code == '<') return after_tag(text, at);
    if (code == '\\') return after_command(text, at);
    return at < runs->word && runs->digit >= at ? runs->word : at;
}

/* Whether a link or an address may stand in the text: ://, www. and @ are looked for, all places at once. */
static bool may_link(const Text *text) {
    const uint32_t *codes = text->codes;
    uint32_t found = 0;
    for (int64_t i = 0; i < text->length; i++) found |= codes[i] == '@';
    for (int64_t i = 2; i < text->length; i++) {
        found |= (codes[i - 2] == ':') & (codes[i - 1] == '/') & (codes[i] == '/');
        found |= (codes[i - 2] == 'w') & (codes[i - 1] == 'w') & (codes[i] == 'w');
    }
    return found;
}

/* `only_language` of a text without links and addresses, as most are: word by word. */
static int64_t only_words(uint32_t *codes, const Text *text) {
    int64_t kept = 0;
    for (int64_t at = 0; at < text->length;) {
        uint32_t code = codes[at], numbered = 0;
        int64_t end = code == '<' ? after_tag(text, at) : code == '\\' ? after_command(text, at) : at, start = kept;
        if (end > at) {
            codes[kept++] = ' ', at = end;
            continue;
        }
        for (end = at; end < text->length; end++) {
            uint8_t flags = text->flags[code = codes[end]];
            if ((flags & (WORD | EAST)) != WORD) break;
            numbered |= (flags & DIGIT) | (code == '_');
            codes[kept++] = code;
        }
        if (end == at)
            codes[kept++] = code, end++;
        else if (numbered)
            codes[start] = ' ', kept = start + 1;
        at = end;
    }
    return kept;
}

/* Put a blank for each thing that is no language; returns how many code points are left. In place: what is written
 * stands before all that is still to be looked at. */
static int64_t only_language(uint32_t *codes, int64_t length, const uint8_t *flags) {
    Text text = {codes, flags, length};
    if (!may_link(&text)) return only_words(codes, &text);
    Runs runs = {0, 0, 0, -1};
    int64_t kept = 0;
    for (int64_t at = 0; at < length;) {
        int64_t end = after_no_words(&text, at, &runs);
        codes[kept++] = end > at ? ' ' : codes[at];
        at = end > at ? end : at + 1;
    }
    return kept;
}

/* Put a blank for each run of signs and white space; returns how many code points are left. */
static int64_t without_signs(uint32_t *codes, int64_t length, const uint8_t *flags) {
    int64_t kept = 0;
    bool sign = false;
    for (int64_t i = 0; i < length; i++) {
        bool written = flags[codes[i]] & WRITTEN;
        codes[kept] = written ? codes[i] : ' ';
        kept += written || !sign;
        sign = !written;
    }
    return kept;
}

/* script: which one each code point belongs to (the last number: none). single: of which scripts every character is a word, and
 * forms: which form of Chinese a code point is (1 simplified, 2 traditional). */
typedef struct {
    const uint8_t *script, *forms;
    const bool *single;
    int64_t none, width;
} Scripts;

/* Add to out [rows, width] the words of each script and, in the last two columns, the forms of Chinese. A word of a
 * script with spaces is a run of two letters or more. flags: what is no language is left out; NULL: it counts. Returns
 * whether there was memory. */
EXPORT bool count_words(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, const Scripts *scripts, const uint8_t *flags,
    uint32_t *out
) {
    uint32_t *codes = malloc((size_t)longest(source, first, last) * sizeof *codes);
    if (!codes) return false;
    for (int64_t row = first; row < last; row++) {
        uint32_t *counts = out + row * scripts->width;
        int64_t length = decode_row(source, row, table, codes), before = -1;
        if (flags) length = only_language(codes, length, flags);
        for (int64_t i = 0; i < length; i++) {
            int64_t kind = scripts->script[codes[i]];
            if (kind != scripts->none) {
                bool run = kind != before && i + 1 < length && scripts->script[codes[i + 1]] == kind;
                counts[kind] += scripts->single[kind] || run;
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

/* Say of which rows one n-gram may cover `share` of the text and `characters`: it is as frequent as that needs.
 * flags: of the text without its signs; NULL: as it is. */
EXPORT bool find_repeating(
    const Rows *source, int64_t first, int64_t last, const Lookup *table, int64_t n, double share, int64_t characters,
    const uint8_t *flags, bool *out
) {
    int64_t most = longest(source, first, last);
    size_t size = (size_t)most * sizeof(uint32_t), slots = (size_t)power_of_two(2 * most) * sizeof(uint32_t);
    Scratch scratch;
    if (!scratch_of(&scratch, 2 * size + 2 * slots)) return false;
    uint32_t *codes = place(&scratch, size), *hashes = place(&scratch, size);
    uint32_t *seen = place(&scratch, slots), *counts = place(&scratch, slots);
    for (int64_t row = first; row < last; row++) {
        int64_t length = decode_row(source, row, table, codes);
        if (flags) length = without_signs(codes, length, flags);
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
