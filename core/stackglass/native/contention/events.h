/* Events for timelines, in an SPSC ring. An event that finds it full is counted as lost; no sum
 * changes.
 *
 *     ledger ──▶ 256 open events, by bucket and thread ──other time unit──▶ ring ──▶ drain
 *
 * Added with the ledger's claim; one thread drains, with the claim while it closes what is open. */
#ifndef STACKGLASS_CONTENTION_EVENTS_H
#define STACKGLASS_CONTENTION_EVENTS_H

#include <stddef.h>

#include "contention/samples.h"

enum { SG_CONTENTION_OPEN_EVENTS = 256, SG_CONTENTION_EVENTS = 1 << 14 };

/* Both with the claim: add an event; move all open events to the ring. */
void sg_contention_events_add(const struct sg_contention_event *event);
void sg_contention_events_close(void);
/* Deliver the events in the ring. One thread at a time, no claim. */
void sg_contention_events_drain(sg_contention_event_fn *deliver, void *context);

uint64_t sg_contention_events_lost(void); /* events of the ring; any thread */

int sg_contention_events_prepare(void);
void sg_contention_events_discard(void);

#endif
