/* Deferred records: an MPSC ring of records whose writers found the ledger's claim taken
 * (ledger.h). The holder of the claim applies them. No thread waits for another; see
 * platform/mpsc_ring.h. */
#ifndef STACKGLASS_CONTENTION_DEFERRED_RECORDS_H
#define STACKGLASS_CONTENTION_DEFERRED_RECORDS_H

#include "contention/samples.h"

enum { SG_CONTENTION_DEFERRED_RECORDS = 512 };

struct sg_contention_deferred {
    bool is_death; /* record.lock has died; the rest of the record is empty */
    struct sg_contention_record record;
};

uint32_t sg_contention_deferred_records_count(void); /* any thread */
/* Copy a record into the ring. Returns false if the ring is full. Any thread may call this;
 * async-signal-safe. */
bool sg_contention_deferred_records_add(const struct sg_contention_deferred *deferred);
/* Pass the records to `apply`, oldest first, and remove them. Returns false if a record is left
 * that is still being written. Caller holds the ledger's claim. */
bool sg_contention_deferred_records_apply(
    void (*apply)(const struct sg_contention_deferred *deferred));

int sg_contention_deferred_records_prepare(void); /* 0 or -1 */
void sg_contention_deferred_records_discard(void);

#endif
