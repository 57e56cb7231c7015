/* Copies of the contention profile for readers: buckets, events, locks.
 *
 * Reads and drains are made by one thread at a time, without the GIL, while recording goes on. */
#ifndef STACKGLASS_CONTENTION_READER_H
#define STACKGLASS_CONTENTION_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "contention/samples.h"

/* Deliver the buckets that have a record, in order of `id`; with `only_changed`, only those that
 * may have changed since the last call. Each bucket is consistent in itself; two may be of
 * different moments. `deliver` may take as long as it likes. */
void sg_contention_reader_read(bool only_changed, sg_contention_bucket_fn *deliver, void *context);

/* Return a sum as a whole number: max(1, truncated). Pure. */
uint64_t sg_contention_reader_whole(double sum);

/* Deliver the events of the timeline. An event that found its ring full is counted in the status as
 * lost, and changes no sum. */
void sg_contention_reader_drain_events(sg_contention_event_fn *deliver, void *context);

/* Deliver the locks from number `first` on (1 = all), in order. */
void sg_contention_reader_read_locks(uint32_t first, sg_contention_lock_fn *deliver, void *context);
/* Return what is known by now of a lock that was delivered. Any thread may call this. */
struct sg_contention_lock sg_contention_reader_lock_facts(uint32_t number);

#endif
