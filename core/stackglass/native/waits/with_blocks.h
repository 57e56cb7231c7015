/* The `with` blocks of plain locks that a thread stands in: who holds a lock that was taken before
 * anybody looked.
 *
 *     with LOCK:         on the frame's stack, below the block: LOCK's __exit__
 *         work()         ◀── the thread stands here, so it has come past __enter__
 *
 * Likewise of a threading.Condition, whose lock is meant. A thread that waits in `__enter__` is not
 * in the block yet, and one in Condition.wait() has given the lock back. What a program releases by
 * hand is not to be seen: so a block does not count if its function, or one that it has called and
 * that has not returned, mentions `release` further up than where it stands.
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_WAITS_WITH_BLOCKS_H
#define STACKGLASS_WAITS_WITH_BLOCKS_H

#include <Python.h>

#include <stdbool.h>

/* Try it on frames of our own. Locks are hooked, sg_cpu_prepare has succeeded. Where that comes out
 * otherwise than it should, nobody is seen to stand in a block. */
void sg_with_blocks_prepare(void);
void sg_with_blocks_forget(void);

/* Of a thread that does not run, or the calling one: `visit` once for each block; `lock` is
 * borrowed. */
typedef void sg_with_block_fn(void *context, const void *lock);
void sg_with_blocks_visit(const void *thread, sg_with_block_fn *visit, void *context);
bool sg_with_blocks_have(const void *thread, const void *lock);

#endif
