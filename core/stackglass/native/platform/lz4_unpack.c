/* LZ4 block decoder: literals, then a copy of what was unpacked before; the last sequence has no
 * copy. */
#include "platform/lz4_unpack.h"

#include <string.h>

enum { LEAST_MATCH = 4, LONG_LENGTH = 15, OFFSET_BYTES = 2 };

struct input {
    const uint8_t *at, *end;
};

/* Read a length that begins with the token's four `bits`. Returns false if the length is cut off,
 * or more than `most`. */
static bool read_length(struct input *in, size_t bits, size_t most, size_t *length) {
    uint8_t more = bits == LONG_LENGTH ? UINT8_MAX : 0;
    *length = bits;
    while (more == UINT8_MAX) {
        if (in->at == in->end)
            return false;
        more = *in->at++;
        *length += more;
        if (*length > most)
            return false;
    }
    return *length <= most;
}

/* Copy a match. The source may overlap the destination: then its bytes repeat. */
static void copy_match(uint8_t *to, size_t distance, size_t n) {
    if (distance >= n) {
        memcpy(to, to - distance, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = to[i - distance];
}

bool sg_lz4_unpack(const uint8_t *packed, size_t size, uint8_t *raw, size_t raw_size) {
    struct input in = {packed, packed + size};
    size_t n_done = 0, n;
    while (in.at < in.end) {
        unsigned token = *in.at++;
        if (!read_length(&in, token >> 4, raw_size - n_done, &n) || n > (size_t)(in.end - in.at))
            return false;
        memcpy(raw + n_done, in.at, n);
        n_done += n;
        in.at += n;
        if (in.at == in.end)
            return n_done == raw_size;
        if (in.end - in.at < OFFSET_BYTES)
            return false;
        size_t distance = (size_t)in.at[0] | (size_t)in.at[1] << 8;
        in.at += OFFSET_BYTES;
        if (!read_length(&in, token & LONG_LENGTH, raw_size - n_done, &n))
            return false;
        n += LEAST_MATCH;
        if (!distance || distance > n_done || n > raw_size - n_done)
            return false;
        copy_match(raw + n_done, distance, n);
        n_done += n;
    }
    return false;
}
