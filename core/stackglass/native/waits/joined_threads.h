/* The thread that a thread joins: by a call of join(), or, at the end of the program, one of those
 * that the main thread waits for.
 *
 *     up to 3.12     join ─▶ the lock that the thread holds until it ends     Thread._tstate_lock
 *     from 3.13      join ─▶ what its handle points to                        Thread._handle, or
 *                                                              _os_thread_handle
 */
#ifndef STACKGLASS_WAITS_JOINED_THREADS_H
#define STACKGLASS_WAITS_JOINED_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_joined {
    const void *object; /* lock or handle; the Thread keeps it */
    pid_t tid;
};

/* Does `waited_for` belong to `object`, the lock or handle of a Thread? */
typedef bool (*sg_joined_by)(const void *object, uintptr_t waited_for);

/* Up to 3.12: is what is waited for this lock? From 3.13 on: does the handle own what a thread is
 * parked on? */
bool sg_joined_threads_is(const void *lock, uintptr_t waited_for);
bool sg_joined_threads_owns(const void *handle, uintptr_t parked_on);

/* The thread that a thread joins, a PyThreadState that does not run, by its innermost function.
 * False = none. Caller holds the GIL. */
bool sg_joined_threads_find(const void *thread, sg_joined_by is_it, uintptr_t waited_for,
                            struct sg_joined *joined);

#endif
