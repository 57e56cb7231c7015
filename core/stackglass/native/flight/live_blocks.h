/* Live blocks: the blocks that are live at the beginning of a flight recorder's window, by address.
 * The table uses open addressing; a slot has 24 bytes, and the table 30 to 45 bytes for each block.
 * There are no more sites than slots. One thread at a time may use it. */
#ifndef STACKGLASS_FLIGHT_LIVE_BLOCKS_H
#define STACKGLASS_FLIGHT_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/hash_index.h"
#include "platform/vector.h"

/* Largest address that a key has room for; the kernel gives a process none above 2⁵⁶. */
#define SG_LIVE_MOST_ADDRESS (UINT64_MAX >> 2)

/* Blocks of different spaces may begin at one address. */
enum sg_live_space { SG_LIVE_OBJECT, SG_LIVE_SPAN, SG_LIVE_STACK };

/* Attributes that many blocks have in common. */
struct sg_live_site {
    uint32_t stack, type, tid;
    uint8_t domain;
    bool is_recycled; /* its memory holds another object than the one that was allocated */
};

struct sg_live_block {
    uint64_t key; /* address and space; 0 = a free slot */
    uint64_t size;
    uint32_t site;  /* row of `sites` */
    uint32_t birth; /* number of the event block with its allocation */
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

/* Free the tables, and make the set empty. A set that is all zero is empty. */
void sg_live_blocks_discard(struct sg_live_blocks *blocks);
/* Return the block at `address`, or NULL if there is none. It is valid until the next change. */
struct sg_live_block *sg_live_blocks_find(const struct sg_live_blocks *blocks,
                                          enum sg_live_space space, uint64_t address);
/* Add a block, or replace the one at the same address, which is not 0 and at most
 * SG_LIVE_MOST_ADDRESS. Returns false if there is no memory. */
bool sg_live_blocks_put(struct sg_live_blocks *blocks, enum sg_live_space space, uint64_t address,
                        uint64_t size, uint32_t birth, const struct sg_live_site *site);
/* Give a block another site. Returns false if there is no memory. */
bool sg_live_blocks_move(struct sg_live_blocks *blocks, struct sg_live_block *block,
                         const struct sg_live_site *site);
void sg_live_blocks_remove(struct sg_live_blocks *blocks, struct sg_live_block *block);

#endif
