/* Hash index: insertion and growth. */
#include "platform/hash_index.h"

#include <stdatomic.h>
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

/* Let the index have other memory, and unmap what it had. At no moment does it have unmapped
 * memory, or a capacity that its memory is too small for. */
static void replace(struct sg_hash_index *index, struct sg_hash_entry *entries, uint32_t capacity) {
    const struct sg_hash_index old = *index;
    if (capacity < old.capacity)
        index->capacity = capacity;
    atomic_signal_fence(memory_order_seq_cst);
    index->entries = entries;
    atomic_signal_fence(memory_order_seq_cst);
    index->capacity = capacity;
    sg_memory_unmap(old.entries, old.capacity * sizeof *old.entries);
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
    replace(index, grown.entries, grown.capacity);
    return true;
}

void sg_hash_index_discard(struct sg_hash_index *index) {
    replace(index, NULL, 0);
    index->n = 0;
}

uint64_t sg_hash_index_bytes(const struct sg_hash_index *index) {
    return index->capacity * sizeof *index->entries;
}
