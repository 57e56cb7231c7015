/* Hash index: open addressing from 32-bit hashes to numbers, in mapped pages, growing by doubling.
 *
 * It does not store the keys: the caller compares each candidate. Not thread-safe; but a child that
 * is forked while another thread changes an index may discard it. */
#ifndef STACKGLASS_PLATFORM_HASH_INDEX_H
#define STACKGLASS_PLATFORM_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct sg_hash_index {
    struct sg_hash_entry {
        uint32_t hash;
        uint32_t number; /* the number + 1; 0 = empty */
    } * entries;
    uint32_t capacity; /* a power of two */
    uint32_t n;
};

/* Hash of two words. */
static inline uint64_t sg_hash_index_mix(uint64_t one, uint64_t two) {
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15), other = UINT64_C(0xC2B2AE3D27D4EB4F);
    uint64_t hash = (one * odd ^ two * other) * odd;
    return hash ^ (hash >> 32);
}

typedef bool sg_hash_equal_fn(uint32_t number, const void *key);
/* Return the number put under `hash` that is equal to `key`; UINT32_MAX if there is none. Inline,
 * so that the comparison is inlined too. */
static inline uint32_t sg_hash_index_find(const struct sg_hash_index *index, uint32_t hash,
                                          sg_hash_equal_fn *is_equal, const void *key) {
    uint32_t mask = index->capacity - 1;
    if (!index->entries)
        return UINT32_MAX;
    for (uint32_t at = hash & mask; index->entries[at].number; at = (at + 1) & mask) {
        const struct sg_hash_entry *entry = &index->entries[at];
        if (entry->hash == hash && is_equal(entry->number - 1, key))
            return entry->number - 1;
    }
    return UINT32_MAX;
}

/* Make room for one more number. Returns false if memory runs out. */
bool sg_hash_index_reserve(struct sg_hash_index *index);
/* Put a number under a hash, after a successful reserve. */
void sg_hash_index_put(struct sg_hash_index *index, uint32_t hash, uint32_t number);
void sg_hash_index_discard(struct sg_hash_index *index);
uint64_t sg_hash_index_bytes(const struct sg_hash_index *index);

#endif
