/* Places of frames: different pairs of a name and a file, numbered in order of appearance. */
#ifndef SG_PERF_PLACES_H
#define SG_PERF_PLACES_H

#include "perf_frame.h"
#include "text_pieces.h"

struct sg_perf_places {
    struct sg_text_pieces names, files;
    struct sg_text_pieces pairs; /* by place: the numbers of its name and its file, in `pair` */
    struct sg_vector pair;       /* two int32 each */
    /* By place: the text of its first frame, and the sample that has it. */
    struct sg_vector start, length; /* int64, int32 */
    struct sg_vector sample;        /* int64 */
};

/* 0, or -1 if there is no memory. To be freed in any case, if it was zero before. */
int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text);
void sg_perf_places_free(struct sg_perf_places *places);

/* The place of a frame, whose text is `range`, of a sample. A frame with a tab in it has a place of
 * its own: where its name begins depends on which tab is the first. -1 = no memory. */
int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample);

#endif
