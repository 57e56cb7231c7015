/* A box covers the pixels from floor(left) to floor(right) - 1. A box that covers none by this
 * rule, a sliver, shares one pixel with its neighbours: the widest of the first few gives the
 * colour, and a galloping search skips the rest, so that a million slivers cost as much as a
 * screenful.
 *
 *     boxes   |------|---|.|.|.|.|--------|
 *     pixels  ██████ ▓▓▓ ▒        ███████        one pixel of gap where there is room for it
 */
#include "raster.h"

#include <math.h>
#include <string.h>

enum { GAP_FROM_PX = 3 }; /* boxes this wide leave a gap */
enum { LOOK_AT = 4 };     /* boxes in a pixel that may give its colour */

/* Return the first box from `box` on whose right edge is beyond x; `end` if there is none. */
static size_t gallop(const double *right, size_t box, size_t end, double x) {
    size_t step = 1, low = box;
    while (low + step < end && right[low + step] <= x) {
        low += step;
        step *= 2;
    }
    if (low < end && right[low] > x)
        return low;
    size_t high = low + step < end ? low + step : end;
    /* Invariant: right[low] <= x, and right[high] > x or high == end. */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (right[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double to_px(const struct sg_viewport *viewport, double x) {
    return (x - viewport->left) * (viewport->width_px / (viewport->right - viewport->left));
}

static double to_x(const struct sg_viewport *viewport, double px) {
    return viewport->left + px * ((viewport->right - viewport->left) / viewport->width_px);
}

static int32_t clamp_px(const struct sg_viewport *viewport, double px) {
    if (!(px > 0))
        return 0;
    return px < viewport->width_px ? (int32_t)px : viewport->width_px;
}

/* Return the end of the boxes from `box` on that end at x or before; `box` itself counts in any
 * case. `*shown` becomes the widest of the first few. Most pixels have one or two boxes, so these
 * are looked at one by one, and only many are galloped over. */
static size_t join_boxes(const struct sg_boxes *boxes, size_t box, size_t end, double x,
                         size_t *shown) {
    size_t next = box + 1, look_end = end - box > LOOK_AT ? box + LOOK_AT : end;
    double widest = boxes->right[box] - boxes->left[box];
    *shown = box;
    for (; next < look_end && boxes->right[next] <= x; next++) {
        double width = boxes->right[next] - boxes->left[next];
        if (width > widest) {
            widest = width;
            *shown = next;
        }
    }
    return next < look_end ? next : gallop(boxes->right, next, end, x);
}

/* Write into each pixel of a line which node it shows, as the node + 1; 0 = none. */
static void mark_line(const struct sg_boxes *boxes, size_t box, size_t end,
                      const struct sg_viewport *viewport, uint32_t *line) {
    int32_t free_px = 0; /* the first pixel that is not marked yet */
    memset(line, 0, (size_t)viewport->width_px * sizeof *line);
    box = gallop(boxes->right, box, end, viewport->left);
    while (box < end && boxes->left[box] < viewport->right) {
        int32_t left = clamp_px(viewport, to_px(viewport, boxes->left[box]));
        int32_t right = clamp_px(viewport, to_px(viewport, boxes->right[box]));
        size_t next = box + 1, shown = box;
        if (left >= viewport->width_px)
            break;
        if (left < free_px)
            left = free_px; /* slivers before the box have taken its first pixel */
        if (right <= left) {
            next = join_boxes(boxes, box, end, to_x(viewport, left + 1.0), &shown);
            right = left + 1;
        } else if (right - left >= GAP_FROM_PX && boxes->right[box] <= viewport->right) {
            right--;
        }
        if (right > viewport->width_px)
            right = viewport->width_px;
        uint32_t mark = (uint32_t)boxes->node[shown] + 1;
        for (int32_t px = left; px < right; px++)
            line[px] = mark;
        if (right > free_px)
            free_px = right;
        box = next;
    }
}

/* Replace the nodes of a marked line by their colours. Colours are kept by frame, so a new
 * selection changes only one colour, whatever the size of the tree. The frames of neighbours are
 * far apart in memory: in a loop of their own, the processor waits for many of them at once.
 * Returns 0, or -1 if a node has no colour. */
static int colour_line(const struct sg_paint *paint, uint32_t *line, int32_t width_px) {
    for (int32_t px = 0; px < width_px; px++) {
        if (!line[px]) {
            line[px] = paint->background;
            continue;
        }
        size_t node = line[px] - 1;
        if (node >= paint->n_nodes)
            return -1;
        int32_t frame = paint->frame[node];
        if (frame >= 0 && (size_t)frame >= paint->n_frames)
            return -1;
        line[px] = frame < 0 ? paint->root_colour : paint->colours[frame];
    }
    return 0;
}

/* Find the visible rows: from `*first` to before the returned one. */
static size_t find_rows(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                        size_t *first) {
    double height = viewport->row_height_px;
    double begin = floor(viewport->top_px / height);
    double end = ceil((viewport->top_px + viewport->height_px) / height);
    *first = begin > 0 ? begin < (double)boxes->n_rows ? (size_t)begin : boxes->n_rows : 0;
    return end > 0 ? end < (double)boxes->n_rows ? (size_t)end : boxes->n_rows : 0;
}

static void fill(uint32_t *pixels, size_t n, uint32_t colour) {
    for (size_t px = 0; px < n; px++)
        pixels[px] = colour;
}

int sg_raster_paint(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                    const struct sg_paint *paint, uint32_t *image) {
    size_t row, width = (size_t)viewport->width_px, end = find_rows(boxes, viewport, &row);
    int32_t gap = viewport->row_height_px >= GAP_FROM_PX;
    int32_t filled = 0; /* lines */
    for (; row < end; row++) {
        double at = floor((double)row * viewport->row_height_px - viewport->top_px);
        int32_t top = at > 0 ? (int32_t)at : 0;
        double limit = at + viewport->row_height_px - gap;
        int32_t bottom = limit < viewport->height_px ? (int32_t)limit : viewport->height_px;
        if (bottom <= top)
            continue;
        fill(image + (size_t)filled * width, (size_t)(top - filled) * width, paint->background);
        /* One line of pixels is painted; the other lines of the row are copies of it. */
        uint32_t *line = image + (size_t)top * width;
        mark_line(boxes, (size_t)boxes->row_start[row], (size_t)boxes->row_start[row + 1], viewport,
                  line);
        if (colour_line(paint, line, viewport->width_px) < 0)
            return -1;
        for (int32_t y = top + 1; y < bottom; y++)
            memcpy(image + (size_t)y * width, line, width * sizeof *line);
        filled = bottom;
    }
    fill(image + (size_t)filled * width, (size_t)(viewport->height_px - filled) * width,
         paint->background);
    return 0;
}

static int add_box(struct sg_thinned *thinned, double left, double right, int32_t node) {
    return sg_push_f64(&thinned->left, left) < 0 || sg_push_f64(&thinned->right, right) < 0 ||
                   sg_push_i32(&thinned->node, node) < 0
               ? -2
               : 0;
}

int sg_raster_thin_out(const struct sg_boxes *boxes, double cell, struct sg_thinned *thinned) {
    memset(thinned, 0, sizeof *thinned);
    if (sg_push_i32(&thinned->row_start, 0) < 0)
        return -2;
    for (size_t row = 0; row < boxes->n_rows; row++) {
        size_t box = (size_t)boxes->row_start[row], end = (size_t)boxes->row_start[row + 1];
        while (box < end) {
            double left = boxes->left[box], right = boxes->right[box];
            size_t next = box + 1, shown = box;
            double border = (floor(left / cell) + 1) * cell;
            if (right - left < cell && right <= border) {
                next = join_boxes(boxes, box, end, border, &shown);
                right = boxes->right[next - 1];
            } /* else wider than a cell, or across a border of cells */
            if (add_box(thinned, left, right, boxes->node[shown]) < 0)
                return -2;
            box = next;
        }
        if (sg_push_i32(&thinned->row_start, (int32_t)thinned->node.n) < 0)
            return -2;
    }
    return 0;
}

static int add_label(struct sg_labels *labels, int32_t node, int32_t left, int32_t top,
                     int32_t width) {
    return sg_push_i32(&labels->node, node) < 0 || sg_push_i32(&labels->left_px, left) < 0 ||
                   sg_push_i32(&labels->top_px, top) < 0 ||
                   sg_push_i32(&labels->width_px, width) < 0
               ? -2
               : 0;
}

int sg_raster_find_labels(const struct sg_boxes *boxes, const struct sg_viewport *viewport,
                          int32_t min_width_px, struct sg_labels *labels) {
    memset(labels, 0, sizeof *labels);
    if (min_width_px < 1)
        min_width_px = 1;
    size_t row, end_row = find_rows(boxes, viewport, &row);
    for (; row < end_row; row++) {
        size_t end = (size_t)boxes->row_start[row + 1];
        size_t box = gallop(boxes->right, (size_t)boxes->row_start[row], end, viewport->left);
        double top = floor((double)row * viewport->row_height_px - viewport->top_px);
        while (box < end && boxes->left[box] < viewport->right) {
            int32_t left = clamp_px(viewport, to_px(viewport, boxes->left[box]));
            int32_t right = clamp_px(viewport, to_px(viewport, boxes->right[box]));
            if (right - left < min_width_px) {
                /* Boxes that end before this pixel are too narrow, too. */
                size_t next =
                    gallop(boxes->right, box, end, to_x(viewport, (double)left + min_width_px - 1));
                box = next > box ? next : box + 1;
                continue;
            }
            if (add_label(labels, boxes->node[box], left, (int32_t)top, right - left) < 0)
                return -2;
            box++;
        }
    }
    return 0;
}
