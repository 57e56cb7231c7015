/* At most half of the slots are in use; collisions go to the next free slot. */
#include <stdlib.h>
#include <string.h>

#include "memory_table.h"
#include "seeded_hash.h"

enum { FIRST_SLOTS = 1024 };

static size_t hash_pair(const struct sg_table *table, uint32_t first, uint32_t second) {
    return sg_seeded_hash(table->seed, (uint64_t)first << 32 | second);
}

static uint32_t *key_at(const struct sg_table *table, size_t position) {
    return (uint32_t *)(void *)(table->items.data + position * table->width);
}

static int grow(struct sg_table *table) {
    if (table->slots && table->items.n * 2 < table->n_slots)
        return 0;
    size_t n_slots = table->slots ? table->n_slots * 4 : FIRST_SLOTS;
    uint32_t *wider = calloc(n_slots, sizeof *wider);
    if (!wider)
        return -1;
    for (size_t i = 0; i < table->items.n; i++) {
        const uint32_t *key = key_at(table, i);
        size_t slot = hash_pair(table, key[0], key[1]) & (n_slots - 1);
        while (wider[slot])
            slot = (slot + 1) & (n_slots - 1);
        wider[slot] = (uint32_t)(i + 1);
    }
    free(table->slots);
    table->slots = wider;
    table->n_slots = n_slots;
    return 0;
}

void *sg_table_find(struct sg_table *table, uint32_t first, uint32_t second) {
    if (grow(table) < 0)
        return NULL;
    size_t slot = hash_pair(table, first, second) & (table->n_slots - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->n_slots - 1)) {
        uint32_t *key = key_at(table, table->slots[slot] - 1);
        if (key[0] == first && key[1] == second)
            return key;
    }
    if (table->items.n >= UINT32_MAX - 1 || sg_reserve(&table->items, 1, table->width) < 0)
        return NULL;
    uint32_t *key = key_at(table, table->items.n++);
    memset(key, 0, table->width);
    key[0] = first;
    key[1] = second;
    table->slots[slot] = (uint32_t)table->items.n;
    return key;
}

void sg_table_free(struct sg_table *table) {
    free(table->slots);
    table->slots = NULL;
    sg_release(&table->items);
}
