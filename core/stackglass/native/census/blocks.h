/* Which sampled blocks have been proven to be an object's, and of what type.
 *
 * A block that was sampled may be anything, so none is ever looked into. It is found from the other
 * side: an object that the collector lists, or that a listed one refers to, is where it is, and so
 * is its block, and the table that a list, dict or set owns. One thread at a time; no GIL. */
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

/* Room for so many, so that no slice has to move them all. */
void sg_census_blocks_prepare(struct sg_census_blocks *blocks, uint64_t n);
/* A block of an object is where it is: remember its type if it is sampled. */
void sg_census_blocks_see(struct sg_census_blocks *blocks, uintptr_t address, uint32_t type);
/* SG_NO_TYPE = it has not been found. */
uint32_t sg_census_blocks_type(const struct sg_census_blocks *blocks, uintptr_t address);
void sg_census_blocks_clear(struct sg_census_blocks *blocks);

#endif
