/* The `with` blocks of plain locks that a thread is in, read from its frames: they show the holder
 * of a lock that was taken before locks were hooked.
 *
 *     with LOCK:         on the frame's stack, below the block: LOCK's __exit__
 *         work()         ◀── the thread is here, so it has passed __enter__
 *
 * A block of a threading.Condition counts for the Condition's lock. A thread that waits in
 * `__enter__` is not in the block yet, and a thread in Condition.wait() has released the lock. A
 * release by hand cannot be seen: so a block does not count if its function, or a function that it
 * has called and that has not returned, mentions `release` or the like (hand_release.h) before the
 * current instruction, or in a loop around it.
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_WITH_BLOCKS_H
#define STACKGLASS_LOCK_HOLDERS_WITH_BLOCKS_H

#include <Python.h>

#include <stdbool.h>

/* Check with a test function that blocks are found correctly; if not, no block is reported. Locks
 * must be hooked, and sg_cpu_prepare must have succeeded. */
void sg_with_blocks_prepare(void);
/* Release what prepare found; afterwards no block is reported. */
void sg_with_blocks_forget(void);

typedef void sg_with_block_fn(void *context, const void *lock); /* `lock` is borrowed */
/* Call `visit` once for each block of `thread`, which is the calling thread or does not run. */
void sg_with_blocks_visit(const void *thread, sg_with_block_fn *visit, void *context);
/* Whether `thread` is in a block of `lock`. */
bool sg_with_blocks_have(const void *thread, const void *lock);

#endif
