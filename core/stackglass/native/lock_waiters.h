/* What is told of somebody who waits: for which lock or object, and who holds it.
 *
 *     the hooks' table (lock_waits.h) ──┐
 *                                       ├─▶ described: the lock's number, or what is waited for
 *     before the hooks (earlier_waits) ─┘   in its place: a Queue, an Event, a Future …
 *
 * Caller holds the GIL, and sees to it that the wait does not end meanwhile. */
#ifndef STACKGLASS_LOCK_WAITERS_H
#define STACKGLASS_LOCK_WAITERS_H

#include "lock_waits.h"

/* Who waits at this moment: for a waits-for graph. */
struct sg_lock_waiter {
    pid_t tid;
    const void *thread; /* its PyThreadState, for sg_contention_take_stack */
    enum sg_primitive primitive;
    uint32_t lock;         /* its number, or the object's, which it gets for this; 0 = there are too
                            * many, or it is in Condition.wait, for what cannot be told apart */
    int64_t since_mono_ns; /* 0 = not known: since before locks were hooked */
    pid_t
        holder_tid; /* 0 = nobody, or not known: never guessed. Its own: it has locked itself out */
    bool is_holder_inside; /* the holder stands in a `with` of the lock: more is not known of it */
    const void *object;    /* the lock, for as long as the GIL is held; NULL in Condition.wait,
                            * whose locks live for one wait */
};
typedef void sg_lock_waiter_fn(void *context, const struct sg_lock_waiter *waiter);

/* What people know in the place of a lock that lives for one wait. */
struct sg_waited {
    void *object; /* PyObject; borrowed from the waiter's frame. NULL = there is none */
    enum sg_primitive is;
};

/* All but the holder; the number of what is `waited` for is 0 yet. Allocates no Python object. */
struct sg_lock_waiter sg_lock_waiter_describe(const struct sg_lock_wait *wait,
                                              struct sg_waited *waited);
/* Give it its number; 0 = it cannot be watched. May run a collection up to 3.9. */
uint32_t sg_lock_waiter_number(const struct sg_waited *waited);
/* Who holds what is waited for at this moment, as far as the hooks or the lock know. */
pid_t sg_lock_waiter_holder(const struct sg_lock_waiter *waiter, pid_t known);

/* Who waits, as far as the hooks know: one call each, in no order. Returns how many. */
size_t sg_lock_waiters_read(sg_lock_waiter_fn *deliver, void *context);

#endif
