/* Pools of pymalloc, the interpreter's small-object allocator: which blocks exist now.
 *
 *     arena, 1 MiB (3.9: 256 KiB)
 *     │ pool, 16 KiB (3.9: 4 KiB) │ pool │ …      a pool has blocks of one size class
 *     │ head │ block │ block │ free ─▶ free ─▶ … │ never used │
 *
 * No symbol of the allocator's tables is exported, and stripped binaries do not have any. The
 * tables are found from a block: its pool is in a list of pools of its size class, and the head of
 * that list is an entry of the table of size classes (usedpools). From 3.12 on the array of arenas
 * follows that table. Up to 3.11 a variable near the table points to the array; the search
 * recognises it because the arenas of known pools are at the indices that the pools' heads give.
 *
 * The caller holds the GIL, and allocates nothing between two calls. */
#ifndef STACKGLASS_TRACE_POOLS_H
#define STACKGLASS_TRACE_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_POOL_HEAD_BYTES = 48, SG_MOST_POOL_BLOCKS = 1024 };

struct sg_pools {
    uint32_t pool_bytes, arena_bytes;
    uintptr_t arenas; /* address of the array; 0 = not found */
    /* address of the pointer to the array, which changes when the array grows */
    uintptr_t arenas_at;
    uint32_t n_arenas; /* entries of the array */
    /* bytes in front of the program's part of a block, with PYTHONMALLOC=debug; half as many, of a
     * known pattern, are behind it */
    uint32_t front_bytes;
};

struct sg_arena {
    uintptr_t start;
    size_t bytes;
};

/* A pool in use. */
struct sg_pool {
    uintptr_t address;
    uint32_t block_bytes;
    uint32_t n_blocks; /* blocks that were ever used */
    uint32_t n_live;
    uint64_t free[SG_MOST_POOL_BLOCKS / 64]; /* a bit for each such block: 1 = free */
};

/* The range of a pool's blocks that were ever used. */
struct sg_pool_blocks {
    uintptr_t first, end;
    uint32_t block_bytes;
};

static inline uintptr_t sg_pool_block(const struct sg_pool *pool, uint32_t i) {
    return pool->address + SG_POOL_HEAD_BYTES + (uintptr_t)i * pool->block_bytes;
}

/* Find the arenas of the calling thread's interpreter; sg_interpreter_image_find has been called.
 * Returns NULL, or a sentence that says why they were not found; the sizes are set in any case.
 * Allocates blocks, and frees them. */
const char *sg_pools_find(struct sg_pools *pools);

typedef void sg_arena_fn(void *context, const struct sg_arena *arena);
typedef void sg_pool_fn(void *context, const struct sg_pool *pool);
/* Visit all arenas and all pools in use. Returns false if a pool contradicts itself: then what was
 * delivered must not be used. */
bool sg_pools_walk(const struct sg_pools *pools, sg_arena_fn *see_arena, sg_pool_fn *see_pool,
                   void *context);

/* Find the blocks of the pool that contains `address`, which may be any address. Returns false if
 * no pool contains it. Counts the array's entries again if it has grown where it is. */
bool sg_pools_find_blocks(struct sg_pools *pools, uintptr_t address, struct sg_pool_blocks *found);
/* Find the array again, which may have moved as it grew. Called before sg_pools_find_blocks in each
 * hold of the GIL. */
void sg_pools_refresh(struct sg_pools *pools);

#endif
