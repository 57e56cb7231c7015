/* Holders inferred from `with` blocks, of locks that were taken before the hooks.
 *
 *     slices: blocks of each thread ─▶ last slice: the one thread that is in a block of the lock
 *
 * Owned by the thread that has the job; caller holds the GIL, but for forget. */
#ifndef STACKGLASS_LOCK_HOLDERS_WITH_BLOCK_HOLDERS_H
#define STACKGLASS_LOCK_HOLDERS_WITH_BLOCK_HOLDERS_H

#include <stdint.h>
#include <sys/types.h>

#include "lock_holders/holders.h"

/* Blocks of a thread that does not run; `id` is its thread state's. */
void sg_with_block_holders_see(const void *thread, uint64_t id, pid_t tid);

/* The last hold of the GIL begins. */
void sg_with_block_holders_begin_last(void);
/* The only thread in a `with` block of the lock; unknown if there is none, or several, or too many
 * threads have run since to check them all again before `end_mono_ns`. */
struct sg_lock_holder sg_with_block_holders_find(const void *lock, int64_t end_mono_ns);

/* The thread state with that number in the calling thread's interpreter; NULL = it is gone. */
void *sg_with_block_holders_thread_of_id(uint64_t id);

void sg_with_block_holders_forget(void);
/* In a forked child: its memory stays. */
void sg_with_block_holders_after_fork_in_child(void);

#endif
