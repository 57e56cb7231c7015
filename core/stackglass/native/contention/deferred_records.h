/* Deferred records: an MPSC ring of records whose writers found the ledger's claim taken. The
 * holder of the claim applies them. No thread waits for another; see platform/mpsc_ring.h. */
#ifndef STACKGLASS_CONTENTION_DEFERRED_RECORDS_H
#define STACKGLASS_CONTENTION_DEFERRED_RECORDS_H

#include "contention/samples.h"

enum { SG_CONTENTION_DEFERRED_RECORDS = 512 };

struct sg_contention_deferred {
    bool is_death; /* of record.lock; the rest of the record is empty then */
    struct sg_contention_record record;
};

uint32_t sg_contention_deferred_records_count(void); /* any thread */
/* False if the ring is full. Any thread, async-signal-safe. */
bool sg_contention_deferred_records_add(const struct sg_contention_deferred *deferred);
/* Hand them to `apply`, oldest first; false if one is left that is still being written. With the
 * claim. */
bool sg_contention_deferred_records_apply(
    void (*apply)(const struct sg_contention_deferred *deferred));

int sg_contention_deferred_records_prepare(void); /* 0 or -1 */
void sg_contention_deferred_records_discard(void);

#endif
