/* Pools of the interpreter's small-object allocator: which blocks exist now.
 *
 *     arena, 1 MiB (3.9: 256 KiB)
 *     │ pool, 16 KiB (3.9: 4 KiB) │ pool │ …      a pool has blocks of one size class
 *     │ head │ block │ block │ free ─▶ free ─▶ … │ never used │
 *
 * The allocator's tables are not exported, and stripped binaries do not name them. They are found
 * from a block: its pool is in a list of pools of its size class, whose head is a place in the
 * table of size classes. From 3.12 on the array of arenas follows that table. Up to 3.11 it is a
 * variable beside it: a pointer to an array in which the arenas of known pools are where their
 * heads say.
 *
 * Caller holds the GIL, and nothing is allocated between two calls. */
#ifndef STACKGLASS_TRACE_POOLS_H
#define STACKGLASS_TRACE_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_POOL_HEAD_BYTES = 48, SG_MOST_POOL_BLOCKS = 1024 };

struct sg_pools {
    uint32_t pool_bytes, arena_bytes;
    uintptr_t arenas;     /* the array; 0 = not found */
    uintptr_t arenas_at;  /* the pointer to it, which changes when the array grows */
    uint32_t n_arenas;    /* places in it */
    uint32_t front_bytes; /* of a pool's block, before what the program gets: with
                           * PYTHONMALLOC=debug; behind it are half as many, of a known pattern */
};

struct sg_arena {
    uintptr_t start;
    size_t bytes;
};

/* A pool in use. */
struct sg_pool {
    uintptr_t address;
    uint32_t block_bytes;
    uint32_t n_blocks; /* places of blocks that were ever used */
    uint32_t n_live;
    uint64_t free[SG_MOST_POOL_BLOCKS / 64]; /* a bit for each of them */
};

/* Blocks of a pool that were ever used, one after the other. */
struct sg_pool_blocks {
    uintptr_t first, end;
    uint32_t block_bytes;
};

static inline uintptr_t sg_pool_block(const struct sg_pool *pool, uint32_t i) {
    return pool->address + SG_POOL_HEAD_BYTES + (uintptr_t)i * pool->block_bytes;
}

/* Find the arenas of the calling thread's interpreter. NULL, or one sentence that says why they
 * are not found; the sizes are known all the same. Allocates blocks, and frees them. */
const char *sg_pools_find(struct sg_pools *pools);

typedef void sg_arena_fn(void *context, const struct sg_arena *arena);
typedef void sg_pool_fn(void *context, const struct sg_pool *pool);
/* All arenas, and all pools in use. False if a pool contradicts itself: then what was delivered is
 * not to be used. */
bool sg_pools_walk(const struct sg_pools *pools, sg_arena_fn *see_arena, sg_pool_fn *see_pool,
                   void *context);

/* Where the blocks of the pool that an address lies in are; the address may be any. False = it lies
 * in none. The array may have grown: refresh, once in a while. */
bool sg_pools_find_blocks(const struct sg_pools *pools, uintptr_t address,
                          struct sg_pool_blocks *found);
void sg_pools_refresh(struct sg_pools *pools);

#endif
