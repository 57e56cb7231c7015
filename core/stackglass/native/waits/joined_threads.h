/* Which thread a thread waits for in threading.Thread.join: that of the Thread whose method it is
 * in. Or at the end of the program, where the main thread waits for each of the others.
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

/* Whether `object`, a Thread's, is what somebody waits for. */
typedef bool (*sg_joined_by)(const void *object, uintptr_t waited_for);

/* Up to 3.12: the lock itself. From 3.13 on: what a thread is parked on belongs to the handle. */
bool sg_joined_threads_is(const void *lock, uintptr_t waited_for);
bool sg_joined_threads_owns(const void *handle, uintptr_t parked_on);

/* Whose end a thread, a PyThreadState that does not run, waits for by what its innermost function
 * is. False = for none. Caller holds the GIL. */
bool sg_joined_threads_find(const void *thread, sg_joined_by is_it, uintptr_t waited_for,
                            struct sg_joined *joined);

#endif
