/* Live blocks: what lives at the beginning of a flight recorder's window, by address. Open
 * addressing with 24 bytes a slot, 36 to 48 bytes a block. One thread. */
#ifndef STACKGLASS_FLIGHT_LIVE_BLOCKS_H
#define STACKGLASS_FLIGHT_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_index.h"
#include "platform/vector.h"

/* Blocks of different spaces may begin at one address. */
enum sg_live_space { SG_LIVE_OBJECT, SG_LIVE_SPAN, SG_LIVE_STACK };

/* What many blocks have in common. */
struct sg_live_site {
    uint32_t stack, type, tid;
    uint8_t domain;
    bool is_recycled; /* its memory holds another object than the one that was allocated */
};

struct sg_live_block {
    uint64_t key; /* address and space; 0 = a free slot */
    uint64_t size;
    uint32_t site;  /* row of `sites` */
    uint32_t birth; /* number of the event block that it came with */
};

struct sg_live_blocks {
    struct sg_live_block *slots; /* (n_slots,) in mapped pages */
    uint64_t n_slots, n;
    struct sites SG_ROWS_OF(struct sg_live_site) sites;
    struct sg_hash_index site_index;
};

static inline uint64_t sg_live_blocks_address(const struct sg_live_block *block) {
    return block->key >> 2;
}

static inline enum sg_live_space sg_live_blocks_space(const struct sg_live_block *block) {
    return (enum sg_live_space)(block->key & 3);
}

/* All zero = empty. */
void sg_live_blocks_discard(struct sg_live_blocks *blocks);
/* NULL if there is none. Valid until the next change. */
struct sg_live_block *sg_live_blocks_find(const struct sg_live_blocks *blocks,
                                          enum sg_live_space space, uint64_t address);
/* Put a block where `address` is not 0; one that is there is replaced. False if there is no
 * memory. */
bool sg_live_blocks_put(struct sg_live_blocks *blocks, enum sg_live_space space, uint64_t address,
                        uint64_t size, uint32_t birth, const struct sg_live_site *site);
/* Give a block another site. False if there is no memory. */
bool sg_live_blocks_move(struct sg_live_blocks *blocks, struct sg_live_block *block,
                         const struct sg_live_site *site);
void sg_live_blocks_remove(struct sg_live_blocks *blocks, struct sg_live_block *block);

#endif
