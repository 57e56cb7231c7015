/* Both hash tables, of blocks and of granules, use linear probing. The objects of a granule are a
 * doubly linked list.
 *
 *     address ──hash──▶ slot ──▶ row ◀──▶ row ◀──▶ row      the objects of one granule
 *                                 └─ free rows: a list, the last one freed first
 */
#include <stdlib.h>
#include <string.h>

#include "memory_blocks.h"
#include "seeded_hash.h"

enum { FIRST_SLOTS = 1024, ENTERED_AHEAD = 24 };

static inline uint32_t hash_of(const struct sg_blocks *blocks, unsigned space, uint64_t address) {
    return (uint32_t)sg_seeded_hash(blocks->seed, address + space);
}

static inline size_t granule_slot_of(const struct sg_blocks *blocks, uint64_t number) {
    return sg_seeded_hash(blocks->seed, number) & (blocks->n_granule_slots - 1);
}

int sg_blocks_init(struct sg_blocks *blocks, uint64_t seed) {
    memset(blocks, 0, sizeof *blocks);
    blocks->seed = seed;
    blocks->n_slots = blocks->n_granule_slots = FIRST_SLOTS;
    blocks->slots = calloc(FIRST_SLOTS, sizeof *blocks->slots);
    blocks->granule_slots = calloc(FIRST_SLOTS, sizeof *blocks->granule_slots);
    if (!blocks->slots || !blocks->granule_slots ||
        sg_reserve(&blocks->rows, 1, sizeof(struct sg_block)) < 0 ||
        sg_reserve(&blocks->granules, 1, sizeof(struct sg_granule)) < 0) {
        sg_blocks_free(blocks);
        return -1;
    }
    memset(blocks->rows.data, 0, sizeof(struct sg_block));
    memset(blocks->granules.data, 0, sizeof(struct sg_granule));
    blocks->rows.n = blocks->granules.n = 1;
    return 0;
}

void sg_blocks_free(struct sg_blocks *blocks) {
    free(blocks->slots);
    free(blocks->granule_slots);
    blocks->slots = NULL;
    blocks->granule_slots = NULL;
    sg_release(&blocks->rows);
    sg_release(&blocks->granules);
    sg_release(&blocks->dirty);
}

void sg_blocks_clear(struct sg_blocks *blocks) {
    memset(blocks->slots, 0, blocks->n_slots * sizeof *blocks->slots);
    blocks->rows.n = 1;
    blocks->free_row = 0;
    blocks->n_used = 0;
    memset(blocks->n_live, 0, sizeof blocks->n_live);
    memset(blocks->bytes, 0, sizeof blocks->bytes);
    blocks->n_start_live = blocks->start_bytes = 0;
    for (size_t i = 1; i < blocks->granules.n; i++) {
        struct sg_granule *granule = sg_granule_at(blocks, (uint32_t)i);
        granule->first = granule->n = 0;
        granule->bytes = 0;
        granule->is_dirty = 0;
    }
    blocks->dirty.n = 0;
}

uint32_t sg_blocks_find(const struct sg_blocks *blocks, unsigned space, uint64_t address) {
    uint32_t hash = hash_of(blocks, space, address);
    size_t mask = blocks->n_slots - 1;
    for (size_t slot = hash & mask; blocks->slots[slot]; slot = (slot + 1) & mask) {
        if ((uint32_t)blocks->slots[slot] != hash)
            continue;
        uint32_t row = (uint32_t)(blocks->slots[slot] >> 32);
        const struct sg_block *block = sg_block_at(blocks, row);
        if (block->address == address && block->space == space)
            return row;
    }
    return 0;
}

void sg_blocks_prefetch(const struct sg_blocks *blocks, unsigned space, uint64_t address) {
    __builtin_prefetch(&blocks->slots[hash_of(blocks, space, address) & (blocks->n_slots - 1)]);
}

void sg_blocks_prefetch_row(const struct sg_blocks *blocks, unsigned space, uint64_t address) {
    uint64_t slot = blocks->slots[hash_of(blocks, space, address) & (blocks->n_slots - 1)];
    __builtin_prefetch(sg_block_at(blocks, (uint32_t)(slot >> 32)));
}

uint32_t sg_blocks_granule(const struct sg_blocks *blocks, uint64_t number) {
    for (size_t slot = granule_slot_of(blocks, number);;
         slot = (slot + 1) & (blocks->n_granule_slots - 1)) {
        uint32_t index = blocks->granule_slots[slot];
        if (!index || sg_granule_at(blocks, index)->number == number)
            return index;
    }
}

