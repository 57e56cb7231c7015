/* A thread's stack as a node of the tree of stacks, at the price of what has changed since the last
 * time.
 *
 *     known, root first: │ main:12 │ serve:80 │ handle:31 │ parse:7 │
 *     now, leaf first:   │ parse:9 │ handle:31 = │ serve:80 = │ main:12 = │
 *                          new       the same frame, code and instruction each: known up to here
 *
 * Every frame is looked at (one below another may have gone on and called the same again), but only
 * the new ones are identified and looked up. With the ledger's claim. */
#ifndef STACKGLASS_HEAP_STACK_WALK_H
#define STACKGLASS_HEAP_STACK_WALK_H

#include <stdint.h>

/* The stack of a thread state that is the calling thread's own, or NULL: <no Python thread>. */
uint32_t sg_heap_stack_walk_stack(const void *thread);
/* Forget the last one. */
void sg_heap_stack_walk_forget(void);

uint64_t sg_heap_stack_walk_bad(void); /* walks that met what is no frame; any thread */

#endif
