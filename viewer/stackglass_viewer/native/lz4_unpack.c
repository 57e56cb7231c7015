/* A block is a list of sequences: a token, literals, and a match, which is a copy of bytes from up
 * to 65535 bytes before. The last sequence has no match. */
#include "lz4_unpack.h"

#include <string.h>

enum { LEAST_MATCH = 4, LONG_LENGTH = 15, STEP = 8 };

/* Add the bytes that continue a length to `*length`, the token's 4 bits. Returns 0, or -1 if the
 * length is cut off or much larger than `most`. */
static inline int read_length(const uint8_t **at, const uint8_t *end, size_t most, size_t *length) {
    uint8_t more = UINT8_MAX;
    if (*length < LONG_LENGTH)
        return 0;
    while (more == UINT8_MAX) {
        if (*at == end || *length > most)
            return -1;
        more = *(*at)++;
        *length += more;
    }
    return 0;
}

/* Copy `n` bytes within the output, which ends at `end`. Source and destination may overlap. */
static inline void copy_match(uint8_t *to, const uint8_t *from, size_t n, const uint8_t *end) {
    if (to - from >= STEP && (size_t)(end - to) >= n + STEP) {
        for (uint8_t *stop = to + n; to < stop; to += STEP, from += STEP)
            memcpy(to, from, STEP);
        return;
    }
    while (n--)
        *to++ = *from++;
}

int sg_lz4_unpack(const uint8_t *packed, size_t size, uint8_t *raw, size_t raw_size) {
    const uint8_t *at = packed, *end = packed + size;
    uint8_t *to = raw, *raw_end = raw + raw_size;
    while (at < end) {
        uint8_t token = *at++;
        size_t n = token >> 4;
        if (read_length(&at, end, raw_size, &n) < 0 || n > (size_t)(end - at) ||
            n > (size_t)(raw_end - to))
            return -1;
        memcpy(to, at, n);
        to += n;
        at += n;
        if (at == end)
            return to == raw_end ? 0 : -1;
        if (end - at < 2)
            return -1;
        size_t offset = (size_t)at[0] | (size_t)at[1] << 8;
        at += 2;
        n = token & 15;
        if (read_length(&at, end, raw_size, &n) < 0)
            return -1;
        n += LEAST_MATCH;
        if (offset == 0 || offset > (size_t)(to - raw) || n > (size_t)(raw_end - to))
            return -1;
        copy_match(to, to - offset, n, raw_end);
        to += n;
    }
    return -1;
}
