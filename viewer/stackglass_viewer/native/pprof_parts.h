/* What the two passes of the decoder share. */
#ifndef SG_PPROF_PARTS_H
#define SG_PPROF_PARTS_H

#include "id_map.h"
#include "pprof_profile.h"
#include "pprof_tags.h"
#include "progress.h"
#include "wire_reader.h"

enum { SG_PROGRESS_BYTES = 4 << 20, SG_MAX_ROWS = INT32_MAX - 1, SG_MAX_TYPES = 10000 };
enum { SG_BROKEN = -1, SG_NO_MEMORY = -2, SG_STOPPED = -3 };
/* Of the time, in a file of mostly samples. */
#define SG_PASS_1_SHARE 0.1

struct sg_decoder {
    struct sg_profile *profile;
    const uint8_t *message;
    size_t size;
    struct sg_progress *progress;
    struct sg_vector function_id, mapping_id, location_id; /* u64, as the file has them */
    struct sg_vector line_function_id, location_mapping_id;
    struct sg_id_map functions, mappings, locations;
    size_t n_samples;
    size_t sample_bytes;
    int has_time;
};

/* Note what is wrong, if nothing was before. -1. */
int sg_pprof_parts_fail(struct sg_decoder *decoder, const char *what);

/* The same for a part of a message that cannot be read. */
int sg_pprof_parts_fail_field(struct sg_decoder *decoder, const char *message);

/* Pass 1, pprof_tables.c: all but the samples. 0, or one of the codes above. */
int sg_pprof_tables_decode(struct sg_decoder *decoder);

/* Pass 2, pprof_samples.c. 0, or one of the codes above. */
int sg_pprof_samples_decode(struct sg_decoder *decoder);

#endif
