/* Where the nodes of a call tree stand in a flame graph: rows of boxes, in value units. */
#ifndef SG_LAYOUT_H
#define SG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

struct sg_layout_tree {
    const int32_t *parent; /* parents come before their children; node 0 is the root */
    const int32_t *frame;
    const int64_t *size; /* a node's is at least the sum of its children's; <= 0 = no box */
    size_t n_nodes;
    const int32_t *rank; /* (n_frames) places of the frames in order of name; NULL = by size */
    size_t n_frames;
    const int32_t *before; /* (n_before) by size: the box of each node in the layout before, -1 =
                              none; later nodes had none. Boxes keep their order where they can */
    size_t n_before;       /* 0 = exactly by size */
};

struct sg_layout {
    struct sg_vector row_start;   /* i32 (n_rows + 1) */
    struct sg_vector left;        /* f64 */
    struct sg_vector right;       /* f64 */
    struct sg_vector node;        /* i32 */
    struct sg_vector box_of_node; /* i32 (n_nodes); -1 = none */
};

/* 0; -1 if a reference is out of range; -2 out of memory. Columns are to be released. */
int sg_layout_build(const struct sg_layout_tree *tree, struct sg_layout *layout);

#endif
