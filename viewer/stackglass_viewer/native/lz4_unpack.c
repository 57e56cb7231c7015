/* LZ4 block decoder. A block is a list of sequences:
 *
 *     │ token: lengths of both │ literals: bytes │ match: copies bytes from ≤ 65535 before │
 *
 * The last sequence has no match. */
#include "lz4_unpack.h"

#include <string.h>

enum { LEAST_MATCH = 4, LONG_LENGTH = 15, OFFSET_BYTES = 2, STEP = 8 };

/* Read a length that begins with the token's four bits, in `*length`. Returns false if it is cut
 * off, or if it is more than `most` and goes on. */
static inline bool read_length(const uint8_t **at, const uint8_t *end, size_t most,
                               size_t *length) {
    uint8_t more = *length == LONG_LENGTH ? UINT8_MAX : 0;
    while (more == UINT8_MAX) {
        if (*at == end || *length > most)
            return false;
        more = *(*at)++;
        *length += more;
    }
    return true;
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

bool sg_lz4_unpack(const uint8_t *packed, size_t size, uint8_t *raw, size_t raw_size) {
    const uint8_t *at = packed, *end = packed + size;
    uint8_t *to = raw, *raw_end = raw + raw_size;
    while (at < end) {
        uint8_t token = *at++;
        size_t n = token >> 4;
        if (!read_length(&at, end, raw_size, &n) || n > (size_t)(end - at) ||
            n > (size_t)(raw_end - to))
            return false;
        memcpy(to, at, n);
        to += n;
        at += n;
        if (at == end)
            return to == raw_end;
        if (end - at < OFFSET_BYTES)
            return false;
        size_t offset = (size_t)at[0] | (size_t)at[1] << 8;
        at += OFFSET_BYTES;
        n = token & LONG_LENGTH;
        if (!read_length(&at, end, raw_size, &n))
            return false;
        n += LEAST_MATCH;
        if (offset == 0 || offset > (size_t)(to - raw) || n > (size_t)(raw_end - to))
            return false;
        copy_match(to, to - offset, n, raw_end);
        to += n;
    }
    return false;
}
