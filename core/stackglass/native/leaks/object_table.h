/* Objects by address, each with the number of its references that are not explained yet: a hash
 * table with open addressing. It holds no reference. */
#ifndef STACKGLASS_LEAKS_OBJECT_TABLE_H
#define STACKGLASS_LEAKS_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SG_OBJECT_CONTAINER = 1, /* it can be traversed */
    SG_OBJECT_LIVE = 2,      /* reachable by what runs, or may run */
    SG_OBJECT_HELD = 4,      /* reachable by a leaked thread */
    SG_OBJECT_GARBAGE = 8,   /* reachable by what nothing refers to */
    SG_OBJECT_FILTERED = 16, /* not all of its references lead on */
    SG_OBJECT_CALLED = 32,   /* only the C stack of a waiting thread holds it */
};

struct sg_object_entry {
    uintptr_t object;    /* 0 = no entry */
    int32_t unexplained; /* references */
    uint32_t flags;
};

struct sg_object_table {
    struct sg_object_entry *entries; /* (capacity,), a power of two; owned */
    size_t n, capacity;
};

/* Room for `n` objects in all; false if memory runs out. Moves the entries. */
bool sg_object_table_reserve(struct sg_object_table *table, size_t n);
/* NULL = it is not there. */
struct sg_object_entry *sg_object_table_find(const struct sg_object_table *table,
                                             const void *object);
/* Add one that is not there; may move the entries. NULL if memory runs out. */
struct sg_object_entry *sg_object_table_add(struct sg_object_table *table, const void *object);
void sg_object_table_free(struct sg_object_table *table);

#endif
