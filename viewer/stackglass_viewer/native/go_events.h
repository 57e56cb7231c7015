/* Reader of Go's execution traces (version 2), for the events that make a memory trace. */
#ifndef SG_GO_EVENTS_H
#define SG_GO_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

/* Columns of the wanted events. */
struct sg_go_events {
    struct sg_vector kind;                 /* bytes */
    struct sg_vector ticks;                /* u64 */
    struct sg_vector first, second, third; /* u64: the arguments after the time; 0 if absent */
};

/* Properties of each event code: the number of its arguments, with the time, and whether its events
 * are wanted. */
struct sg_go_spec {
    const uint8_t *n_arguments; /* (256,) 0 = there is no such event */
    const uint8_t *is_wanted;   /* (256,) */
};

/* Append the wanted events of a batch that begins at `ticks`. Returns 0, -1 if memory is short,
 * -2 if the batch is cut off or has an unknown event code, or -3 if a time exceeds 64 bits. */
int sg_go_read_batch(const uint8_t *content, size_t n_bytes, uint64_t ticks,
                     const struct sg_go_spec *spec, struct sg_go_events *events);
void sg_go_free(struct sg_go_events *events);

/* Hash table with open addressing: the span of each page in which an object may begin. A key is the
 * number of a page plus 1; 0 = free. A span is Go's unit of heap pages, divided into slots of one
 * size. */
struct sg_go_pages {
    uint64_t *keys;  /* (n_slots,) */
    uint64_t *bases; /* (n_slots,) address of the span */
    uint64_t *slots; /* (n_slots,) bytes of each of the span's slots; 0 = the span has none */
    size_t n_slots;  /* size of this table, a power of two */
    size_t n_used;   /* used keys */
    uint64_t page_bytes;
    uint64_t seed; /* seed of the hash */
};

/* Columns of events. `slot` is for events of spans: the bytes of each slot, SG_WHOLE_SPAN, or 0 if
 * the span has no slots. */
struct sg_go_columns {
    uint8_t *kind;
    uint64_t *address, *size;
    const uint32_t *slot;
    size_t n;
};

/* Set the size and address of each object to its slot's, from event `first` on. The event of a free
 * has the address of the slot, but an object may begin after a header of 8 bytes. Small objects
 * that share a slot become SG_EV_SHARED, except the one at its begin. An object in no known span
 * gets the size 0. Returns events->n, or the first event that was not processed because the table
 * could become more than half full. */
size_t sg_go_size_objects(struct sg_go_pages *pages, const struct sg_go_columns *events,
                          size_t first);
/* Copy all entries of a table into a larger one, which is empty. */
void sg_go_enter_pages(const struct sg_go_pages *from, struct sg_go_pages *to);

#endif
