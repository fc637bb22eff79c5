/* Which of many words stand in a text. */
#include "words.h"

/* Fill an automaton for different words, one behind the other in `bytes`. All its arrays are zero, and have room for a
 * state more than there are bytes, as fallback and queue do. */
EXPORT void build_automaton(
    const Automaton *automaton, const uint8_t *bytes, const int64_t *lengths, int64_t count, int32_t *fallback,
    int32_t *queue
) {
    int32_t *next = automaton->next, *word = automaton->word;
    int64_t width = automaton->width;
    int32_t states = 1, waiting = 0;
    word[0] = -1;
    for (int64_t number = 0; number < count; number++) {
        int32_t state = 0;
        for (int64_t i = 0; i < lengths[number]; i++) {
            int32_t *child = next + state * width + automaton->classes[*bytes++];
            if (!*child) {
                word[states] = -1;
                *child = states++;
            }
            state = *child;
        }
        word[state] = (int32_t)number;
    }
    queue[waiting++] = 0;
    for (int32_t done = 0; done < waiting; done++) { /* those with shorter words first: a fallback is complete */
        int32_t state = queue[done], back = fallback[state];
        automaton->shorter[state] = state ? automaton->ending[back] : 0;
        automaton->ending[state] = word[state] >= 0 ? state : automaton->shorter[state];
        for (int64_t class = 0; class < width; class++) {
            int32_t *child = next + state * width + class;
            int32_t other = state ? next[back * width + class] : 0;
            if (*child) {
                fallback[*child] = other;
                queue[waiting++] = *child;
            } else
                *child = other;
        }
    }
}

/* Set in `out` the bit of each word that stands in the bytes. */
EXPORT void find_words(const uint8_t *bytes, int64_t length, const Automaton *automaton, uint64_t *out) {
    int32_t state = 0;
    for (int64_t i = 0; i < length; i++) {
        state = automaton->next[state * automaton->width + automaton->classes[bytes[i]]];
        for (int32_t at = automaton->ending[state]; at; at = automaton->shorter[at])
            out[automaton->word[at] >> 6] |= (uint64_t)1 << (automaton->word[at] & 63);
    }
}

/* Say of which rows `least` bytes in a row are all of some sorts (of each byte, whether it is). One byte of a window is
 * looked at first, its last one: where that is none, no window with it counts. */
EXPORT void find_runs_of(
    const Rows *rows, int64_t first, int64_t last, const bool *sorts, int64_t least, bool *out
) {
    for (int64_t row = first; row < last; row++) {
        const uint8_t *data = text_of(rows, row);
        int64_t length = bytes_of(rows, row), start = 0, known = 0; /* data[start:known] are of them */
        while (!out[row] && start + least <= length) {
            int64_t at = start + least - 1;
            while (at >= known && sorts[data[at]]) at--;
            if (at < known)
                out[row] = true;
            else
                known = start + least, start = at + 1;
        }
    }
}
