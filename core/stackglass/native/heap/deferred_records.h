/* The notes that wait for the ledger's claim: many write, the holder of the claim reads. Nobody
 * waits for anybody; see platform/mpsc_ring.h. */
#ifndef STACKGLASS_HEAP_DEFERRED_RECORDS_H
#define STACKGLASS_HEAP_DEFERRED_RECORDS_H

#include "heap/ledger.h"

enum sg_heap_record_kind { SG_NOTE_ALLOC, SG_NOTE_FREE, SG_NOTE_PUT_BACK, SG_NOTE_SETTLE };

struct sg_heap_record {
    enum sg_heap_record_kind kind;
    struct sg_heap_moment moment;
    struct sg_heap_alloc alloc;
    struct sg_heap_taken taken; /* FREE: its address alone */
    uint32_t depth;
    const struct sg_frame *frames; /* ALLOC: leaf first; (depth,), copied */
};

/* False if there is no room. Any thread. */
bool sg_heap_deferred_records_add(const struct sg_heap_record *note);
/* Hand the notes to `work_off`, oldest first; false if one is left that is still being written. By
 * the holder of the claim. */
bool sg_heap_deferred_records_apply(void (*work_off)(const struct sg_heap_record *note));

int sg_heap_deferred_records_prepare(void);
void sg_heap_deferred_records_discard(void);

#endif
