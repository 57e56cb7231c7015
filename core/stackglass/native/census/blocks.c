/* A hash table from the address of a sampled block to its type. Other blocks are not entered: the
 * heap profile says whether an address is sampled, and for nearly all addresses a bit of its bitmap
 * filter (heap/blocks.h) suffices. */
#include "census/blocks.h"

#include "heap/reader.h"
#include "objects/types.h"

struct block {
    uintptr_t address;
    uint32_t type; /* row of the census's types */
};

void sg_census_blocks_prepare(struct sg_hash_table *blocks, uint64_t n) {
    *blocks = (struct sg_hash_table){.entry_bytes = sizeof(struct block)};
    sg_hash_table_reserve(blocks, 2 * n);
}

void sg_census_blocks_see(struct sg_hash_table *blocks, uintptr_t address, uint32_t type) {
    if (type == SG_NO_TYPE || !sg_heap_reader_is_sampled((const void *)address))
        return;
    struct block *block = sg_hash_table_add(blocks, address);
    if (block) /* if memory is short, the block's type stays unknown */
        block->type = type;
}

uint32_t sg_census_blocks_type(const struct sg_hash_table *blocks, uintptr_t address) {
    const struct block *block = sg_hash_table_find(blocks, address);
    return block ? block->type : SG_NO_TYPE;
}
