/* Holders: which thread holds the lock that a thread waits for, and how that is known. The first
 * line that applies decides:
 *
 *     the waiter joins a thread                          ─▶ JOINED
 *     a plain lock; the hooks saw it taken               ─▶ TOOK      (locks/table.h)
 *     an RLock: it names its owner                       ─▶ OWNS
 *     a plain lock, taken before the hooks, in a `with`  ─▶ INSIDE    (with_block_holders.h)
 *
 * sg_lock_holders_find knows all but the last. That one needs a search of all threads' frames,
 * which only a waits-for snapshot makes (waits/snapshot.c). The holder of the GIL is found
 * elsewhere (gil/sampling.h). The caller holds the GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_HOLDERS_H
#define STACKGLASS_LOCK_HOLDERS_HOLDERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "frames/primitives.h"

enum sg_holder_source {
    SG_HOLDER_UNKNOWN,
    SG_HOLDER_JOINED, /* the waiter joins that thread */
    SG_HOLDER_TOOK,   /* the hooks saw it take the lock, and no release since */
    SG_HOLDER_OWNS,   /* the lock itself names it as its owner: an RLock */
    SG_HOLDER_INSIDE, /* it is the only thread in a `with` block of the lock, which is held */
};

struct sg_lock_holder {
    /* 0 = none, or not known; never guessed. The waiter's own tid: the thread waits for itself. */
    pid_t tid;
    enum sg_holder_source source;
};

/* Return the current holder, without a search of `with` blocks. `lock` may be NULL. `joined` is the
 * thread that the waiter joins; 0 = none. Unknown if the locks' state cannot be read
 * (locks/state.h). */
struct sg_lock_holder sg_lock_holders_find(const void *lock, enum sg_primitive primitive,
                                           pid_t joined);

/* Whether `lock` is a plain lock that is held now. `lock` may be NULL. */
bool sg_lock_holders_is_plain_held(const void *lock, enum sg_primitive primitive);

#endif
