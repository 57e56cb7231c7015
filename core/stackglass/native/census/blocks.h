/* Types of sampled blocks: which block belongs to an object, and of what type.
 *
 * A sampled block may hold anything, so it is never read. Its type comes from the objects: each
 * object that the collector lists, or that a listed one refers to, identifies its own block and, if
 * it is a list, dict or set, the block of its table. One thread at a time may use a table. None of
 * the functions needs the GIL. */
#ifndef STACKGLASS_CENSUS_BLOCKS_H
#define STACKGLASS_CENSUS_BLOCKS_H

#include <stdint.h>

#include "platform/hash_table.h"

/* Empty the table, and make room for `n` blocks and as many more, so that slices seldom grow it. If
 * memory is short, the table grows later, or the types of some blocks stay unknown. */
void sg_census_blocks_prepare(struct sg_hash_table *blocks, uint64_t n);
/* An object of `type` has the block at `address`: store the type if the block is sampled. */
void sg_census_blocks_see(struct sg_hash_table *blocks, uintptr_t address, uint32_t type);
/* Return the type of the block at `address`, or SG_NO_TYPE if it is not in the table. */
uint32_t sg_census_blocks_type(const struct sg_hash_table *blocks, uintptr_t address);

#endif
