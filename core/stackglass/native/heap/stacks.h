/* Heap stacks: the heap's stack tree, and the walk (frames/stack_memo.h) that adds a thread's stack
 * to it. The ledger's claim (ledger.h) guards tree and walk, as frames/stack_tree.h says. */
#ifndef STACKGLASS_HEAP_STACKS_H
#define STACKGLASS_HEAP_STACKS_H

#include <stdint.h>

#include "frames/stack_tree.h"

extern struct sg_stack_tree sg_heap_stacks;

/* Return the node of the stack of `thread`, the calling thread's own PyThreadState. NULL gives the
 * node of <no Python thread>. Returns SG_STACK_LOST if there is no room. */
uint32_t sg_heap_stacks_walk(const void *thread);
void sg_heap_stacks_discard(void);

/* Return how many frames were left out of stacks, because they had no live code object or no valid
 * instruction. Any thread. */
uint64_t sg_heap_stacks_bad_walks(void);

#endif
