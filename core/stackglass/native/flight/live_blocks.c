/* Live blocks: linear probing, with the gap closed at each removal. */
#include "flight/live_blocks.h"

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

/* Return the row of a site, added if it is new, or UINT32_MAX if there is no memory. */
static uint32_t find_site(struct sg_live_blocks *blocks, const struct sg_live_site *site) {
    uint64_t rest = (uint64_t)site->tid << 9 | (uint64_t)site->domain << 1 | site->is_recycled;
    uint32_t hash = (uint32_t)sg_hash_index_mix((uint64_t)site->stack << 32 | site->type, rest);
    const struct wanted wanted = {blocks, site};
    uint32_t number = sg_hash_index_find(&blocks->site_index, hash, is_equal, &wanted);
    if (number != UINT32_MAX)
        return number;
    if (!sg_hash_index_reserve(&blocks->site_index) || !SG_ROWS_ADD(&blocks->sites, *site))
        return UINT32_MAX;
    number = (uint32_t)blocks->sites.n - 1;
    sg_hash_index_put(&blocks->site_index, hash, number);
    return number;
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
