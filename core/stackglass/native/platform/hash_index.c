/* Hash index: insertion and growth. */
#include "platform/hash_index.h"

#include <string.h>

#include "platform/memory.h"

enum { FIRST_CAPACITY = 4096 };

void sg_hash_index_put(struct sg_hash_index *index, uint32_t hash, uint32_t number) {
    uint32_t mask = index->capacity - 1;
    uint32_t at = hash & mask;
    while (index->entries[at].number)
        at = (at + 1) & mask;
    index->entries[at] = (struct sg_hash_entry){hash, number + 1};
    index->n++;
}

bool sg_hash_index_reserve(struct sg_hash_index *index) {
    if (index->entries && index->n < index->capacity / 2)
        return true;
    struct sg_hash_index grown = {.capacity =
                                      index->entries ? 2 * index->capacity : FIRST_CAPACITY};
    grown.entries = sg_memory_map(grown.capacity * sizeof *grown.entries);
    if (!grown.entries)
        return false;
    for (uint32_t at = 0; at < index->capacity; at++) {
        struct sg_hash_entry entry = index->entries[at];
        if (entry.number)
            sg_hash_index_put(&grown, entry.hash, entry.number - 1);
    }
    sg_hash_index_discard(index);
    *index = grown;
    return true;
}

void sg_hash_index_discard(struct sg_hash_index *index) {
    sg_memory_unmap(index->entries, index->capacity * sizeof *index->entries);
    memset(index, 0, sizeof *index);
}

uint64_t sg_hash_index_bytes(const struct sg_hash_index *index) {
    return index->capacity * sizeof *index->entries;
}
