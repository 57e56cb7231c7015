/* Varints, as in protobuf: written to memory that has room for them, and read from memory of any
 * content. */
#ifndef STACKGLASS_PLATFORM_VARINT_H
#define STACKGLASS_PLATFORM_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { SG_VARINT_MOST = 10 }; /* bytes: 64 bits in groups of 7 */

/* Write a varint at `at`. Returns where the next one goes. */
static inline uint8_t *sg_varint_put(uint8_t *at, uint64_t value) {
    while (value > 0x7F) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* Return the zigzag code of a difference modulo 2^64: a small difference, of either sign, gets a
 * small number. */
static inline uint64_t sg_varint_zigzag(uint64_t difference) {
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t sg_varint_unzigzag(uint64_t value) { return value >> 1 ^ -(value & 1); }

/* Read a varint. Returns where the next one begins; NULL if it is cut off at `end`, or too long. */
static inline const uint8_t *sg_varint_get(const uint8_t *at, const uint8_t *end, uint64_t *value) {
    uint64_t sum = 0;
    for (unsigned shift = 0; at < end && shift < 7 * SG_VARINT_MOST; shift += 7) {
        uint8_t byte = *at++;
        sum |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = sum;
            return at;
        }
    }
    return NULL;
}

#endif
