/* Live blocks: linear probing, with the gap closed at each removal.
 *
 * A site stays when its last block has been removed, until there are as many sites as slots. Then
 * those without a block are dropped: a program that starts threads all the time makes new sites all
 * the time. */
#include "flight/live_blocks.h"

#include <stdlib.h>

#include "platform/memory.h"

/* A table that is four fifths full grows by half. */
enum { FIRST_SLOTS = 1 << 12, MOST_FULL = 4, OF = 5 };

/* Return the slot where the search for a key begins. */
static uint64_t find_home(const struct sg_live_blocks *blocks, uint64_t key) {
    return (sg_hash_index_mix(key, 0) & UINT32_MAX) * blocks->n_slots >> 32;
}

static uint64_t next_of(const struct sg_live_blocks *blocks, uint64_t at) {
    return at + 1 == blocks->n_slots ? 0 : at + 1;
}

/* Return the slot of a key, or the free slot where it goes. */
static struct sg_live_block *find_slot(const struct sg_live_blocks *blocks, uint64_t key) {
    uint64_t at = find_home(blocks, key);
    while (blocks->slots[at].key && blocks->slots[at].key != key)
        at = next_of(blocks, at);
    return &blocks->slots[at];
}

static uint64_t make_key(enum sg_live_space space, uint64_t address) {
    return address << 2 | space;
}

static bool make_room(struct sg_live_blocks *blocks) {
    struct sg_live_blocks wider = *blocks;
    if (blocks->n_slots && blocks->n < blocks->n_slots / OF * MOST_FULL)
        return true;
    wider.n_slots = blocks->n_slots ? blocks->n_slots / 2 * 3 : FIRST_SLOTS;
    if (wider.n_slots > UINT32_MAX)
        return false;
    wider.slots = sg_memory_map(wider.n_slots * sizeof *wider.slots);
    if (!wider.slots)
        return false;
    for (uint64_t i = 0; i < blocks->n_slots; i++)
        if (blocks->slots[i].key)
            *find_slot(&wider, blocks->slots[i].key) = blocks->slots[i];
    if (blocks->slots)
        sg_memory_unmap(blocks->slots, blocks->n_slots * sizeof *blocks->slots);
    *blocks = wider;
    return true;
}

void sg_live_blocks_discard(struct sg_live_blocks *blocks) {
    if (blocks->slots)
        sg_memory_unmap(blocks->slots, blocks->n_slots * sizeof *blocks->slots);
    SG_ROWS_FREE(&blocks->sites);
    sg_hash_index_discard(&blocks->site_index);
    *blocks = (struct sg_live_blocks){0};
}

struct sg_live_block *sg_live_blocks_find(const struct sg_live_blocks *blocks,
                                          enum sg_live_space space, uint64_t address) {
    if (!blocks->n_slots || !address || address > SG_LIVE_MOST_ADDRESS)
        return NULL;
    struct sg_live_block *slot = find_slot(blocks, make_key(space, address));
    return slot->key ? slot : NULL;
}

/* ---- Sites ---- */

struct wanted {
    const struct sg_live_blocks *blocks;
    const struct sg_live_site *site;
};

static bool is_equal(uint32_t number, const void *key) {
    const struct wanted *wanted = key;
    const struct sg_live_site *one = &wanted->blocks->sites.at[number], *other = wanted->site;
    return one->stack == other->stack && one->type == other->type && one->tid == other->tid &&
           one->domain == other->domain && one->is_recycled == other->is_recycled;
}

static uint32_t hash_of(const struct sg_live_site *site) {
    uint64_t rest = (uint64_t)site->tid << 9 | (uint64_t)site->domain << 1 | site->is_recycled;
    return (uint32_t)sg_hash_index_mix((uint64_t)site->stack << 32 | site->type, rest);
}

/* Add a site that is not there. Returns its row, or UINT32_MAX if there is no memory. */
static uint32_t add_site(struct sites *sites, struct sg_hash_index *index,
                         const struct sg_live_site *site) {
    if (!sg_hash_index_reserve(index) || !SG_ROWS_ADD(sites, *site))
        return UINT32_MAX;
    uint32_t number = (uint32_t)sites->n - 1;
    sg_hash_index_put(index, hash_of(site), number);
    return number;
}

/* Drop the sites without a block. If there is no memory for that, all of them stay. */
static void drop_sites(struct sg_live_blocks *blocks) {
    struct sites kept = {0};
    struct sg_hash_index index = {0};
    uint32_t *rows = calloc(blocks->sites.n, sizeof *rows); /* new row + 1; 0 = none yet */
    bool has_memory = rows != NULL;
    for (uint64_t i = 0; has_memory && i < blocks->n_slots; i++) {
        uint32_t row = blocks->slots[i].site;
        if (blocks->slots[i].key && !rows[row])
            has_memory = (rows[row] = add_site(&kept, &index, &blocks->sites.at[row]) + 1) != 0;
    }
    for (uint64_t i = 0; has_memory && i < blocks->n_slots; i++)
        if (blocks->slots[i].key)
            blocks->slots[i].site = rows[blocks->slots[i].site] - 1;
    free(rows);
    SG_ROWS_FREE(has_memory ? &blocks->sites : &kept);
    sg_hash_index_discard(has_memory ? &blocks->site_index : &index);
    if (has_memory) {
        blocks->sites = kept;
        blocks->site_index = index;
    }
}

/* Return the row of a site, added if it is new, or UINT32_MAX if there is no memory. */
static uint32_t find_site(struct sg_live_blocks *blocks, const struct sg_live_site *site) {
    const struct wanted wanted = {blocks, site};
    uint32_t number = sg_hash_index_find(&blocks->site_index, hash_of(site), is_equal, &wanted);
    if (number != UINT32_MAX)
        return number;
    if (blocks->n_slots && blocks->sites.n >= blocks->n_slots)
        drop_sites(blocks);
    return add_site(&blocks->sites, &blocks->site_index, site);
}

/* ---- Changes ---- */

bool sg_live_blocks_put(struct sg_live_blocks *blocks, enum sg_live_space space, uint64_t address,
                        uint64_t size, uint32_t birth, const struct sg_live_site *site) {
    uint32_t row = find_site(blocks, site);
    if (row == UINT32_MAX || !make_room(blocks))
        return false;
    struct sg_live_block *slot = find_slot(blocks, make_key(space, address));
    blocks->n += !slot->key;
    *slot = (struct sg_live_block){make_key(space, address), size, row, birth};
    return true;
}

bool sg_live_blocks_move(struct sg_live_blocks *blocks, struct sg_live_block *block,
                         const struct sg_live_site *site) {
    uint32_t row = find_site(blocks, site);
    if (row == UINT32_MAX)
        return false;
    block->site = row;
    return true;
}

void sg_live_blocks_remove(struct sg_live_blocks *blocks, struct sg_live_block *block) {
    uint64_t gap = (uint64_t)(block - blocks->slots);
    for (uint64_t at = next_of(blocks, gap); blocks->slots[at].key; at = next_of(blocks, at)) {
        uint64_t home = find_home(blocks, blocks->slots[at].key);
        /* A block whose home is the gap, or before it, would not be found behind a free slot. */
        bool is_between = gap < at ? gap < home && home <= at : gap < home || home <= at;
        if (is_between)
            continue;
        blocks->slots[gap] = blocks->slots[at];
        gap = at;
    }
    blocks->slots[gap].key = 0;
    blocks->n--;
}
