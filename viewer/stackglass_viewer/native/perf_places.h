/* Places of frames: each distinct pair of a function's name and its file has a number, in order of
 * appearance. */
#ifndef SG_PERF_PLACES_H
#define SG_PERF_PLACES_H

#include "number_pairs.h"
#include "perf_frame.h"

struct sg_perf_places {
    struct sg_text_pieces names, files;
    struct sg_number_pairs pairs; /* by place: the numbers of its name and its file */
    /* By place. With a tab: its text in place of a name, and no file. */
    struct sg_vector name_start, name_length; /* int64, int32 */
    struct sg_vector file_start, file_length; /* int64, int32 */
    struct sg_vector has_tab;                 /* bytes */
    struct sg_vector sample;                  /* int64: the first that has it */
};

/* 0, or -1 if there is no memory. `places` is all zero; it must be freed in either case. */
int sg_perf_places_init(struct sg_perf_places *places, const unsigned char *text);
void sg_perf_places_free(struct sg_perf_places *places);

/* The place of a frame, whose text is `range`, of a sample. Frames with a tab in them have the same
 * place if they are the same: where the name begins depends on which tab is the first. -1 = no
 * memory. */
int32_t sg_perf_places_number(struct sg_perf_places *places, struct sg_range range,
                              const struct sg_perf_frame *frame, size_t sample);

#endif
