/* A waiter's stack (contention/stacks.h) shows whether the lock was made for this one wait, as in
 * Condition.wait. Then the object on which the program called the method is reported instead. */
#include "waits/waiters.h"

#include <Python.h>

#include "contention/stacks.h"
#include "contention/wait_targets.h"
#include "interpreter/debug_offsets.h"
#include "platform/memory.h"

/* Objects of other interpreters cannot be tracked. */
static bool is_of_this_interpreter(const void *thread) {
    uintptr_t at = (uintptr_t)sg_debug_offsets.thread_interp;
    return sg_memory_load((uintptr_t)thread + at) ==
           sg_memory_load((uintptr_t)PyThreadState_Get() + at);
}

struct sg_lock_waiter sg_waiters_describe(const struct sg_lock_wait *wait,
                                          struct sg_wait_target *waited) {
    uint32_t room = sg_contention_stacks_room();
    struct sg_frame walked[room];
    struct sg_capture capture = {.walked = walked, .room = room};
    struct sg_lock_waiter waiter = {
        .tid = wait->tid,
        .thread = wait->thread,
        .primitive = wait->primitive,
        .since_mono_ns = wait->since_mono_ns,
    };
    *waited = (struct sg_wait_target){0};
    sg_contention_stacks_capture(&capture, wait->thread, wait->primitive);
    if (capture.traits & SG_STACK_SLEEPS) { /* in a lock made for this wait, which has no holder */
        if (is_of_this_interpreter(wait->thread))
            waited->object =
                sg_wait_targets_find(wait->thread, capture.n_primitives, &waited->type);
        return waiter;
    }
    sg_lock_wait_expect_number(wait->lock);
    waiter.lock = sg_contention_lock(wait->lock, wait->primitive);
    waiter.object = wait->lock;
    return waiter;
}

uint32_t sg_waiters_number(const struct sg_wait_target *waited) {
    return sg_wait_targets_track(waited->object) ? sg_contention_lock(waited->object, waited->type)
                                                 : 0;
}
