/* Calling thread: the PyThreadState of the thread that calls, and whether that thread holds the
 * GIL. */
#ifndef STACKGLASS_INTERPRETER_CALLING_THREAD_H
#define STACKGLASS_INTERPRETER_CALLING_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

/* Find the interpreter's function that returns the current thread state. Returns NULL, or one
 * sentence that says why it was not found. The caller holds the GIL; sg_debug_offsets is known. */
const char *sg_calling_thread_prepare(void);

/* Return the calling thread's own thread state, or NULL if it has none. If `must_hold_gil`, the
 * result is NULL also if the thread does not hold the GIL; then prepare must have succeeded. */
const void *sg_calling_thread_state(bool must_hold_gil);

/* The function that prepare has found, or NULL. Up to 3.11 it returns the state of whichever thread
 * holds the GIL; from 3.12 on that of the calling thread, and NULL if that is without the GIL. */
extern void *(*sg_calling_thread_current)(void);
/* Up to 3.11: is the current state `thread` that of the calling thread? */
bool sg_calling_thread_is_own(const void *thread);
/* Return the calling thread's state if the thread holds the GIL now, otherwise NULL. Any thread,
 * after prepare. */
static inline const void *sg_calling_thread_with_gil(void) {
    void *thread = sg_calling_thread_current();
    if (!thread)
        return NULL;
    bool is_own = sg_debug_offsets.thread_status < 0
                      ? sg_calling_thread_is_own(thread)
                      : sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id) ==
                            (uint64_t)sg_thread_ids_self();
    return is_own ? thread : NULL;
}

/* Return the calling thread's state in a signal handler, which may interrupt the thread at any
 * moment. If several interpreters share a GIL (up to 3.11), a thread may run in another one than
 * PyGILState reports: then the result is the current state, if that is the thread's. */
const void *sg_calling_thread_in_handler(void);
/* Does the calling thread, whose state is `thread`, hold the GIL? Returns false also if that is not
 * certain. Async-signal-safe. */
bool sg_calling_thread_has_gil(const void *thread);
/* Report that there are `n` interpreters now, for sg_calling_thread_in_handler. The caller holds
 * the GIL. */
void sg_calling_thread_count_interpreters(uint32_t n);

#endif
