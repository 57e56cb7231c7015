/* The one place where contention's tables change: whoever holds the claim.
 *
 * Locks note under the GIL, the GIL's observer anywhere, also below a signal handler; none may
 * wait. So who finds the claim taken leaves a note, and the next holder works it off before
 * anything of its own:
 *
 *     note ──claim──▶ notes of others, in order ──▶ own entry ──▶ release
 *       └─is taken──▶ ring │ block, 12 frames │ gil, 64 frames │ a lock has died │ …
 *
 * What finds the ring full, or a table, is counted and charged to <lost samples>, so that sums of
 * time stay what they were. */
#ifndef STACKGLASS_CONTENTION_LEDGER_H
#define STACKGLASS_CONTENTION_LEDGER_H

#include "contention/contention.h"

enum { SG_CONTENTION_NOTES = 512 };

/* What is to be added to one bucket. */
struct sg_contention_record {
    enum sg_contention_kind kind;
    enum sg_primitive primitive;
    const void *lock;          /* NULL = none that is to be told apart */
    enum sg_primitive lock_is; /* if it is no lock of `primitive`'s */
    double count;              /* scaled */
    double total_ns;           /* scaled */
    uint64_t each_ns;          /* one of `count`, as it was */
    uint32_t time;             /* SG_TIME_UNIT_NS since the start */
    pid_t tid;
    /* Two stacks: a handle, or with SG_CONTENTION_OWN_STACK frames, which are copied. The other one
     * may be none. */
    struct sg_contention_side {
        sg_contention_stack stack;
        uint32_t depth;
        const struct sg_frame *frames;
    } side, other;
};

/* Any thread, async-signal-safe. */
void sg_contention_ledger_enter(const struct sg_contention_record *record);
/* Several records at the price of one: `next` fills in the i-th and returns true, or there are no
 * more. It takes no claim itself. */
typedef bool sg_contention_next_fn(void *context, uint32_t i, struct sg_contention_record *record);
void sg_contention_ledger_enter_all(sg_contention_next_fn *next, void *context);
void sg_contention_ledger_strike(const void *lock); /* it has died */

/* For those who may wait for some microseconds: no signal handlers. The second one gives up in the
 * end, or if it is below its own claim; it does not work off notes. */
void sg_contention_ledger_claim(void);
bool sg_contention_ledger_claim_soon(void);
void sg_contention_ledger_release(void);

/* Fill in what the ledger counts. Any thread. */
void sg_contention_ledger_status(struct sg_contention_status *status);

/* 0 or -1; and back to the beginning. Nobody else is at work. */
int sg_contention_ledger_prepare(void);
void sg_contention_ledger_discard(void);

#endif
