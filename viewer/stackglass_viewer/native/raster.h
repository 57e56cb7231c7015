/* The visible rows of a flame graph as pixels. Cost follows pixels, not boxes. */
#ifndef SG_RASTER_H
#define SG_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

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

struct sg_labels {
    struct sg_column node, left_px, top_px, width_px; /* i32 */
};

/* Paint boxes into an image of height_px rows of width_px pixels. 0, or -1 if a box refers to a
 * node that has no colour. */
int sg_fill_rows(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                 const uint32_t *colours, size_t n_nodes, uint32_t *image);

/* Boxes at least `min_width_px` wide, as they are painted. 0, or -2 if out of memory. */
int sg_find_labels(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                   int32_t min_width_px, struct sg_labels *labels);

#endif
