/* The hash table of objects: see object_table.h. */
#include "leaks/object_table.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

static size_t place_of(const struct sg_object_table *table, uintptr_t object) {
    size_t mask = table->capacity - 1;
    size_t at = (size_t)((object >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & mask;
    while (table->entries[at].object && table->entries[at].object != object)
        at = (at + 1) & mask;
    return at;
}

bool sg_object_table_reserve(struct sg_object_table *table, size_t n) {
    size_t capacity = table->capacity ? table->capacity : FIRST_CAPACITY;
    while (capacity < 2 * n)
        capacity *= 2;
    if (capacity == table->capacity)
        return true;
    struct sg_object_table larger = {.n = table->n, .capacity = capacity};
    larger.entries = calloc(capacity, sizeof *larger.entries);
    if (!larger.entries)
        return false;
    for (size_t at = 0; at < table->capacity; at++) {
        if (table->entries[at].object)
            larger.entries[place_of(&larger, table->entries[at].object)] = table->entries[at];
    }
    free(table->entries);
    *table = larger;
    return true;
}

struct sg_object_entry *sg_object_table_find(const struct sg_object_table *table,
                                             const void *object) {
    struct sg_object_entry *entry =
        table->capacity && object ? &table->entries[place_of(table, (uintptr_t)object)] : NULL;
    return entry && entry->object ? entry : NULL;
}

struct sg_object_entry *sg_object_table_add(struct sg_object_table *table, const void *object) {
    if (!sg_object_table_reserve(table, table->n + 1))
        return NULL;
    struct sg_object_entry *entry = &table->entries[place_of(table, (uintptr_t)object)];
    *entry = (struct sg_object_entry){.object = (uintptr_t)object};
    table->n++;
    return entry;
}

void sg_object_table_free(struct sg_object_table *table) {
    free(table->entries);
    *table = (struct sg_object_table){0};
}
