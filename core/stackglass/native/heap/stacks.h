/* The heap's tree of stacks, and the walk that adds a thread's stack to it.
 *
 * The walk remembers the last stack, and identifies and interns only the frames that have changed:
 *
 *     known, root first: │ main:12 │ serve:80 │ handle:31 │ parse:7 │
 *     now, leaf first:   │ parse:9 │ handle:31 = │ serve:80 = │ main:12 = │
 *                          new       same frame, code and instruction: known from here to the root
 *
 * Every frame is compared, since one far from the leaf may have gone on and made the same call
 * again. All calls need the ledger's claim, except where a line says otherwise. */
#ifndef STACKGLASS_HEAP_STACKS_H
#define STACKGLASS_HEAP_STACKS_H

#include <stdint.h>

#include "heap/samples.h"

/* The node of the stack of `thread`, the calling thread's own state; NULL = <no Python thread>. */
uint32_t sg_heap_stacks_walk(const void *thread);
/* The node of a stack that was walked elsewhere: frames (depth,), leaf first. */
uint32_t sg_heap_stacks_intern(const struct sg_frame *frames, uint32_t depth);
/* The frames (sg_heap_depth,) of a node, leaf first; how many. No claim. */
uint32_t sg_heap_stacks_get(uint32_t node, struct sg_frame *frames);

/* Any thread, no claim. */
uint64_t sg_heap_stacks_bad_walks(void); /* walks that met memory that is no frame */
uint32_t sg_heap_stacks_count(void);     /* nodes */
uint64_t sg_heap_stacks_bytes(void);

int sg_heap_stacks_prepare(void); /* 0 or -1 */
void sg_heap_stacks_discard(void);

#endif
