/* Events for timelines: samples and collections, in two SPSC rings. An event that finds its ring
 * full is counted as lost; no sum changes.
 *
 *     ledger ──▶ 256 open events, by bucket and thread ──other time unit──▶ ring ──▶ drain
 *
 * An open event sums up the samples of one bucket, thread and time unit. So a program that
 * allocates in a few places fills few events, however many its allocations are. The ledger adds
 * samples with its claim held; the collecting thread adds collections with the GIL held. One thread
 * drains the rings, and holds the claim while it closes the open events. */
#ifndef STACKGLASS_HEAP_EVENTS_H
#define STACKGLASS_HEAP_EVENTS_H

#include <stddef.h>

#include "heap/samples.h"

enum { SG_HEAP_OPEN_EVENTS = 256, SG_HEAP_EVENTS = 1 << 15, SG_HEAP_COLLECTIONS = 1 << 12 };

/* Add a sample of `event->bytes`; `event->count` is ignored. The caller has the claim. */
void sg_heap_events_add(const struct sg_heap_event *event);
/* Move the open events into the ring. The caller has the claim. */
void sg_heap_events_close(void);
/* Deliver the events in the ring. One thread at a time, without the claim. */
void sg_heap_events_drain(sg_heap_event_fn *deliver, void *context);

/* Add a collection, with the GIL held; and deliver the collections in their ring. */
void sg_heap_events_collections_add(const struct sg_heap_collection *collection);
void sg_heap_events_collections_drain(sg_heap_collection_fn *deliver, void *context);

uint64_t sg_heap_events_lost(void); /* returns samples and collections lost; any thread */

int sg_heap_events_prepare(void); /* returns 0, or -1 if memory is short */
void sg_heap_events_discard(void);

#endif