static void enter_slot(uint64_t *slots, size_t n_slots, uint64_t item) {
    size_t slot = (uint32_t)item & (n_slots - 1);
    while (slots[slot])
        slot = (slot + 1) & (n_slots - 1);
    slots[slot] = item;
}

static int grow_slots(struct sg_blocks *blocks, size_t n_more) {
    size_t n_slots = blocks->n_slots;
    while ((blocks->n_used + n_more) * 2 > n_slots)
        n_slots *= 4;
    if (n_slots == blocks->n_slots)
        return 0;
    uint64_t *wider = n_slots <= UINT32_MAX ? calloc(n_slots, sizeof *wider) : NULL;
    if (!wider)
        return -1;
    for (size_t slot = 0; slot < blocks->n_slots; slot++)
        if (blocks->slots[slot])
            enter_slot(wider, n_slots, blocks->slots[slot]);
    free(blocks->slots);
    blocks->slots = wider;
    blocks->n_slots = n_slots;
    return 0;
}

static void enter_granule(struct sg_blocks *blocks, uint32_t index) {
    size_t slot = granule_slot_of(blocks, sg_granule_at(blocks, index)->number);
    while (blocks->granule_slots[slot])
        slot = (slot + 1) & (blocks->n_granule_slots - 1);
    blocks->granule_slots[slot] = index;
}

static uint32_t make_granule(struct sg_blocks *blocks, uint64_t number) {
    uint32_t index = sg_blocks_granule(blocks, number);
    if (index)
        return index;
    if (blocks->granules.n >= UINT32_MAX ||
        sg_reserve(&blocks->granules, 1, sizeof(struct sg_granule)) < 0)
        return 0;
    if (blocks->granules.n * 2 >= blocks->n_granule_slots) {
        uint32_t *wider = calloc(blocks->n_granule_slots * 4, sizeof *wider);
        if (!wider)
            return 0;
        free(blocks->granule_slots);
        blocks->granule_slots = wider;
        blocks->n_granule_slots *= 4;
        for (size_t i = 1; i < blocks->granules.n; i++)
            enter_granule(blocks, (uint32_t)i);
    }
    index = (uint32_t)blocks->granules.n++;
    *sg_granule_at(blocks, index) = (struct sg_granule){.number = number};
    enter_granule(blocks, index);
    return index;
}

void sg_blocks_touch(struct sg_blocks *blocks, uint32_t granule) {
    if (!granule)
        return;
    struct sg_granule *touched = sg_granule_at(blocks, granule);
    touched->n_changes++;
    if (touched->is_dirty || sg_reserve(&blocks->dirty, 1, sizeof granule) < 0)
        return; /* if memory is short, the map misses this change of the granule */
    touched->is_dirty = 1;
    ((uint32_t *)(void *)blocks->dirty.data)[blocks->dirty.n++] = granule;
}

int sg_blocks_count_start(struct sg_blocks *blocks, uint64_t address, uint64_t size, int sign) {
    if (blocks->is_listing) {
        uint32_t granule = make_granule(blocks, address >> SG_GRANULE_BITS);
        if (!granule)
            return -1;
        struct sg_granule *home = sg_granule_at(blocks, granule);
        home->n += sign < 0 ? -1u : 1u;
        home->bytes += sign < 0 ? -size : size;
        sg_blocks_touch(blocks, granule);
    }
    blocks->n_start_live += sign < 0 ? -(uint64_t)1 : 1;
    blocks->start_bytes += sign < 0 ? -size : size;
    return 0;
}

static void record_row(struct sg_changes *changes, struct sg_vector *rows, uint32_t row) {
    if (sg_push_i32(rows, (int32_t)row) < 0)
        changes->is_out_of_memory = 1;
}

static void record_removal(struct sg_changes *changes, const struct sg_block *block) {
    if (block->birth_event >= changes->first_event)
        return;
    if (sg_reserve(&changes->removed, 1, sizeof(struct sg_removed)) < 0) {
        changes->is_out_of_memory = 1;
        return;
    }
    ((struct sg_removed *)(void *)changes->removed.data)[changes->removed.n++] =
        (struct sg_removed){block->address, block->space};
}

void sg_blocks_change(struct sg_blocks *blocks, uint32_t row) {
    const struct sg_block *block = sg_block_at(blocks, row);
    if (blocks->changes && block->birth_event < blocks->changes->first_event)
        record_row(blocks->changes, &blocks->changes->changed, row);
    sg_blocks_touch(blocks, block->granule);
}

void sg_changes_free(struct sg_changes *changes) {
    sg_release(&changes->removed);
    sg_release(&changes->born);
    sg_release(&changes->changed);
}

