/* Types of sampled blocks: which block belongs to an object, and of what type.
 *
 * A sampled block may hold anything, so it is never read. Its type comes from the objects: each
 * object that the collector lists, or that a listed one refers to, identifies its own block and, of
 * a list, dict or set, the block of its table. One thread at a time; no GIL. */
#ifndef STACKGLASS_CENSUS_BLOCKS_H
#define STACKGLASS_CENSUS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct sg_census_blocks {
    struct sg_typed_block {
        uintptr_t address; /* 0 = an empty place */
        uint32_t type;     /* row of the census's types */
    } * at;                /* (capacity,): by hash; owned */
    size_t n, capacity;
};

/* Make room for so many, so that no slice has to grow the table. */
void sg_census_blocks_prepare(struct sg_census_blocks *blocks, uint64_t n);
/* An object of `type` has the block at `address`: store the type if the block is sampled. */
void sg_census_blocks_see(struct sg_census_blocks *blocks, uintptr_t address, uint32_t type);
/* SG_NO_TYPE = it has not been found. */
uint32_t sg_census_blocks_type(const struct sg_census_blocks *blocks, uintptr_t address);
void sg_census_blocks_clear(struct sg_census_blocks *blocks);

#endif
