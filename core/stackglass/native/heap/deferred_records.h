/* Deferred records: an MPSC ring of records whose writers found the ledger's claim taken
 * (ledger.h). The holder of the claim applies them. Writers and holder do not wait for each other
 * (platform/mpsc_ring.h). */
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
    struct sg_heap_taken taken; /* not in ALLOC; FREE sets only its address */
    uint32_t depth;
    const struct sg_frame *frames; /* ALLOC: (depth,), leaf first */
};

/* Add a copy of `record` and its frames. Returns false if the ring is full. Any thread. */
bool sg_heap_deferred_records_add(const struct sg_heap_record *record);
/* Hand the records to `apply`, oldest first. Returns false if a record is left because it is still
 * being written. The caller has the claim. */
bool sg_heap_deferred_records_apply(void (*apply)(const struct sg_heap_record *record));

int sg_heap_deferred_records_prepare(void); /* returns 0, or -1 if memory is short */
void sg_heap_deferred_records_discard(void);

#endif
