/* Start snapshot: the blocks and arenas that exist when the trace begins.
 *
 *     arenas ─▶ pools ─▶ allocated blocks: a bit each      the collector's lists ─▶ types of blocks
 *
 * It is taken in one hold of the GIL, so that all of it is of one moment, the moment of the first
 * event. It is kept in mapped pages, with a bit and a type for each block, and turned into events
 * afterwards, without the GIL. A block that does not come from a pool is included only if the
 * garbage collector lists its object.
 *
 * Only the engine's interpreter, and interpreters that share its allocator, are included. */
#ifndef STACKGLASS_TRACE_SNAPSHOT_H
#define STACKGLASS_TRACE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/events.h"
#include "trace/pools.h"

struct sg_snapshot_counts {
    uint64_t n_objects;        /* objects in the snapshot */
    uint64_t n_typed;          /* objects with a known type */
    uint64_t allocated_blocks; /* sys.getallocatedblocks(); 0 = not known */
    uint64_t hidden_blocks;    /* allocated blocks that are not in the snapshot */
    uint64_t n_arenas;
    uint64_t hold_ns; /* time for which the GIL was held */
};

/* Take the snapshot. The caller holds the GIL, no collection can begin, and types are prepared.
 * sg_pools_find has filled `pools`; if it has no arenas, blocks of pools are left out. Returns
 * false if memory is short or a pool contradicts itself: then the snapshot is empty. */
bool sg_trace_snapshot_take(const struct sg_pools *pools);
struct sg_snapshot_counts sg_trace_snapshot_counts(void);

/* Return the snapshot's next event, in the order of addresses within a pool; time and thread are
 * not set. Returns false after the last event, when the memory is freed. One thread; needs no
 * GIL. */
bool sg_trace_snapshot_next(struct sg_trace_event *event);
void sg_trace_snapshot_discard(void);
/* Reset the snapshot in a forked child, without freeing memory. */
void sg_trace_snapshot_after_fork_in_child(void);

#endif
