/* Creation sites of locks that were created during the session, while they live.
 *
 *     a lock ──▶ app.py, line 12
 *     the queue that owns it ──▶ the same line, as long as that lock lives
 *
 * The table has SG_CONTENTION_SITES places; the oldest sites are forgotten. Any thread may call
 * these functions. Two interpreters may do so at the same time, so a flag guards the table, for
 * some nanoseconds. */
#ifndef STACKGLASS_CONTENTION_SITES_H
#define STACKGLASS_CONTENTION_SITES_H

#include <stdbool.h>

#include "frames/code_ids.h"

enum { SG_CONTENTION_SITES = 1 << 15 };

int sg_contention_sites_prepare(void); /* 0 or -1 */
void sg_contention_sites_discard(void);
void sg_contention_sites_after_fork_in_child(void);

/* Record that `lock` is created at `made`, for the `n` objects of `owners`, innermost first. */
void sg_contention_sites_record(const void *lock, struct sg_frame made, const void *const *owners,
                                int n);
/* `lock` dies: forget its site. */
void sg_contention_sites_forget(const void *lock);
/* Find the creation site of a lock or an owner. Returns false if it is not known, or if the table
 * is being changed, because this does not wait. Async-signal-safe. */
bool sg_contention_sites_find(const void *object, struct sg_frame *made);

#endif
