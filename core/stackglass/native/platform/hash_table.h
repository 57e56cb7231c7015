/* Hash table: open addressing from 64-bit keys to entries of the caller's type, growing by
 * doubling.
 *
 *     struct block { uint64_t address; uint32_t type; };          // the key first; 0 = no entry
 *     struct sg_hash_table blocks = {.entry_bytes = sizeof(struct block)};
 *     struct block *block = sg_hash_table_add(&blocks, address);  // found, or new and zeroed
 *
 * Entries move when the table grows, and are never removed one by one. One thread at a time. */
#ifndef STACKGLASS_PLATFORM_HASH_TABLE_H
#define STACKGLASS_PLATFORM_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_hash_table {
    size_t entry_bytes; /* set once, before anything else */
    char *entries;      /* (capacity,); owned */
    size_t n, capacity; /* capacity: a power of two, or 0 */
};

/* Make room for `n` entries in all. Returns false if memory runs out. */
bool sg_hash_table_reserve(struct sg_hash_table *table, size_t n);
/* Return the entry of a key that is not 0; NULL if there is none. */
void *sg_hash_table_find(const struct sg_hash_table *table, uint64_t key);
/* Prefetch what sg_hash_table_find reads. */
void sg_hash_table_prefetch(const struct sg_hash_table *table, uint64_t key);
/* Return the entry of a key; a new entry is zeroed but for its key. NULL if memory runs out. */
void *sg_hash_table_add(struct sg_hash_table *table, uint64_t key);
/* Return the next entry, to read all of them: `*place` is 0 before the first call, and advanced by
 * each. NULL = there are no more. */
void *sg_hash_table_next(const struct sg_hash_table *table, size_t *place);
/* Empty the table and free its memory; it can be used again. */
void sg_hash_table_free(struct sg_hash_table *table);

#endif
