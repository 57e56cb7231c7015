/* Granule log of a memory trace: what each 16 KiB of addresses held, at steps of time.
 *
 * The heap map of a trace that is too long to be replayed for a picture is drawn from it. A step
 * has the granules that changed since the step before; a key step has all that hold anything. Bytes
 * are exact; which type, site and size class has most of them may be a quarter of the granule's
 * objects behind. */
#ifndef SG_MEMORY_GRANULES_H
#define SG_MEMORY_GRANULES_H

#include "memory_raster.h"

/* Objects of more than a granule are not in the log but in the survey's list of wide ones. */
enum { SG_GRANULE_BYTES = 1 << SG_GRANULE_BITS };

/* Columns of the granules of one step. */
struct sg_granule_step {
    struct sg_vector granule;                 /* u32 */
    struct sg_vector bytes;                   /* i64 */
    struct sg_vector type, stack, size_class; /* u32: of those, the one with most bytes */
    struct sg_vector birth_ns;                /* i64: mean, weighted by bytes */
};

/* Granules that have changed: rows of the next step. */
size_t sg_granules_count_dirty(const struct sg_blocks *blocks);
/* Write a step after a number of events and begin the next one. 0, or -1 if there is no memory. */
int sg_granules_drain(struct sg_blocks *blocks, uint64_t n_events, int is_key,
                      struct sg_granule_step *step);
void sg_granules_free(struct sg_granule_step *step);

/* The log as columns; steps refer to rows, wide objects are apart. */
struct sg_granule_log {
    const uint64_t *number; /* (n_granules) address >> SG_GRANULE_BITS */
    size_t n_granules;
    const int64_t *step_ns;    /* (n_steps) */
    const int64_t *step_start; /* (n_steps + 1) into the rows */
    size_t n_steps;
    const uint32_t *granule; /* rows */
    const int64_t *bytes;
    const uint32_t *key;
    const int64_t *birth_ns;
    const uint64_t *wide_address, *wide_size; /* (n_wide) */
    const int64_t *wide_birth_ns;
    const uint32_t *wide_key;
    const int64_t *change_ns; /* (n_changes), ascending: a wide object's birth or death */
    const int32_t *change_of; /* (n_changes) the object plus 1; negative where it dies */
    size_t n_changes;
};

/* Draw steps `first` and later until all columns are copied out. `first` is the first step of the
 * log or a key step. 0, or -1 if there is no memory. References are to have been checked. */
int sg_granules_draw(struct sg_raster *raster, const struct sg_granule_log *log, size_t first);

#endif
