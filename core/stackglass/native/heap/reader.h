/* Heap reader: copies the heap profile's buckets, live blocks, events and collections, while hooks
 * go on sampling.
 *
 * One thread at a time calls these functions, without the GIL, except where a comment says
 * otherwise. */
#ifndef STACKGLASS_HEAP_READER_H
#define STACKGLASS_HEAP_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/samples.h"

/* Deliver all buckets, or only those that may have changed since the last call, in order of `id`.
 * Each bucket is consistent in itself; two buckets may be copied at different moments. `deliver`
 * may take any time. Before the first full collection `as_of_full` equals `live`. */
void sg_heap_reader_read(bool only_changed, sg_heap_bucket_fn *deliver, void *context);

/* Deliver the live sampled blocks, in no order. If sampled blocks are allocated or freed meanwhile,
 * the table may move others, which then may be missed or delivered twice. */
void sg_heap_reader_read_blocks(sg_heap_block_fn *deliver, void *context);

/* Does a live sampled block begin at `address`? Any thread that may wait for some microseconds. */
bool sg_heap_reader_is_sampled(const void *address);

/* Deliver the timeline's events and collections, and remove them. Events that found their ring full
 * are missing; sg_heap_status counts them as lost. The sums of the buckets do have them. */
void sg_heap_reader_drain_events(sg_heap_event_fn *deliver, void *context);
void sg_heap_reader_drain_collections(sg_heap_collection_fn *deliver, void *context);

#endif
