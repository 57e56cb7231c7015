/* The hash table of sampled blocks and their types: see blocks.h. */
#include "census/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "heap/reader.h"
#include "objects/types.h"

enum { FIRST_CAPACITY = 256 };

static size_t place_of(const struct sg_typed_block *at, size_t capacity, uintptr_t address) {
    size_t place = (size_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (capacity - 1);
    while (at[place].address && at[place].address != address)
        place = (place + 1) & (capacity - 1);
    return place;
}

static void grow(struct sg_census_blocks *blocks, size_t capacity) {
    struct sg_typed_block *at = calloc(capacity, sizeof *at);
    if (!at)
        return;
    for (size_t i = 0; i < blocks->capacity; i++)
        if (blocks->at[i].address)
            at[place_of(at, capacity, blocks->at[i].address)] = blocks->at[i];
    free(blocks->at);
    blocks->at = at;
    blocks->capacity = capacity;
}

void sg_census_blocks_prepare(struct sg_census_blocks *blocks, uint64_t n) {
    size_t capacity = FIRST_CAPACITY;
    while (capacity < 4 * n)
        capacity *= 2;
    grow(blocks, capacity);
}

void sg_census_blocks_see(struct sg_census_blocks *blocks, uintptr_t address, uint32_t type) {
    if (type == SG_NO_TYPE || !sg_heap_reader_is_sampled((const void *)address))
        return;
    if (2 * blocks->n >= blocks->capacity)
        grow(blocks, blocks->capacity ? 2 * blocks->capacity : FIRST_CAPACITY);
    if (2 * blocks->n >= blocks->capacity)
        return; /* no memory: its type stays unknown */
    struct sg_typed_block *block = &blocks->at[place_of(blocks->at, blocks->capacity, address)];
    blocks->n += !block->address;
    *block = (struct sg_typed_block){address, type};
}

uint32_t sg_census_blocks_type(const struct sg_census_blocks *blocks, uintptr_t address) {
    if (!blocks->capacity)
        return SG_NO_TYPE;
    const struct sg_typed_block *block =
        &blocks->at[place_of(blocks->at, blocks->capacity, address)];
    return block->address ? block->type : SG_NO_TYPE;
}

void sg_census_blocks_clear(struct sg_census_blocks *blocks) {
    free(blocks->at);
    memset(blocks, 0, sizeof *blocks);
}
