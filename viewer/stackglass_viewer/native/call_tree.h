/* Call tree from stacks: sort them; the common beginning of neighbours is one path.
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

/* Stacks leaf first, as a profile has them; all memory is the caller's. */
struct sg_stacks {
    const int64_t *start; /* (n + 1) into `locations` */
    const int32_t *locations;
    size_t n;
    const int32_t *line_start; /* (n_locations + 1) into `line_frame`; at least one line each */
    const int32_t *line_frame; /* innermost first */
    size_t n_locations;
    size_t n_frames;
};

struct sg_call_tree {
    struct sg_vector parent;       /* i32; -1 for the root, node 0 */
    struct sg_vector frame;        /* i32; -1 for the root */
    struct sg_vector depth;        /* i32 */
    struct sg_vector is_recursive; /* bool */
    struct sg_vector sample_node;  /* i32 (n) */
};

/* 0; -1 if inlined calls make the stacks too large; -2 out of memory; -3 stopped by `progress`.
 * References are to have been checked. Columns are to be released in every case. */
int sg_call_tree_build(const struct sg_stacks *stacks, struct sg_call_tree *tree,
                       struct sg_progress *progress);

#endif
