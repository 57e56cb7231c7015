/* Waiters: the description of a waiting thread: its lock or wait target, and the holder
 * (lock_holders/holders.h).
 *
 *     the hooks' table (locks/waits.h) ─┐
 *                                       ├─▶ described: the lock's number, or what is waited for
 *     before the hooks (preattach)     ─┘   in its place: a Queue, an Event, a Future …
 *
 * The caller holds the GIL, and ensures that the wait does not end meanwhile. */
#ifndef STACKGLASS_WAITS_WAITERS_H
#define STACKGLASS_WAITS_WAITERS_H

#include "lock_holders/holders.h"
#include "locks/waits.h"

/* Whether a thread can continue without outside help; deadlocks.h defines the values. */
enum sg_stuck {
    SG_NOT_STUCK,
    SG_STUCK_MAYBE,      /* in a cycle that does not move and is not proven in all parts */
    SG_STUCK_DEADLOCKED, /* in a cycle that does not move and is proven in all parts */
};

/* An edge of the waits-for graph. */
struct sg_lock_waiter {
    pid_t tid;
    const void *thread; /* its PyThreadState */
    enum sg_primitive primitive;
    /* number of the lock or wait target; 0 = there are too many, or it cannot be distinguished */
    uint32_t lock;
    int64_t since_mono_ns; /* 0 = not known: the wait began before locks were hooked */
    struct sg_lock_holder holder;
    bool is_in_cycle; /* in a cycle of threads that each wait for the next one */
    /* the holder is in a `with` block of the lock; set for members of cycles and for
     * SG_HOLDER_INSIDE */
    bool is_in_block;
    enum sg_stuck stuck;
    /* the lock, valid while the GIL is held; later only compared. NULL in Condition.wait, where
     * each wait has its own lock */
    const void *object;
};
typedef void sg_lock_waiter_fn(void *context, const struct sg_lock_waiter *waiter);

/* The object that is reported instead of a lock that was made for one wait. */
struct sg_wait_target {
    void *object; /* PyObject; borrowed from the waiter's frame. NULL = there is none */
    enum sg_primitive type;
};

/* Return the description of a wait except its holder, and, in `waited`, the wait target, which the
 * caller numbers. Allocates no Python object. */
struct sg_lock_waiter sg_waiters_describe(const struct sg_lock_wait *wait,
                                          struct sg_wait_target *waited);
/* Return the number of a wait target; 0 = it cannot be watched. Up to 3.9 this may run a garbage
 * collection. */
uint32_t sg_waiters_number(const struct sg_wait_target *waited);

#endif
