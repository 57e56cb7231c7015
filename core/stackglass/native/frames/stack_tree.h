/* Stack tree, in mapped pages: a node is a frame below the node of its caller.
 *
 *     0 ── main ── serve ─┬─ parse          a stack is the number of its leaf
 *                         └─ render ── join
 *
 * Stacks share the nodes of their callers and are compared by their numbers. A node never moves.
 * The owner's claim guards the tree; a node is constant once it has a number, so reading it needs
 * no claim. */
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
    SG_STACK_BITS = 26, /* of a number */
};
static const uint32_t SG_STACK_LOST = UINT32_MAX;

/* All zero: not prepared. */
struct sg_stack_tree {
    struct sg_stack_node {
        uint32_t caller;
        struct sg_frame frame;
    } * chunks[SG_STACK_CHUNKS]; /* node 0 is never read */
    struct sg_hash_index index;
    _Atomic uint32_t n_nodes;
    _Atomic uint64_t n_bytes;
};

/* The node of `frame`, called by `caller`; SG_STACK_LOST if there is no room. */
uint32_t sg_stack_tree_call(struct sg_stack_tree *tree, uint32_t caller, struct sg_frame frame);
/* The node of a whole stack, leaf first. */
uint32_t sg_stack_tree_intern(struct sg_stack_tree *tree, const struct sg_frame *frames,
                              uint32_t depth);
/* The frames of a stack, leaf first, at most `capacity`. Returns how many. No claim. */
uint32_t sg_stack_tree_get(const struct sg_stack_tree *tree, uint32_t stack,
                           struct sg_frame *frames, uint32_t capacity);

/* A node of a stack; its number is not SG_NO_STACK. No claim. */
struct sg_stack_node sg_stack_tree_node(const struct sg_stack_tree *tree, uint32_t stack);

uint32_t sg_stack_tree_count(const struct sg_stack_tree *tree); /* nodes; any thread, no claim */
uint64_t sg_stack_tree_bytes(const struct sg_stack_tree *tree); /* any thread, no claim */

/* 0 or -1. */
int sg_stack_tree_prepare(struct sg_stack_tree *tree);
void sg_stack_tree_discard(struct sg_stack_tree *tree);

#endif
