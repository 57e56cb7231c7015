/* Deferred records: an MPSC ring of records whose writers found the ledger's claim taken. The
 * holder of the claim applies them. No thread waits for another; see platform/mpsc_ring.h. */
#ifndef STACKGLASS_HEAP_DEFERRED_RECORDS_H
#define STACKGLASS_HEAP_DEFERRED_RECORDS_H

#include "heap/samples.h"

enum { SG_HEAP_DEFERRED_RECORDS = 2048 };

enum sg_heap_record_kind {
    SG_HEAP_RECORD_ALLOC,
    SG_HEAP_RECORD_FREE,
    SG_HEAP_RECORD_PUT_BACK,
    SG_HEAP_RECORD_SETTLE,
};

struct sg_heap_record {
    enum sg_heap_record_kind kind;
    struct sg_heap_moment moment;
    struct sg_heap_alloc alloc;
    struct sg_heap_taken taken; /* FREE: its address alone */
    uint32_t depth;
    const struct sg_frame *frames; /* ALLOC: leaf first; (depth,), copied */
};

/* False if the ring is full. Any thread. */
bool sg_heap_deferred_records_add(const struct sg_heap_record *record);
/* Hand the records to `apply`, oldest first; false if one is left that is still being written. With
 * the claim. */
bool sg_heap_deferred_records_apply(void (*apply)(const struct sg_heap_record *record));

int sg_heap_deferred_records_prepare(void); /* 0 or -1 */
void sg_heap_deferred_records_discard(void);

#endif
