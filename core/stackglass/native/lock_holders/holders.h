/* The holder of a lock that a thread waits for, and how it is known.
 *
 *     the lock names its owner (RLock)       ─▶ OWNS
 *     the end of a thread is waited for      ─▶ JOINED
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
    SG_HOLDER_JOINED, /* the end of that thread is waited for */
    SG_HOLDER_TOOK,   /* the hooks saw it take the lock, and no release since */
    SG_HOLDER_INSIDE, /* it stands in a `with` block of the lock, which is held */
};

struct sg_lock_holder {
    pid_t tid; /* 0 = none or not known, never guessed; the waiter's own: it waits for itself */
    enum sg_holder_source source;
};

/* The current holder, as far as the hooks or the lock know; INSIDE is not looked for. `lock` may be
 * NULL. `joined`: the thread that is joined; 0 = none. */
struct sg_lock_holder sg_lock_holders_find(const void *lock, enum sg_primitive primitive,
                                           pid_t joined);

/* Whether it is a plain lock, and held. `lock` may be NULL. */
bool sg_lock_holders_is_plain_held(const void *lock, enum sg_primitive primitive);

#endif
