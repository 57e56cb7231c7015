/* Events of Go's execution traces (version 2): those that a memory trace is made of. */
#ifndef SG_GO_EVENTS_H
#define SG_GO_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* Rows of the events that are wanted. */
struct sg_go_events {
    struct sg_vector kind;                 /* bytes */
    struct sg_vector ticks;                /* u64 */
    struct sg_vector first, second, third; /* u64: arguments after the time; 0 = none */
};

/* What a reader knows of an event code: how many arguments it has, its time included, and whether
 * its rows are wanted. */
struct sg_go_spec {
    const uint8_t *n_arguments; /* (256,) 0 = there is no such event */
    const uint8_t *is_wanted;   /* (256,) */
};

/* Append the events of a batch that begins at `ticks`. 0; -1 if there is no memory; -2 if the batch
 * is cut off or has an event of no known code. */
int sg_go_read_batch(const uint8_t *content, size_t n_bytes, uint64_t ticks,
                     const struct sg_go_spec *spec, struct sg_go_events *events);
void sg_go_free(struct sg_go_events *events);

/* Pages of spans with objects: an open hash with the page plus 1 as key, 0 = empty. */
struct sg_go_pages {
    uint64_t *keys;  /* (n_slots,) */
    uint64_t *bases; /* (n_slots,) address of the span */
    uint64_t *slots; /* (n_slots,) bytes that an object of the span takes; 0 = it has none */
    size_t n_slots;  /* a power of two */
    size_t n_used;   /* keys */
    uint64_t page_bytes;
};

/* Columns of events; `slot`: of a span, bytes of each of its slots or SG_WHOLE_SPAN. */
struct sg_go_columns {
    uint8_t *kind;
    uint64_t *address, *size;
    const uint32_t *slot;
    size_t n;
};

/* Set the size and address of each object to those of its slot: a free names the slot, but an
 * object may begin behind a header of 8 bytes. Small objects that share a slot become SG_EV_SHARED,
 * except the first. Begins at event `first`. Returns the first event that was not done, because the
 * table was half full; events->n if all are. */
size_t sg_go_size_objects(struct sg_go_pages *pages, const struct sg_go_columns *events,
                          size_t first);
/* Enter what one table has into a larger one, which is empty. */
void sg_go_enter_pages(const struct sg_go_pages *from, struct sg_go_pages *to);

#endif
