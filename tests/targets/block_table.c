/* The table of the live blocks of a memory trace, as a library: how close together keys get. */
#include "column.c"
#include "memory_blocks.c"

#define EXPORT __attribute__((visibility("default")))

/* Return the most slots in use one after another once `n` blocks are in the table; -1 = memory is
 * short. */
EXPORT long longest_run(uint64_t seed, const uint64_t *addresses, size_t n) {
    struct sg_blocks blocks;
    if (sg_blocks_init(&blocks, seed) < 0)
        return -1;
    long longest = 0, run = 0;
    for (size_t i = 0; i < n && longest == 0; i++) {
        struct sg_block block = {.address = addresses[i], .size = 16, .space = SG_SPACE_OBJECT};
        if (!sg_blocks_add(&blocks, &block))
            longest = -1;
    }
    for (size_t slot = 0; slot < blocks.n_slots && longest >= 0; slot++) {
        run = blocks.slots[slot] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    sg_blocks_free(&blocks);
    return longest;
}
