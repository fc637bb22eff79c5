/* The cells and the CRF of pii/bilstm.py. Rounding is not left to the compiler: -ffp-contract=off. */
#include <math.h>
#include <stdlib.h>

#include "texts.h"

enum { CELLS = 64, GATES = 4 * CELLS };

/* The rational approximation of Eigen (ptanh_float), within 1e-6: unlike the library's, eight at a time. */
INLINE float fast_tanh(float x) {
    x = MIN(MAX(x, -7.90531110763549805f), 7.90531110763549805f);
    float y = x * x;
    float over = -2.76076847742355e-16f * y + 2.00018790482477e-13f;
    over = over * y + -8.60467152213735e-11f;
    over = over * y + 5.12229709037114e-08f;
    over = over * y + 1.48572235717979e-05f;
    over = over * y + 6.37261928875436e-04f;
    over = over * y + 4.89352455891786e-03f;
    float under = 1.19825839466702e-06f * y + 1.18534705686654e-04f;
    under = under * y + 2.26843463243900e-03f;
    under = under * y + 4.89352518554385e-03f;
    return x * over / under;
}

/* One place of a sentence: the gates of memory and of input [sentences, 256] change the cells and give the outputs
 * [sentences, 64]. */
EXPORT void remember(
    float *restrict now, const float *restrict given, float *restrict cells, float *restrict out, int64_t sentences
) {
    for (; sentences > 0; sentences--, now += GATES, given += GATES, cells += CELLS, out += CELLS) {
        for (int at = 0; at < GATES; at++) now[at] = fast_tanh(now[at] + given[at]);
        for (int at = 0; at < CELLS; at++) {
            float kept = now[CELLS + at] + 1, taken = now[at] + 1;
            cells[at] = 0.5f * (kept * cells[at] + taken * now[2 * CELLS + at]);
            out[at] = 0.5f * (now[3 * CELLS + at] + 1) * fast_tanh(cells[at]);
        }
    }
}

/* The best way through a sentence for each of `sentences` (Viterbi): emissions [steps, sentences, tags], between
 * [from, to], out [sentences, steps]. Returns whether there was memory. */
EXPORT bool best_paths(
    const float *emissions, const int32_t *lengths, int64_t steps, int64_t sentences, int64_t tags, const float *start,
    const float *between, const float *end, int32_t *out
) {
    float *scores = malloc((size_t)(steps * tags + 1) * sizeof *scores);
    if (!scores) return false;
    for (int64_t row = 0; row < sentences; row++) {
        int64_t length = lengths[row], step = 0, tag = 0;
        for (int64_t to = 0; to < tags; to++) scores[to] = start[to] + emissions[row * tags + to];
        for (step = 1; step < length; step++) {
            float *restrict best = scores + step * tags;
            const float *reached = best - tags, *given = emissions + (step * sentences + row) * tags;
            for (int64_t to = 0; to < tags; to++) best[to] = -INFINITY;
            for (int64_t from = 0; from < tags; from++)
                for (int64_t to = 0; to < tags; to++) {
                    float way = reached[from] + between[from * tags + to];
                    best[to] = MAX(best[to], way);
                }
            for (int64_t to = 0; to < tags; to++) best[to] += given[to];
        }
        for (step = length - 1; step >= 0; step--) { /* which way was the best is asked on the way back only */
            const float *reached = scores + step * tags;
            float most = -INFINITY;
            int64_t after = tag;
            for (int64_t from = 0; from < tags; from++) {
                float way = reached[from] + (step == length - 1 ? end[from] : between[from * tags + after]);
                if (way > most) most = way, tag = from;
            }
            out[row * steps + step] = (int32_t)tag;
        }
    }
    free(scores);
    return true;
}
