/* The visible rows of a flame graph as pixels. Cost follows pixels, not boxes. */
#ifndef SG_RASTER_H
#define SG_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* Boxes by row, in each from left to right, without overlap; columns of n. */
struct sg_boxes {
    const int32_t *row_start; /* (n_rows + 1) */
    size_t n_rows;
    const double *left;
    const double *right;
    const int32_t *node;
};

struct sg_viewport {
    double left, right; /* value units */
    double top_px;
    int32_t row_height_px, width_px, height_px;
};

/* What the boxes are painted with: a node's frame has a colour. */
struct sg_paint {
    const int32_t *frame; /* (n_nodes) below 0: the root */
    size_t n_nodes;
    const uint32_t *colours; /* (n_frames) 0xAARRGGBB */
    size_t n_frames;
    uint32_t root_colour;
};

struct sg_labels {
    struct sg_vector node, left_px, top_px, width_px; /* i32 */
};

/* What is left of boxes if those that share a cell of the graph's width become one. */
struct sg_thinned {
    struct sg_vector row_start, node; /* i32 */
    struct sg_vector left, right;     /* f64 */
};

/* Boxes for pictures with pixels of at least a `cell`, in value units: boxes wider than a cell as
 * they are, and one box for all within a cell, with the node of the widest of the first few. So a
 * picture of ten million boxes reads little memory. 0, or -2 if out of memory. */
int sg_raster_thin_out(const struct sg_boxes *boxes, double cell, struct sg_thinned *thinned);

/* Paint boxes into an image of height_px rows of width_px pixels. 0, or -1 if a box refers to a
 * node that has no colour. */
int sg_raster_paint(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                    const struct sg_paint *paint, uint32_t *image);

/* Boxes at least `min_width_px` wide, as they are painted. 0, or -2 if out of memory. */
int sg_raster_find_labels(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                          int32_t min_width_px, struct sg_labels *labels);

#endif
