/* Which thread a thread waits for in threading.Thread.join: by the Thread whose method it is in.
 *
 *     up to 3.12     join ─▶ the lock that the thread holds until it ends     Thread._tstate_lock
 *     from 3.13      join ─▶ what its handle points to                        Thread._handle, or
 *                                                              _os_thread_handle
 */
#ifndef STACKGLASS_JOINED_THREADS_H
#define STACKGLASS_JOINED_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_joined {
    const void *object; /* lock or handle; the Thread keeps it */
    pid_t tid;
};

/* Of a thread, a PyThreadState, that does not run: what its innermost function would wait for if it
 * is a Thread's. That it does wait for it is for the caller to see. Caller holds the GIL. */
bool sg_joined_find(const void *thread, struct sg_joined *joined);

/* From 3.13 on: whether what a thread is parked on belongs to a handle. */
bool sg_joined_owns(const void *handle, uintptr_t parked_on);

#endif
