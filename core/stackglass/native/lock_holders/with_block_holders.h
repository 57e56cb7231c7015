/* Holders of locks that were taken before the locks were hooked, inferred from `with` blocks.
 *
 *     slices: blocks of each thread ─▶ last slice: the one thread that is in a block of the lock
 *
 * Owned by the thread that runs the job (worker/gil_worker.h). Each slice is one hold of the GIL.
 * Caller holds the GIL, except for forget. */
#ifndef STACKGLASS_LOCK_HOLDERS_WITH_BLOCK_HOLDERS_H
#define STACKGLASS_LOCK_HOLDERS_WITH_BLOCK_HOLDERS_H

#include <stdint.h>
#include <sys/types.h>

#include "lock_holders/holders.h"

/* Record the blocks of `thread`, which does not run; `id` is the number of its thread state. */
void sg_with_block_holders_see(const void *thread, uint64_t id, pid_t tid);

/* Begin the last hold of the GIL: drop the cached answers. */
void sg_with_block_holders_begin_last(void);
/* Return the only thread in a `with` block of `lock`. The holder is unknown if there is no such
 * thread or there are several; if too many threads have run since then to check all of them again
 * before `end_mono_ns`; and for every lock if there were more than 4096 blocks, or memory was
 * short. */
struct sg_lock_holder sg_with_block_holders_find(const void *lock, int64_t end_mono_ns);

/* Return the thread state with number `id` in the calling thread's interpreter; NULL = none. */
void *sg_with_block_holders_thread_of_id(uint64_t id);

/* Forget all blocks and answers, and free their memory. */
void sg_with_block_holders_forget(void);
/* Forget everything in a forked child, without freeing memory. */
void sg_with_block_holders_after_fork_in_child(void);

#endif
