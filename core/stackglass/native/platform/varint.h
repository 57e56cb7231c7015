/* Varints, as in protobuf, into memory that has room for them. */
#ifndef STACKGLASS_PLATFORM_VARINT_H
#define STACKGLASS_PLATFORM_VARINT_H

#include <stdint.h>

enum { SG_VARINT_MOST = 10 };

/* Where the next one goes. */
static inline uint8_t *sg_varint_put(uint8_t *at, uint64_t value) {
    while (value > 0x7F) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* A difference, modulo 2^64: small where its amount is. */
static inline uint64_t sg_varint_zigzag(uint64_t difference) {
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

#endif
