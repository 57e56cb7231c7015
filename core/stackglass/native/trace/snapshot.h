/* Start snapshot: what exists as the trace begins.
 *
 *     arenas ─▶ pools ─▶ allocated blocks: a bit each      the collector's lists ─▶ types of blocks
 *
 * It is taken with the GIL, in one go, so that it is of one moment, that of the first event. It is
 * kept in mapped pages, a bit and a type a block, and made into events afterwards, without the GIL.
 * Blocks that do not come from pools are enumerated only if the collector lists their object.
 *
 * Only the engine's interpreter, and those that share its allocator, are seen. */
#ifndef STACKGLASS_TRACE_SNAPSHOT_H
#define STACKGLASS_TRACE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/events.h"
#include "trace/pools.h"

struct sg_snapshot_counts {
    uint64_t n_objects;        /* enumerated */
    uint64_t n_typed;          /* of these, with a type */
    uint64_t allocated_blocks; /* as sys.getallocatedblocks() counts them; 0 = not known */
    uint64_t hidden_blocks;    /* of these, not enumerated */
    uint64_t n_arenas;
    uint64_t hold_ns; /* for how long it held the GIL */
};

/* Take it. Caller holds the GIL, and no collection runs; types are prepared. `pools` was found
 * before; blocks of pools are left out if it has no arenas. False if there is no memory, or a pool
 * contradicts itself: then there are no objects in it. */
bool sg_trace_snapshot_take(const struct sg_pools *pools);
struct sg_snapshot_counts sg_trace_snapshot_counts(void);

/* The next event of it, in the order of addresses within a pool; times and threads are not set.
 * False: there are no more, and its memory is freed. One thread, no GIL. */
bool sg_trace_snapshot_next(struct sg_trace_event *event);
void sg_trace_snapshot_discard(void);
/* Forget all, without freeing it. */
void sg_trace_snapshot_after_fork_in_child(void);

#endif
