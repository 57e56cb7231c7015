/* Calling thread: the PyThreadState of the thread that calls, and whether that thread holds the
 * GIL. */
#ifndef STACKGLASS_INTERPRETER_CALLING_THREAD_H
#define STACKGLASS_INTERPRETER_CALLING_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

/* Find the interpreter's function that the functions below need. Returns NULL, or one sentence that
 * says why it was not found. The caller holds the GIL; sg_debug_offsets is known. */
const char *sg_calling_thread_prepare(void);

/* Return the calling thread's own thread state, or NULL. `has_gil`: the thread is supposed to hold
 * the GIL; if it does not, the result is NULL. */
const void *sg_calling_thread_state(bool has_gil);

/* The interpreter's function that returns the current thread state, or NULL. Written by prepare. */
extern void *(*sg_calling_thread_current)(void);
/* Return the calling thread's state if the thread holds the GIL now, otherwise NULL. Any thread,
 * after prepare. */
static inline const void *sg_calling_thread_with_gil(void) {
    void *thread = sg_calling_thread_current();
    return thread && sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id) ==
                         (uint64_t)sg_thread_ids_self()
               ? thread
               : NULL;
}

/* Return the calling thread's state in a signal handler, at any moment. Up to 3.11 a thread may run
 * in another interpreter than PyGILState reports. So if there are several interpreters, the state
 * that holds the GIL is examined first. */
const void *sg_calling_thread_interrupted(void);
/* Does the calling thread, whose state is `thread`, hold the GIL? Returns false also if that is not
 * certain. Async-signal-safe. */
bool sg_calling_thread_has_gil(const void *thread);
/* Report that there are `n` interpreters now. The caller holds the GIL. */
void sg_calling_thread_count_interpreters(uint32_t n);

#endif
