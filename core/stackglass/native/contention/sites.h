/* Creation sites of locks that were created during the session, while they live.
 *
 *     a lock ──▶ app.py, line 12
 *     the queue that owns it ──▶ the same line, as long as that lock lives
 *
 * A table of SG_CONTENTION_SITES places: the oldest are forgotten. Any thread: two interpreters may
 * call at the same time, so a flag guards the table, for some nanoseconds. */
#ifndef STACKGLASS_CONTENTION_SITES_H
#define STACKGLASS_CONTENTION_SITES_H

#include <stdbool.h>

#include "frames/code_ids.h"

enum { SG_CONTENTION_SITES = 1 << 15 };

int sg_contention_sites_prepare(void); /* 0 or -1 */
void sg_contention_sites_discard(void);
void sg_contention_sites_after_fork_in_child(void);

/* `lock` is created at `made`, for the `n` objects of `owners`, innermost first. */
void sg_contention_sites_record(const void *lock, struct sg_frame made, const void *const *owners,
                                int n);
/* It dies. */
void sg_contention_sites_forget(const void *lock);
/* The creation site of a lock or an owner. False = not known, or the table is being changed: does
 * not wait. Async-signal-safe. */
bool sg_contention_sites_find(const void *object, struct sg_frame *made);

#endif
