/* Places of frames: each distinct pair of a function's name and its file has a number, in order of
 * appearance. */
#ifndef SG_PERF_PLACES_H
#define SG_PERF_PLACES_H

#include "perf_frame.h"
#include "text_pieces.h"

struct sg_perf_places {
    struct sg_text_pieces names, files;
    struct sg_text_pieces pairs; /* finds a pair: pieces of 8 bytes in `pair` */
    struct sg_vector pair;       /* int32, two for each place: the numbers of name and file */
    /* By place: the text of its first frame, and the sample that has it. */
    struct sg_vector start, length; /* int64, int32 */
    struct sg_vector sample;        /* int64 */
};

/* 0, or -1 if there is no memory. `places` is all zero; it must be freed in either case. */
int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text);
void sg_perf_places_free(struct sg_perf_places *places);

/* The place of a frame of `sample`, whose text is `range`. A frame with a tab gets a place of its
 * own, because where its name begins depends on which tab is the first. -1 = no memory. */
int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample);

#endif
