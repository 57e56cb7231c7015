/* Painter of a flame graph's visible rows. The cost depends on the pixels, not on the boxes. */
#ifndef SG_RASTER_H
#define SG_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* Columns of boxes, row by row. The boxes of a row go from left to right without overlap. */
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

/* Colours of the boxes: a box has the colour of its node's frame. */
struct sg_paint {
    const int32_t *frame; /* (n_nodes) below 0 = the root */
    size_t n_nodes;
    const uint32_t *colours; /* (n_frames) 0xAARRGGBB */
    size_t n_frames;
    uint32_t root_colour;
    uint32_t background;
};

struct sg_labels {
    struct sg_vector node, left_px, top_px, width_px; /* i32 */
};

/* Columns of boxes, after all boxes within a cell of the graph's width have become one. */
struct sg_thinned {
    struct sg_vector row_start, node; /* i32 */
    struct sg_vector left, right;     /* f64 */
};

/* Thin out boxes for pictures with pixels of at least `cell`, in value units, so that painting ten
 * million boxes reads little memory. Boxes wider than a cell stay as they are; all boxes within a
 * cell become one, with the node of the widest of the first few. Returns 0, or -2 if memory is
 * short. */
int sg_raster_thin_out(const struct sg_boxes *boxes, double cell, struct sg_thinned *thinned);

/* Paint boxes and background into an image of height_px rows of width_px pixels. Returns 0, or -1
 * if a box's node has no colour. */
int sg_raster_paint(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                    const struct sg_paint *paint, uint32_t *image);

/* Find the visible boxes that cover at least `min_width_px` pixels, with the gap on their right.
 * Returns 0, or -2 if memory is short. */
int sg_raster_find_labels(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                          int32_t min_width_px, struct sg_labels *labels);

#endif
