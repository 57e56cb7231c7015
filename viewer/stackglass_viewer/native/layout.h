/* Layout of a call tree as a flame graph: rows of boxes, whose edges are in units of the value. */
#ifndef SG_LAYOUT_H
#define SG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

struct sg_layout_tree {
    const int32_t *parent; /* parents come before their children; node 0 is the root */
    const int32_t *frame;
    const int64_t *size; /* at least the sum of the children's sizes; <= 0 = no box */
    size_t n_nodes;
    const int32_t *rank; /* (n_frames) order of the frames by name; NULL = sort by size */
    size_t n_frames;
    /* (n_before) if sorted by size: the box of each node in the last layout, -1 = none. Boxes keep
     * that order unless one is clearly larger than another. Nodes from n_before on had no box. */
    const int32_t *before;
    size_t n_before; /* 0 = sort exactly by size */
};

struct sg_layout {
    struct sg_vector row_start;   /* i32 (n_rows + 1) */
    struct sg_vector left;        /* f64 */
    struct sg_vector right;       /* f64 */
    struct sg_vector node;        /* i32 */
    struct sg_vector box_of_node; /* i32 (n_nodes); -1 = none */
};

/* Lay out a tree. Returns 0, -1 if an index is out of range, or -2 if memory is short. Release the
 * columns in any case. */
int sg_layout_build(const struct sg_layout_tree *tree, struct sg_layout *layout);

#endif
