/* The program's objects, counted by type: a walk of the collector's lists
 * (objects/collector_walk.h), in slices. What is already counted is known by its address
 * (address_set).
 *
 * So an object that was tracked from the beginning to the end is counted once, exactly. One that
 * came or went meanwhile may be missing, and a new one that got the address of a dead one is. */
#ifndef STACKGLASS_CENSUS_CENSUS_H
#define STACKGLASS_CENSUS_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "census/blocks.h"
#include "objects/collector_walk.h"
#include "objects/types.h"
#include "platform/address_bitmap.h"

/* Where the references of one object are being followed; node NULL = of none. */
struct sg_census_place {
    const struct sg_collector_node *node;
    uint64_t at;        /* references that have been followed; a dict's: its own position */
    const void *nested; /* untracked container that the next one leads to; NULL = none begun */
    uint64_t nested_at; /* likewise of that one */
};

/* Belongs to whoever has the job, as the symboliser's job does; see worker/gil_worker.h. */
struct sg_census {
    bool is_open; /* begun, and not cleared */
    bool is_done;
    const char *problem; /* why there is none; NULL = nothing is wrong */
    int64_t start_mono_ns, end_mono_ns;
    uint32_t n_slices, n_restarts;
    bool is_whole;
    uint64_t n_objects;
    struct sg_census_types types;
    struct sg_census_blocks blocks; /* types of the heap profile's sampled blocks */

    /* The walk's own. */
    struct sg_collector_walk walk;
    struct sg_address_bitmap seen;
    struct sg_census_place place;
    bool has_blocks; /* there is a heap profile: references are followed */
};
extern struct sg_census sg_census;

/* Go on, or begin: for `budget_ns` at most, and no more than `max_steps` objects and references.
 * Caller holds the GIL. */
void sg_census_go_on(int64_t budget_ns, uint64_t max_steps);
/* Take what is ours out of the lists again. Caller holds the GIL. */
void sg_census_abandon(void);
/* Forget it all. No GIL. */
void sg_census_clear(void);
/* A forked child: ours stay in its lists, three empty lists; nothing else may be touched. */
void sg_census_after_fork_in_child(void);

/* One step; false = the slice has to end. */
bool sg_census_step(struct sg_census *census);

#endif
