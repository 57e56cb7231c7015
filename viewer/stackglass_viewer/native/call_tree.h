/* Call tree of a profile's stacks. The stacks are sorted root first; neighbours share the nodes of
 * the frames that they have in common from the root.
 *
 *     stacks, root first     sorted           nodes, in preorder
 *       main a b               main a           0
 *       main c                 main a b         └ 1 main
 *       main a                 main c               ├ 2 a
 *                                                   │ └ 3 b
 *                                                   └ 4 c
 */
#ifndef SG_CALL_TREE_H
#define SG_CALL_TREE_H

#include "column.h"
#include "progress.h"

/* A profile's stacks, leaf first. The caller owns all arrays. */
struct sg_stacks {
    const int64_t *start; /* (n + 1) offsets into `locations` */
    const int32_t *locations;
    size_t n;
    const int32_t *line_start; /* (n_locations + 1) offsets into `line_frame`; >= 1 line each */
    const int32_t *line_frame; /* frames of a location's lines, the innermost inlined call first */
    size_t n_locations;
    size_t n_frames;
};

struct sg_call_tree {
    struct sg_vector parent;       /* i32; -1 for the root, node 0 */
    struct sg_vector frame;        /* i32; -1 for the root */
    struct sg_vector depth;        /* i32 */
    struct sg_vector is_recursive; /* bool: an ancestor has the same frame */
    struct sg_vector sample_node;  /* i32 (n): the leaf's node of each stack; 0 = empty stack */
};

/* Build the tree. The caller has checked that all indexes are in range, and releases the columns in
 * every case. Returns 0, -1 if inlined calls make the stacks too large, -2 if memory is short, or
 * -3 if `progress` stopped it. */
int sg_call_tree_build(const struct sg_stacks *stacks, struct sg_call_tree *tree,
                       struct sg_progress *progress);

#endif
