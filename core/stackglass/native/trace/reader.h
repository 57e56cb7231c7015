/* Reader: rows of all lanes as events, gathered into blocks.
 *
 *     lanes ─▶ rows up to a moment ─▶ stacks (stack_tree), fresh objects ─▶ columns ─▶ block
 *
 * A block has the events of all lanes up to one moment, which was read before the first lane: what
 * a thread records after another thread's event, it records later than that moment, too. So blocks
 * keep the order of the events of an address, also across lanes.
 *
 * One thread, the writer's; no GIL. */
#ifndef STACKGLASS_TRACE_READER_H
#define STACKGLASS_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/stack_tree.h"
#include "trace/block.h"
#include "trace/fresh.h"
#include "trace/lane_reader.h"

extern struct sg_stack_tree sg_trace_reader_stacks; /* of the events; engine's numbers of stacks */

/* 0, or -1 if there is no memory. Lanes are prepared. */
int sg_trace_reader_prepare(uint32_t depth);
void sg_trace_reader_discard(void);
/* Forget all, without freeing it. */
void sg_trace_reader_after_fork_in_child(void);

/* About how many events wait in the lanes, in words of rows; any thread. */
uint64_t sg_trace_reader_waiting_words(void);

/* Fill a block, which is begun here, with the events up to now, at most SG_TRACE_BLOCK_EVENTS.
 * False if there are more. */
bool sg_trace_reader_fill(struct sg_trace_block *block);

/* A block of the start snapshot's next events; false = there are none left. */
bool sg_trace_reader_fill_snapshot(struct sg_trace_block *block, int64_t time_ns);

/* Free lanes of threads that have ended. */
void sg_trace_reader_free_lanes(void);

/* Calls `see` with the threads that were met since the last call. */
void sg_trace_reader_list_threads(void (*see)(void *context, uint32_t tid), void *context);

/* The objects allocated since the last call that are still there, for the worker, until the next
 * call. */
struct sg_fresh *sg_trace_reader_take_fresh(void);

struct sg_reader_counts sg_trace_reader_counts(void);

#endif
