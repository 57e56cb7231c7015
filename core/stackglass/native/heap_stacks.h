/* Stacks as a tree, in pages of our own: a node is a frame under the node of its caller.
 *
 *     0 ── main ── serve ─┬─ parse          a stack is the number of its leaf
 *                         └─ render ── join
 *
 * So a stack whose callers are known costs one look-up for each frame that is new, and is compared
 * by its number. A node never moves. Guarded by the ledger's claim; what was given out is constant,
 * so reading it needs none. */
#ifndef STACKGLASS_HEAP_STACKS_H
#define STACKGLASS_HEAP_STACKS_H

#include <stdint.h>

#include "code_ids.h"

enum { SG_HEAP_NO_STACK = 0 }; /* the empty one, and where all begin */
static const uint32_t SG_HEAP_STACK_LOST = UINT32_MAX;

/* The node of `frame` called by `caller`; SG_HEAP_STACK_LOST if there is no room. */
uint32_t sg_heap_stacks_call(uint32_t caller, struct sg_frame frame);
/* The node of a whole stack, leaf first. */
uint32_t sg_heap_stacks_intern(const struct sg_frame *frames, uint32_t depth);
/* Its frames, leaf first, `capacity` at most; how many. No claim. */
uint32_t sg_heap_stacks_get(uint32_t stack, struct sg_frame *frames, uint32_t capacity);

uint32_t sg_heap_stacks_count(void); /* nodes; any thread, no claim */
uint64_t sg_heap_stacks_bytes(void); /* likewise */

/* 0 or -1. */
int sg_heap_stacks_prepare(void);
void sg_heap_stacks_discard(void);

#endif
