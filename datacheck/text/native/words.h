/* The automaton of Aho and Corasick ("Efficient string matching", 1975) for many words, over bytes by classes, so that
 * its table stays small. */
#ifndef DATACHECK_WORDS_H
#define DATACHECK_WORDS_H

#include "texts.h"

/* classes: of each byte; next: by state and class; word: which one ends in a state, or -1; ending: the state itself if a
 * word ends there, or else the next shorter one of its ends where one does, or 0; shorter: the same without itself. */
typedef struct {
    const uint8_t *classes;
    int32_t *next, *word, *ending, *shorter;
    int64_t width;
} Automaton;

#endif
