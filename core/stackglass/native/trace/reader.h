/* Reader: turns the rows of all lanes into events, and gathers them into blocks.
 *
 *     lanes ─▶ rows up to a moment ─▶ stacks (stack_tree), fresh objects ─▶ columns ─▶ block
 *
 * A block has the events of all lanes up to one moment. The clock is read before the first lane, so
 * if an event is later than the moment, every event that follows it on another thread is later too.
 * Hence blocks keep the order of an address's events, also across lanes.
 *
 * Only the writer's thread uses it, without the GIL. */
#ifndef STACKGLASS_TRACE_READER_H
#define STACKGLASS_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/stack_tree.h"
#include "trace/block.h"
#include "trace/fresh_objects.h"
#include "trace/lane_reader.h"

/* stacks of the events; its node numbers are the engine's stack numbers */
extern struct sg_stack_tree sg_trace_reader_stacks;

/* Map the tables; the lanes must be prepared. Returns 0, or -1 if memory is short. */
int sg_trace_reader_prepare(uint32_t depth);
void sg_trace_reader_discard(void);
/* Reset the reader in a forked child, without freeing memory. */
void sg_trace_reader_after_fork_in_child(void);

/* Return the approximate number of words of rows that wait in the lanes. */
uint64_t sg_trace_reader_waiting_words(void);

/* Begin a block and fill it with the events up to now, at most SG_TRACE_BLOCK_EVENTS. Returns false
 * if there are more. If memory is short (block->columns.failed), the events are counted as lost,
 * and the next block begins with their loss. */
bool sg_trace_reader_fill(struct sg_trace_block *block);
/* Return whether events were lost that no block reports yet: the next one does. False if memory was
 * short for the last block. */
bool sg_trace_reader_has_loss(void);

/* Fill a block with the start snapshot's next events. Returns false if there are none left. */
bool sg_trace_reader_fill_snapshot(struct sg_trace_block *block, int64_t time_ns);

/* Free lanes of threads that have ended. */
void sg_trace_reader_free_lanes(void);

/* Call `see` with each thread that occurred in rows since the last call. */
void sg_trace_reader_list_threads(void (*see)(void *context, uint32_t tid), void *context);

/* Return the objects that were allocated since the last call and not freed. The worker may use them
 * until the next call. */
struct sg_fresh_objects *sg_trace_reader_take_fresh(void);

struct sg_reader_counts sg_trace_reader_counts(void);

#endif
