/* The heap's tree of stacks, and the walk (frames/stack_memo.h) that adds a thread's stack to it.
 * Guarded by the ledger's claim, as frames/stack_tree.h says. */
#ifndef STACKGLASS_HEAP_STACKS_H
#define STACKGLASS_HEAP_STACKS_H

#include <stdint.h>

#include "frames/stack_tree.h"

extern struct sg_stack_tree sg_heap_stacks;

/* The node of the stack of `thread`, the calling thread's own state; NULL = <no Python thread>. */
uint32_t sg_heap_stacks_walk(const void *thread);
void sg_heap_stacks_discard(void);

uint64_t sg_heap_stacks_bad_walks(void); /* that met memory that is no frame; any thread */

#endif
