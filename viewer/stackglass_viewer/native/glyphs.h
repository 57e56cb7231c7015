/* Writer of names into an image, from a sheet of glyphs that Qt has drawn once.
 *
 *     sheet   each glyph four times: a quarter of a pixel further right each time
 *     name    pen at 12.5 px ──▶ the third of the four, at pixel 12 */
#ifndef SG_GLYPHS_H
#define SG_GLYPHS_H

#include <stddef.h>
#include <stdint.h>

enum { SG_GLYPH_PHASES = 4 };

/* All cells have one size. The image of a glyph may be wider than its advance. */
struct sg_glyph_sheet {
    const uint32_t *coverage; /* (n_glyphs, SG_GLYPH_PHASES, height_px, width_px) 0x00RRGGBB: how
                                 much of each colour of a pixel is covered, 255 = all of it */
    size_t n_glyphs;
    int32_t width_px, height_px; /* of a cell */
    int32_t pen_px;              /* where the pen stands in a cell */
    double advance_px;
};

/* The glyphs of all names, one name after the other. */
struct sg_glyph_names {
    const int32_t *glyph; /* below 0 = none: only the pen moves on */
    size_t n_glyphs;
    const int32_t *end;     /* (n) where a name's glyphs end */
    const double *left_px;  /* (n) where the pen begins */
    const int32_t *top_px;  /* (n) upper edge of the cells */
    const uint32_t *colour; /* (n) 0xAARRGGBB; opaque, whatever AA is */
    size_t n;
};

struct sg_glyph_image {
    uint32_t *pixels; /* 0xAARRGGBB */
    int32_t width_px, height_px;
};

/* Draw names over what the image has; what is outside of it is cut off. Returns 0, or -1, with
 * nothing drawn, if a glyph or an end is out of range. */
int sg_glyphs_draw(const struct sg_glyph_sheet *sheet, const struct sg_glyph_names *names,
                   struct sg_glyph_image *image);

#endif
