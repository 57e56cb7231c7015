/* The holder of a lock that a thread waits for, and how it is known.
 *
 *     the lock names its owner (RLock)       ─▶ OWNS
 *     the waiter joins a thread              ─▶ JOINED
 *     the hooks saw the lock taken           ─▶ TOOK      (locks/table.h)
 *     taken before the hooks, in a `with`    ─▶ INSIDE    (with_block_holders.h)
 *
 * Caller holds the GIL. */
#ifndef STACKGLASS_LOCK_HOLDERS_HOLDERS_H
#define STACKGLASS_LOCK_HOLDERS_HOLDERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "frames/primitives.h"

enum sg_holder_source {
    SG_HOLDER_UNKNOWN,
    SG_HOLDER_OWNS,   /* the lock itself names its owner: an RLock */
    SG_HOLDER_JOINED, /* the waiter joins that thread */
    SG_HOLDER_TOOK,   /* the hooks saw it take the lock, and no release since */
    SG_HOLDER_INSIDE, /* it is the only thread in a `with` block of the lock, which is held */
};

struct sg_lock_holder {
    pid_t
        tid; /* 0 = none, or not known; never guessed. The waiter's own tid: it waits for itself */
    enum sg_holder_source source;
};

/* Return the current holder, as far as the hooks or the lock itself know it; `with` blocks are not
 * searched (INSIDE). `lock` may be NULL. `joined` is the thread that is joined; 0 = none. */
struct sg_lock_holder sg_lock_holders_find(const void *lock, enum sg_primitive primitive,
                                           pid_t joined);

/* Whether `lock` is a plain lock that is held now. `lock` may be NULL. */
bool sg_lock_holders_is_plain_held(const void *lock, enum sg_primitive primitive);

#endif
