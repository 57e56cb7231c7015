/* Granule log of a memory trace: what each granule, 16 KiB of addresses, held at successive times.
 *
 * If a trace is too long to be replayed for a picture, its heap map is drawn from this log. The log
 * consists of steps. A step has the granules that changed since the step before; a key step also
 * has all others that hold objects. Bytes are exact. The type, site and size class with most bytes,
 * and the mean birth, are found again only when a quarter of the granule's objects has changed. */
#ifndef SG_MEMORY_GRANULES_H
#define SG_MEMORY_GRANULES_H

#include "memory_raster.h"

/* Objects larger than a granule are not in the log but in the survey's list of wide objects. */
enum { SG_GRANULE_BYTES = 1 << SG_GRANULE_BITS };

/* Columns of the granules of one step. */
struct sg_granule_step {
    struct sg_vector granule;                 /* u32 */
    struct sg_vector bytes;                   /* i64 */
    struct sg_vector type, stack, size_class; /* u32: type, stack and class with most bytes */
    struct sg_vector birth_ns; /* i64: mean, weighted by bytes; as old as the three above */
};

/* Return the number of changed granules, the rows of the next step unless it is a key step. */
size_t sg_granules_count_dirty(const struct sg_blocks *blocks);
/* Append the step that ends after `n_events` events to `step`, and begin the next one. Returns 0,
 * or -1 if memory is short. */
int sg_granules_drain(struct sg_blocks *blocks, uint64_t n_events, int is_key,
                      struct sg_granule_step *step);
void sg_granules_free(struct sg_granule_step *step);

/* Columns of a log. Each step is a range of rows; wide objects have columns of their own. */
struct sg_granule_log {
    const uint64_t *number; /* (n_granules) address >> SG_GRANULE_BITS */
    size_t n_granules;
    const int64_t *step_ns;    /* (n_steps) */
    const int64_t *step_start; /* (n_steps + 1) first row of each step */
    size_t n_steps;
    const uint32_t *granule; /* by row, as the next three: index of `number` */
    const int64_t *bytes;
    const uint32_t *key;
    const int64_t *birth_ns;
    const uint64_t *wide_address, *wide_size; /* (n_wide) */
    const int64_t *wide_birth_ns;
    const uint32_t *wide_key;
    const int64_t *change_ns; /* (n_changes), ascending: a wide object's birth or death */
    const int32_t *change_of; /* (n_changes) the wide object plus 1; negative for its death */
    size_t n_changes;
};

/* Draw the steps from `first` on until all columns of the raster are written. `first` is the first
 * step of the log or a key step. The caller has checked all indexes. Returns 0, or -1 if memory is
 * short. */
int sg_granules_draw(struct sg_raster *raster, const struct sg_granule_log *log, size_t first);

#endif
