/* A pen position is rounded down to a quarter of a pixel, as Qt does, so that a name has the pixels
 * that Qt's own text would have. Most pixels of a cell are empty; a glyph costs little more than
 * its strokes. */
#include "glyphs.h"

#include <math.h>

enum { FIXED = 64 };       /* Qt counts pen positions in 64ths of a pixel */
enum { MAX_PX = 1 << 24 }; /* pens further away draw nothing; their sums fit an int */
static const uint32_t OPAQUE = 0xFF000000;

/* Return a channel of the colour over the same channel of the pixel below. */
static uint32_t mix(uint32_t over, uint32_t below, uint32_t covered) {
    uint32_t sum = over * covered + below * (255 - covered);
    return (sum + (sum >> 8) + 0x80) >> 8;
}

static uint32_t blend(uint32_t colour, uint32_t pixel, uint32_t coverage) {
    uint32_t blended = OPAQUE;
    for (int shift = 0; shift < 24; shift += 8)
        blended |= mix(colour >> shift & 0xFF, pixel >> shift & 0xFF, coverage >> shift & 0xFF)
                   << shift;
    return blended;
}

static void draw_cell(const struct sg_glyph_sheet *sheet, const uint32_t *cell, int32_t left,
                      int32_t top, uint32_t colour, struct sg_glyph_image *image) {
    int32_t first_y = top < 0 ? -top : 0, first_x = left < 0 ? -left : 0;
    int32_t end_y = sheet->height_px, end_x = sheet->width_px;
    if (end_y > image->height_px - top)
        end_y = image->height_px - top;
    if (end_x > image->width_px - left)
        end_x = image->width_px - left;
    for (int32_t y = first_y; y < end_y; y++) {
        const uint32_t *coverage = cell + (size_t)y * (size_t)sheet->width_px;
        uint32_t *line = image->pixels + (size_t)(top + y) * (size_t)image->width_px;
        for (int32_t x = first_x; x < end_x; x++)
            if (coverage[x])
                line[left + x] = blend(colour, line[left + x], coverage[x]);
    }
}

static void draw_name(const struct sg_glyph_sheet *sheet, const struct sg_glyph_names *names,
                      size_t name, struct sg_glyph_image *image) {
    size_t begin = name ? (size_t)names->end[name - 1] : 0, end = (size_t)names->end[name];
    size_t cell_px = (size_t)sheet->width_px * (size_t)sheet->height_px;
    int32_t top = names->top_px[name];
    if (top <= -sheet->height_px || top >= image->height_px)
        return;
    for (size_t i = begin; i < end; i++) {
        double pen = names->left_px[name] + (double)(i - begin) * sheet->advance_px;
        if (names->glyph[i] < 0 || !(pen > -MAX_PX && pen < MAX_PX))
            continue;
        int64_t quarter = ((int64_t)floor(pen * FIXED) + 1) >> 4;
        int32_t left = (int32_t)(quarter >> 2) - sheet->pen_px;
        if (left <= -sheet->width_px || left >= image->width_px)
            continue;
        size_t cell = (size_t)names->glyph[i] * SG_GLYPH_PHASES + (size_t)(quarter & 3);
        draw_cell(sheet, sheet->coverage + cell * cell_px, left, top, names->colour[name], image);
    }
}

int sg_glyphs_draw(const struct sg_glyph_sheet *sheet, const struct sg_glyph_names *names,
                   struct sg_glyph_image *image) {
    for (size_t i = 0; i < names->n_glyphs; i++)
        if (names->glyph[i] >= 0 && (size_t)names->glyph[i] >= sheet->n_glyphs)
            return -1;
    int32_t begin = 0;
    for (size_t name = 0; name < names->n; name++) {
        if (names->end[name] < begin || (size_t)names->end[name] > names->n_glyphs)
            return -1;
        begin = names->end[name];
    }
    for (size_t name = 0; name < names->n; name++)
        draw_name(sheet, names, name, image);
    return 0;
}
