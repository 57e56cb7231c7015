/* Joined threads: finds the thread for which a waiter waits in join(), or for which the main thread
 * waits at the end of the program.
 *
 *     up to 3.12     join ─▶ the lock that the thread holds until it ends     Thread._tstate_lock
 *     from 3.13      join ─▶ the state of its handle                          Thread._handle, or
 *                                                                             _os_thread_handle */
#ifndef STACKGLASS_WAITS_JOINED_THREADS_H
#define STACKGLASS_WAITS_JOINED_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_joined {
    const void *object; /* lock or handle, which the Thread keeps alive */
    pid_t tid;
};

/* Return whether `waited_for` belongs to `object`, the lock or handle of a Thread. */
typedef bool (*sg_joined_by)(const void *object, uintptr_t waited_for);

/* Up to 3.12: return whether `waited_for` is the lock. From 3.13 on: return whether the handle
 * contains the address that the thread is parked on. */
bool sg_joined_threads_is(const void *lock, uintptr_t waited_for);
bool sg_joined_threads_owns(const void *handle, uintptr_t parked_on);

/* Find the thread that `thread`, a PyThreadState that does not run, joins in its innermost
 * function. Returns false if it joins none. The caller holds the GIL. */
bool sg_joined_threads_find(const void *thread, sg_joined_by is_it, uintptr_t waited_for,
                            struct sg_joined *joined);

#endif
