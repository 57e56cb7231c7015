/* Hash table: look-up and growth. */
#include "platform/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include "platform/prefetch.h"

enum { FIRST_CAPACITY = 256 };

static uint64_t *entry_at(const struct sg_hash_table *table, size_t place) {
    return (uint64_t *)(void *)(table->entries + place * table->entry_bytes);
}

/* Return where the search for a key begins. */
static size_t place_of(const struct sg_hash_table *table, uint64_t key) {
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (table->capacity - 1);
}

/* Return the entry of a key, or the empty place for it. */
static uint64_t *look_up(const struct sg_hash_table *table, uint64_t key) {
    size_t mask = table->capacity - 1;
    size_t place = place_of(table, key);
    uint64_t *entry;
    while (*(entry = entry_at(table, place)) && *entry != key)
        place = (place + 1) & mask;
    return entry;
}

bool sg_hash_table_reserve(struct sg_hash_table *table, size_t n) {
    size_t capacity = table->capacity ? table->capacity : FIRST_CAPACITY;
    while (capacity < 2 * n)
        capacity *= 2;
    if (capacity == table->capacity)
        return true;
    struct sg_hash_table larger = {
        .entry_bytes = table->entry_bytes, .n = table->n, .capacity = capacity};
    larger.entries = calloc(capacity, table->entry_bytes);
    if (!larger.entries)
        return false;
    const uint64_t *entry;
    for (size_t place = 0; (entry = sg_hash_table_next(table, &place));)
        memcpy(look_up(&larger, *entry), entry, table->entry_bytes);
    free(table->entries);
    *table = larger;
    return true;
}

void *sg_hash_table_find(const struct sg_hash_table *table, uint64_t key) {
    uint64_t *entry = table->capacity && key ? look_up(table, key) : NULL;
    return entry && *entry ? entry : NULL;
}

void sg_hash_table_prefetch(const struct sg_hash_table *table, uint64_t key) {
    if (table->capacity)
        sg_prefetch(entry_at(table, place_of(table, key)), sizeof key);
}

void *sg_hash_table_add(struct sg_hash_table *table, uint64_t key) {
    uint64_t *entry = sg_hash_table_find(table, key);
    if (entry || !key || !sg_hash_table_reserve(table, table->n + 1))
        return entry;
    entry = look_up(table, key);
    *entry = key;
    table->n++;
    return entry;
}

void *sg_hash_table_next(const struct sg_hash_table *table, size_t *place) {
    while (*place < table->capacity) {
        uint64_t *entry = entry_at(table, (*place)++);
        if (*entry)
            return entry;
    }
    return NULL;
}

void sg_hash_table_free(struct sg_hash_table *table) {
    free(table->entries);
    *table = (struct sg_hash_table){.entry_bytes = table->entry_bytes};
}
