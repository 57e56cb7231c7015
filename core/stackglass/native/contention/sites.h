/* Where locks were made, while they live: of those made while we are there.
 *
 *     a lock ──▶ app.py, line 12
 *     the queue whose it is ──▶ the same, as long as that lock is there
 *
 * Bounded: of many, the newest are known. Any thread; calls of two interpreters may meet, so a flag
 * guards the table, which nobody keeps for long. */
#ifndef STACKGLASS_CONTENTION_SITES_H
#define STACKGLASS_CONTENTION_SITES_H

#include <stdbool.h>

#include "frames/code_ids.h"

enum { SG_LOCK_ORIGINS = 1 << 15 };

int sg_contention_sites_prepare(void); /* 0 or -1 */
void sg_contention_sites_discard(void);
void sg_contention_sites_after_fork_in_child(void);

/* `lock` is being made at `made`, for the `n` objects of `owners`, innermost first. */
void sg_contention_sites_record(const void *lock, struct sg_frame made, const void *const *owners,
                                int n);
/* It dies. */
void sg_contention_sites_forget(const void *lock);
/* Where a lock, or an owner, was made. False = not known, or the table is being changed: does not
 * wait. Async-signal-safe. */
bool sg_contention_sites_find(const void *object, struct sg_frame *made);

#endif
