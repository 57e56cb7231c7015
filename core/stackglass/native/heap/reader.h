/* Copies of the heap profile for readers: buckets, live blocks, events, collections.
 *
 * Calls are made by one thread at a time, without the GIL, while hooks go on sampling, except where
 * a line says otherwise. */
#ifndef STACKGLASS_HEAP_READER_H
#define STACKGLASS_HEAP_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/samples.h"

/* Deliver all buckets, or those that may have changed since the last call, in order of `id`. Each
 * bucket is consistent in itself; two buckets may be of different moments. `deliver` may take as
 * long as it likes. Before the first full collection `as_of_full` equals `live`. */
void sg_heap_reader_read(bool only_changed, sg_heap_bucket_fn *deliver, void *context);

/* Deliver the live sampled blocks, in no order. A block that is allocated meanwhile may be missed
 * or delivered twice. While the caller holds the GIL no block of Python's allocators dies. */
void sg_heap_reader_read_blocks(sg_heap_block_fn *deliver, void *context);

/* Whether a live sampled block begins at `address`. Any thread that may wait for some
 * microseconds; true stays true for as long as the block lives. */
bool sg_heap_reader_is_sampled(const void *address);

/* Take from the timeline's rings. An event that found its ring full is counted in the status as
 * lost, and changes no sum. */
void sg_heap_reader_drain_events(sg_heap_event_fn *deliver, void *context);
void sg_heap_reader_drain_collections(sg_heap_collection_fn *deliver, void *context);

#endif