uint32_t sg_blocks_add(struct sg_blocks *blocks, const struct sg_block *block) {
    uint32_t granule = 0;
    if (grow_slots(blocks, 1) < 0)
        return 0;
    if (blocks->is_listing && block->space == SG_SPACE_OBJECT) {
        granule = make_granule(blocks, block->address >> SG_GRANULE_BITS);
        if (!granule)
            return 0;
    }
    uint32_t row = blocks->free_row;
    if (row) {
        blocks->free_row = sg_block_at(blocks, row)->next;
    } else {
        if (blocks->rows.n >= UINT32_MAX ||
            sg_reserve(&blocks->rows, 1, sizeof(struct sg_block)) < 0)
            return 0;
        row = (uint32_t)blocks->rows.n++;
    }
    struct sg_block *added = sg_block_at(blocks, row);
    *added = *block;
    added->granule = granule;
    added->next = added->previous = 0;
    added->is_used = 1;
    if (granule) {
        struct sg_granule *home = sg_granule_at(blocks, granule);
        added->next = home->first;
        if (home->first)
            sg_block_at(blocks, home->first)->previous = row;
        home->first = row;
        home->n++;
        home->bytes += block->size <= 1u << SG_GRANULE_BITS ? block->size : 0;
        sg_blocks_touch(blocks, granule);
    }
    uint32_t hash = hash_of(blocks, block->space, block->address);
    enter_slot(blocks->slots, blocks->n_slots, (uint64_t)row << 32 | hash);
    if (blocks->changes)
        record_row(blocks->changes, &blocks->changes->born, row);
    blocks->n_used++;
    blocks->n_live[block->space]++;
    blocks->bytes[block->space] += block->size;
    return row;
}

uint32_t sg_blocks_reserve(struct sg_blocks *blocks, size_t n) {
    if (n > UINT32_MAX - blocks->rows.n || grow_slots(blocks, n) < 0 ||
        sg_reserve(&blocks->rows, n, sizeof(struct sg_block)) < 0)
        return 0;
    return (uint32_t)blocks->rows.n;
}

void sg_blocks_enter(struct sg_blocks *blocks, uint32_t first, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t row = first + (uint32_t)i;
        struct sg_block *block = sg_block_at(blocks, row);
        if (i + ENTERED_AHEAD < n)
            sg_blocks_prefetch(blocks, block[ENTERED_AHEAD].space, block[ENTERED_AHEAD].address);
        block->is_used = 1;
        block->granule = block->next = block->previous = 0;
        enter_slot(blocks->slots, blocks->n_slots,
                   (uint64_t)row << 32 | hash_of(blocks, block->space, block->address));
        blocks->n_live[block->space]++;
        blocks->bytes[block->space] += block->size;
    }
    blocks->rows.n += n;
    blocks->n_used += n;
}

/* Free the slot `gap` and move later items of the probe sequence back, so that no tombstones are
 * needed. */
static void leave_slot(struct sg_blocks *blocks, size_t gap) {
    size_t mask = blocks->n_slots - 1;
    for (size_t slot = (gap + 1) & mask; blocks->slots[slot]; slot = (slot + 1) & mask) {
        size_t home = (uint32_t)blocks->slots[slot] & mask;
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            blocks->slots[gap] = blocks->slots[slot];
            gap = slot;
        }
    }
    blocks->slots[gap] = 0;
}

void sg_blocks_remove(struct sg_blocks *blocks, uint32_t row) {
    struct sg_block *block = sg_block_at(blocks, row);
    if (blocks->changes)
        record_removal(blocks->changes, block);
    uint32_t hash = hash_of(blocks, block->space, block->address);
    size_t slot = hash & (blocks->n_slots - 1);
    while ((uint32_t)(blocks->slots[slot] >> 32) != row)
        slot = (slot + 1) & (blocks->n_slots - 1);
    leave_slot(blocks, slot);
    if (block->granule) {
        struct sg_granule *home = sg_granule_at(blocks, block->granule);
        if (block->previous)
            sg_block_at(blocks, block->previous)->next = block->next;
        else
            home->first = block->next;
        if (block->next)
            sg_block_at(blocks, block->next)->previous = block->previous;
        home->n--;
        home->bytes -= block->size <= 1u << SG_GRANULE_BITS ? block->size : 0;
        sg_blocks_touch(blocks, block->granule);
    }
    blocks->n_used--;
    blocks->n_live[block->space]--;
    blocks->bytes[block->space] -= block->size;
    block->is_used = 0;
    block->next = blocks->free_row;
    blocks->free_row = row;
}
