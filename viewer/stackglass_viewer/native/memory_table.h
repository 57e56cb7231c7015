/* Table of items by a key of two numbers: open addressing over a column of items. */
#ifndef SG_MEMORY_TABLE_H
#define SG_MEMORY_TABLE_H

#include "column.h"

/* Items begin with their key, two u32. */
struct sg_table {
    struct sg_vector items;
    uint32_t *slots; /* position of the item plus 1; 0 = empty */
    size_t n_slots, width;
    uint64_t seed;
};

/* The item of a key; a new one is all zeros behind its key. NULL if there is no memory. Valid until
 * the next call. */
void *sg_table_find(struct sg_table *table, uint32_t first, uint32_t second);
void sg_table_free(struct sg_table *table);

#endif
