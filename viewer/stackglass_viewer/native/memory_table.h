/* Hash table of items with a key of two numbers. It uses open addressing; the items are a column,
 * in the order in which they were added. */
#ifndef SG_MEMORY_TABLE_H
#define SG_MEMORY_TABLE_H

#include "column.h"

/* An item begins with its key, two u32. */
struct sg_table {
    struct sg_vector items;
    uint32_t *slots;       /* position of the item plus 1; 0 = free */
    size_t n_slots, width; /* width: bytes of an item */
    uint64_t seed;
};

/* Return the item of a key, which is added if it is new; a new item is all zeros after its key.
 * NULL = memory is short. The pointer is valid until the next call. */
void *sg_table_find(struct sg_table *table, uint32_t first, uint32_t second);
void sg_table_free(struct sg_table *table);

#endif
