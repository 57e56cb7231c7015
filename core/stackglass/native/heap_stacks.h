/* Each stack of the heap profiler once, in pages of our own. A stack never moves.
 *
 * Guarded by the ledger's claim; a stack's frames are constant, so reading them needs none. */
#ifndef STACKGLASS_HEAP_STACKS_H
#define STACKGLASS_HEAP_STACKS_H

#include <stdint.h>

#include "code_ids.h"

struct sg_heap_stack {
    uint64_t hash;
    uint32_t depth;
    uint32_t unused;
    struct sg_frame frames[]; /* (depth,), leaf first */
};

uint64_t sg_heap_stack_hash(const struct sg_frame *frames, uint32_t depth);
/* The stack, kept from now on; NULL if there is no room. `hash` is its own. */
const struct sg_heap_stack *sg_heap_stacks_intern(uint64_t hash, const struct sg_frame *frames,
                                                  uint32_t depth);

uint32_t sg_heap_stacks_count(void); /* any thread, no claim */
uint64_t sg_heap_stacks_bytes(void); /* likewise */
void sg_heap_stacks_discard(void);

#endif
