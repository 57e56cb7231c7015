/* Waiters: what is reported of a thread that waits: its lock or wait target, and the holder
 * (lock_holders/holders.h).
 *
 *     the hooks' table (locks/waits.h) ─┐
 *                                       ├─▶ described: the lock's number, or what is waited for
 *     before the hooks (preattach)     ─┘   in its place: a Queue, an Event, a Future …
 *
 * Caller holds the GIL, and ensures that the wait does not end meanwhile. */
#ifndef STACKGLASS_WAITS_WAITERS_H
#define STACKGLASS_WAITS_WAITERS_H

#include "lock_holders/holders.h"
#include "locks/waits.h"

/* Whether a thread can go on by itself: see deadlocks.h. */
enum sg_stuck {
    SG_NOT_STUCK,
    SG_STUCK_MAYBE,      /* in a circle that does not move, of which not all can be proven */
    SG_STUCK_DEADLOCKED, /* in a circle that does not move, all of it proven */
};

/* An edge of the waits-for graph. */
struct sg_lock_waiter {
    pid_t tid;
    const void *thread; /* its PyThreadState, for sg_contention_take_stack */
    enum sg_primitive primitive;
    uint32_t lock;         /* the number of the lock or wait target; 0 = there are too many, or it
                            * cannot be distinguished */
    int64_t since_mono_ns; /* 0 = not known: since before locks were hooked */
    struct sg_lock_holder holder;
    bool is_in_circle; /* of threads that each wait for the next */
    bool is_in_block;  /* the holder is in a `with` block of it; read in circles, and for INSIDE */
    enum sg_stuck stuck;
    const void *object; /* the lock, for as long as the GIL is held; later it is only compared. NULL
                         * in Condition.wait, whose locks live for one wait */
};
typedef void sg_lock_waiter_fn(void *context, const struct sg_lock_waiter *waiter);

/* The object that stands for a lock that lives for one wait. */
struct sg_wait_target {
    void *object; /* PyObject; borrowed from the waiter's frame. NULL = there is none */
    enum sg_primitive is;
};

/* Fill in all but the holder, and the number of the wait target `waited`. Allocates no Python
 * object. */
struct sg_lock_waiter sg_waiters_describe(const struct sg_lock_wait *wait,
                                          struct sg_wait_target *waited);
/* The number of a wait target; 0 = it cannot be watched. May run a collection up to 3.9. */
uint32_t sg_waiters_number(const struct sg_wait_target *waited);

#endif
