/* Events for timelines, in an SPSC ring. An event that finds the ring full is counted as lost; the
 * sums of its bucket are not affected.
 *
 *     ledger ──▶ 256 open events, by bucket and thread ──other time unit──▶ ring ──▶ drain
 *
 * Events are added with the ledger's claim (ledger.h). One thread drains; it needs the claim only
 * to close the open events. */
#ifndef STACKGLASS_CONTENTION_EVENTS_H
#define STACKGLASS_CONTENTION_EVENTS_H

#include <stddef.h>

#include "contention/samples.h"

enum { SG_CONTENTION_OPEN_EVENTS = 256, SG_CONTENTION_EVENTS = 1 << 14 };

/* Both need the claim: add an event; move all open events to the ring. */
void sg_contention_events_add(const struct sg_contention_event *event);
void sg_contention_events_close(void);
/* Deliver the events in the ring. One thread at a time, no claim. */
void sg_contention_events_drain(sg_contention_event_fn *deliver, void *context);

uint64_t sg_contention_events_lost(void); /* events that found the ring full; any thread */

int sg_contention_events_prepare(void);
void sg_contention_events_discard(void);

#endif
