/* The `with` blocks of plain locks that a thread is in, read from its frames: they show the holder
 * of a lock that was taken before the hooks.
 *
 *     with LOCK:         on the frame's stack, below the block: LOCK's __exit__
 *         work()         ◀── the thread is here, so it has passed __enter__
 *
 * A block of a threading.Condition counts for the Condition's lock. A thread that waits in
 * `__enter__` is not in the block yet, and one in Condition.wait() has released the lock. A release
 * by hand cannot be seen: so a block does not count if its function, or one that it has called and
 * that has not returned, mentions `release` before the current instruction, or in a loop around
 * it.
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_WITH_BLOCKS_H
#define STACKGLASS_LOCK_HOLDERS_WITH_BLOCKS_H

#include <Python.h>

#include <stdbool.h>

/* Check on frames of the engine's own that blocks are found; if not, none is reported. Locks are
 * hooked, sg_cpu_prepare has succeeded. */
void sg_with_blocks_prepare(void);
void sg_with_blocks_forget(void);

/* Of a thread that does not run, or the calling one: `visit` once for each block; `lock` is
 * borrowed. */
typedef void sg_with_block_fn(void *context, const void *lock);
void sg_with_blocks_visit(const void *thread, sg_with_block_fn *visit, void *context);
bool sg_with_blocks_have(const void *thread, const void *lock);

#endif
