/* Events for timelines: samples and collections, in two SPSC rings. An event that finds its ring
 * full is counted as lost; no sum changes.
 *
 *     ledger ──▶ 256 open events, by bucket and thread ──other time unit──▶ ring ──▶ drain
 *
 * A program that allocates in a few places fills one event a place and time unit, however many its
 * allocations are. Samples are added with the ledger's claim, collections by the collecting thread
 * (GIL); one thread drains, with the claim while it closes what is open. */
#ifndef STACKGLASS_HEAP_EVENTS_H
#define STACKGLASS_HEAP_EVENTS_H

#include <stddef.h>

#include "heap/samples.h"

enum { SG_HEAP_OPEN_EVENTS = 256, SG_HEAP_EVENTS = 1 << 15, SG_HEAP_COLLECTIONS = 1 << 12 };

/* Count a sample of `event->bytes`; with the claim. */
void sg_heap_events_add(const struct sg_heap_event *event);
/* Move the open events into the ring; with the claim. */
void sg_heap_events_close(void);
/* Deliver the events in the ring. One thread at a time, no claim. */
void sg_heap_events_drain(sg_heap_event_fn *deliver, void *context);

void sg_heap_events_collections_add(const struct sg_heap_collection *collection);
void sg_heap_events_collections_drain(sg_heap_collection_fn *deliver, void *context);

uint64_t sg_heap_events_lost(void); /* samples and collections; any thread */

int sg_heap_events_prepare(void); /* 0 or -1 */
void sg_heap_events_discard(void);

#endif
