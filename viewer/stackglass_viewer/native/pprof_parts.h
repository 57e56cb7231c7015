/* State and error codes that the two passes of the pprof decoder share. */
#ifndef SG_PPROF_PARTS_H
#define SG_PPROF_PARTS_H

#include "id_map.h"
#include "pprof_profile.h"
#include "pprof_tags.h"
#include "progress.h"
#include "wire_reader.h"

enum { SG_PART_BYTES = 4 << 20, SG_MAX_ROWS = INT32_MAX - 1, SG_MAX_TYPES = 10000 };
enum { SG_BROKEN = -1, SG_NO_MEMORY = -2, SG_STOPPED = -3 };
/* Share of pass 1 in the progress, for a file of mostly samples. */
#define SG_PASS_1_SHARE 0.15

/* Where a part of the samples begins, in the message and in the columns. Pass 1 counts what samples
 * refer to, so that threads can decode parts apart from each other:
 *
 *   message   … | sample | sample | sample | … | sample | …      parts of 4 MB or a little more
 *                 ▲ byte                         ▲ byte
 *   stack     locations of the first part       | of the second  | …
 *                 ▲ location                      ▲ location
 */
struct sg_sample_part {
    size_t byte;     /* offset in the message of the first sample's field */
    size_t sample;   /* number of samples before this part */
    size_t location; /* number of locations of those samples */
    size_t label;    /* number of labels of those samples */
};

struct sg_decoder {
    struct sg_profile *profile;
    const uint8_t *message;
    size_t size;
    struct sg_progress *progress;
    char *error; /* (SG_ERROR_BYTES) profile->error; in pass 2 a buffer of the part */
    struct sg_vector function_id, mapping_id, location_id; /* u64, ids in the file */
    struct sg_vector line_function_id, location_mapping_id;
    struct sg_id_map functions, mappings, locations;
    struct sg_vector parts;   /* struct sg_sample_part */
    struct sg_sample_part at; /* counts so far; after pass 1 the totals */
    size_t sample_bytes;
    int has_time;
};

/* Set the error text, unless an error is set already. Returns SG_BROKEN. */
int sg_pprof_parts_fail(struct sg_decoder *decoder, const char *what);

/* Set the error that a `message`, such as "sample", cannot be read. Returns SG_BROKEN. */
int sg_pprof_parts_fail_field(struct sg_decoder *decoder, const char *message);

/* Pass 1 (pprof_tables.c): decode all but the samples. Returns 0 or one of the codes above. */
int sg_pprof_tables_decode(struct sg_decoder *decoder);

/* Pass 2 (pprof_samples.c): decode the samples. Returns 0 or one of the codes above. */
int sg_pprof_samples_decode(struct sg_decoder *decoder);

#endif
