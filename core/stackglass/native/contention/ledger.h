/* The ledger: the one place where contention's tables change, under one claim (a try-lock).
 *
 * Lock hooks record with the GIL held. The GIL's sampler records on any thread, also in a signal
 * handler. No recording thread may wait. So a thread that finds the claim taken defers its record,
 * and the next holder applies deferred records before its own:
 *
 *     record ──claim──▶ deferred records, in order ──▶ own record ──▶ release
 *       └─is taken──▶ ring │ block, 12 frames │ gil, 64 frames │ a lock has died │ …
 *
 * A record that finds the ring or a table full is counted and charged to <lost samples>, so that
 * the sums of time stay correct. */
#ifndef STACKGLASS_CONTENTION_LEDGER_H
#define STACKGLASS_CONTENTION_LEDGER_H

#include "contention/samples.h"

/* Add a record to the tables. Any thread may call this; async-signal-safe. */
void sg_contention_ledger_enter(const struct sg_contention_record *record);
/* Add several records under one claim: `next` fills in the i-th and returns true, or false after
 * the last. `next` takes no claim itself. */
typedef bool sg_contention_next_fn(void *context, uint32_t i, struct sg_contention_record *record);
void sg_contention_ledger_enter_all(sg_contention_next_fn *next, void *context);
void sg_contention_ledger_strike(const void *lock); /* `lock` has died */

/* For callers that may wait for some microseconds, so not in signal handlers. Both apply deferred
 * records: a number that is looked up afterwards is not that of a dead lock. claim_soon returns
 * false after a thousand tries, or if the calling thread has the claim already. */
void sg_contention_ledger_claim(void);
bool sg_contention_ledger_claim_soon(void);
void sg_contention_ledger_release(void);

/* As in struct sg_contention_status. */
struct sg_contention_ledger_counts {
    uint64_t n_events, n_lost;
};
struct sg_contention_ledger_counts sg_contention_ledger_count(void); /* any thread */

/* Make the tables (returns 0 or -1); free them, and release the claim. No other thread may be
 * inside. */
int sg_contention_ledger_prepare(void);
void sg_contention_ledger_discard(void);

#endif
