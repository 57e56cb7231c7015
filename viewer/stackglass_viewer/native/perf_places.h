/* Places of frames. A place is a distinct pair of a function's name and a file; places are numbered
 * in order of appearance. */
#ifndef SG_PERF_PLACES_H
#define SG_PERF_PLACES_H

#include "number_pairs.h"
#include "perf_frame.h"

struct sg_perf_places {
    struct sg_text_pieces names, files;
    struct sg_number_pairs pairs; /* by place: the numbers of its name and its file */
    /* Columns by place. A frame with a tab has its whole text as its name, and no file. */
    struct sg_vector name_start, name_length; /* uint32, int32 */
    struct sg_vector file_start, file_length; /* uint32, int32 */
    struct sg_vector has_tab;                 /* bytes */
    struct sg_vector sample;                  /* int64: the first sample with this place */
};

/* Initialize `places`, which is all zeros. Returns 0, or -1 if memory is short; free `places` in
 * either case. */
int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text);
void sg_perf_places_free(struct sg_perf_places *places);

/* Return the place of a frame of a sample, which is added if it is new; -1 = memory is short. The
 * frame's text is `range`. Frames with a tab share a place only if their whole texts are equal,
 * because the begin of the name depends on which tab is the first. */
int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample);

#endif
