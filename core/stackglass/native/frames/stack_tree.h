/* Stack tree: a prefix tree of stacks. A node is a frame, its parent is the frame's caller.
 *
 *     0 ── main ── serve ─┬─ parse          a stack is the number of its leaf
 *                         └─ render ── join
 *
 * Stacks share the nodes of their callers and are compared by their numbers. The tree belongs to
 * one profiler, whose claim (its lock) guards changes. A node never moves and is constant once it
 * has a number, so reading nodes needs no claim. The memory is mapped, not malloc'ed. */
#ifndef STACKGLASS_FRAMES_STACK_TREE_H
#define STACKGLASS_FRAMES_STACK_TREE_H

#include <stdatomic.h>
#include <stdint.h>

#include "frames/frame.h"
#include "platform/hash_index.h"

enum {
    SG_NO_STACK = 0, /* the empty stack: the root */
    SG_STACK_CHUNK_BITS = 16,
    SG_STACK_CHUNKS = 1024,
    SG_STACK_BITS = 26, /* bits of a node's number */
};
/* In place of a number: there was no room for the node. */
static const uint32_t SG_STACK_LOST = UINT32_MAX;

/* All zero before sg_stack_tree_prepare. */
struct sg_stack_tree {
    struct sg_stack_node {
        uint32_t caller;
        struct sg_frame frame;
    } * chunks[SG_STACK_CHUNKS]; /* node 0 is never read */
    struct sg_hash_index index;
    _Atomic uint32_t n_nodes;
    _Atomic uint64_t n_bytes;
};

/* Return the node of `frame` below the node `caller`, and create it if it is new. Returns
 * SG_STACK_LOST if there is no room, or if `caller` is SG_STACK_LOST. The caller has the claim. */
uint32_t sg_stack_tree_call(struct sg_stack_tree *tree, uint32_t caller, struct sg_frame frame);
/* Return the node of a whole stack of `depth` frames, leaf first, as sg_stack_tree_call. */
uint32_t sg_stack_tree_intern(struct sg_stack_tree *tree, const struct sg_frame *frames,
                              uint32_t depth);
/* Copy the frames of a stack, leaf first, at most `capacity`. Returns how many. Needs no claim. */
uint32_t sg_stack_tree_get(const struct sg_stack_tree *tree, uint32_t stack,
                           struct sg_frame *frames, uint32_t capacity);

/* Return the node number `stack`, which is not SG_NO_STACK. Needs no claim. */
struct sg_stack_node sg_stack_tree_node(const struct sg_stack_tree *tree, uint32_t stack);

/* Return the number of nodes, and the bytes of memory in use. Any thread, without a claim. */
uint32_t sg_stack_tree_count(const struct sg_stack_tree *tree);
uint64_t sg_stack_tree_bytes(const struct sg_stack_tree *tree);

/* Allocate the first nodes. Returns 0, or -1 if memory is short. */
int sg_stack_tree_prepare(struct sg_stack_tree *tree);
void sg_stack_tree_discard(struct sg_stack_tree *tree);

#endif
