/* Notes that wait for the ledger's claim: many write, its holder reads. Nobody waits for anybody.
 */
#ifndef STACKGLASS_CONTENTION_DEFERRED_RECORDS_H
#define STACKGLASS_CONTENTION_DEFERRED_RECORDS_H

#include "contention/ledger.h"

struct sg_contention_deferred {
    bool is_death; /* of record.lock, which is all there is then */
    struct sg_contention_record record;
};

/* How many there are. Any thread. */
uint32_t sg_contention_deferred_records_count(void);
/* False if there is no room. Any thread, async-signal-safe. */
bool sg_contention_deferred_records_add(const struct sg_contention_deferred *note);
/* Hand them over, oldest first; false if one is left that is still being written. With the claim.
 */
bool sg_contention_deferred_records_apply(
    void (*work_off)(const struct sg_contention_deferred *note));

int sg_contention_deferred_records_prepare(void);
void sg_contention_deferred_records_discard(void);

#endif
