/* The ledger: the one place where contention's tables change, under one claim (a try-lock).
 *
 * Lock hooks record under the GIL, the GIL's sampler on any thread, also below a signal handler;
 * none may wait. So a thread that finds the claim taken defers its record, and the next holder
 * applies deferred records before its own:
 *
 *     record ──claim──▶ deferred records, in order ──▶ own record ──▶ release
 *       └─is taken──▶ ring │ block, 12 frames │ gil, 64 frames │ a lock has died │ …
 *
 * A record that finds the ring or a table full is counted and charged to <lost samples>, so that
 * the sums of time stay correct. */
#ifndef STACKGLASS_CONTENTION_LEDGER_H
#define STACKGLASS_CONTENTION_LEDGER_H

#include "contention/samples.h"

/* Any thread, async-signal-safe. */
void sg_contention_ledger_enter(const struct sg_contention_record *record);
/* Several records under one claim: `next` fills in the i-th and returns true, or false after the
 * last. It takes no claim itself. */
typedef bool sg_contention_next_fn(void *context, uint32_t i, struct sg_contention_record *record);
void sg_contention_ledger_enter_all(sg_contention_next_fn *next, void *context);
void sg_contention_ledger_strike(const void *lock); /* it has died */

/* For callers that may wait for some microseconds, so not in signal handlers. claim_soon gives up
 * after a thousand tries, or below this thread's own claim, and applies no deferred records. */
void sg_contention_ledger_claim(void);
bool sg_contention_ledger_claim_soon(void);
void sg_contention_ledger_release(void);

/* As in struct sg_contention_status. */
struct sg_contention_ledger_counts {
    uint64_t n_events, n_lost;
};
struct sg_contention_ledger_counts sg_contention_ledger_count(void); /* any thread */

/* Make the tables: 0 or -1. Free them, and release the claim. No other thread is inside. */
int sg_contention_ledger_prepare(void);
void sg_contention_ledger_discard(void);

#endif
