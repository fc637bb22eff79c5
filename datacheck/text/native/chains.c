/* Where the chains of digits of a text are. */
#include "digits.h"

/* Write where the chains of at least so many digits begin and end (code points) and how many digits they have, three
 * numbers each, as long as there is room for `room` of them. seen: how many digits there are, and how many the longest
 * chain has. Returns how many chains there are. */
EXPORT int64_t find_chains(
    const uint8_t *bytes, int64_t length, int64_t least, int64_t room, int64_t *out, int64_t *seen
) {
    int64_t place = 0, found = 0, start = 0, end = 0, digits = 0, between = 0;
    seen[0] = seen[1] = 0;
    for (int64_t at = 0; at <= length; place++) {
        uint32_t code = 0; /* behind the text: it ends a chain */
        at += at < length ? (int64_t)decode_one(bytes + at, &code) : 1;
        if (is_digit(code)) {
            if (!digits) start = place;
            digits++, between = 0, end = place + 1;
            continue;
        }
        if (!digits || (is_separator(code) && ++between <= MOST_BETWEEN)) continue;
        seen[0] += digits;
        seen[1] = MAX(seen[1], digits);
        if (digits >= least) {
            if (found < room) out[3 * found] = start, out[3 * found + 1] = end, out[3 * found + 2] = digits;
            found++;
        }
        digits = between = 0;
    }
    return found;
}
