/* Hash of the keys that a file chooses, such as addresses. The author of a file does not know the
 * seed, so no file can be made to cause collisions.
 *
 * The seed is also in the multiplier, and both halves of the product are used. With a seed that is
 * only added to the key, a known multiplier leaves keys together that differ in high bits only. */
#ifndef SG_SEEDED_HASH_H
#define SG_SEEDED_HASH_H

#include <stdint.h>

static inline uint64_t sg_seeded_hash(uint64_t seed, uint64_t key) {
    uint64_t multiplier = 0x9E3779B97F4A7C15u ^ seed << 1; /* odd */
    unsigned __int128 product = (unsigned __int128)(key ^ seed) * multiplier;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
