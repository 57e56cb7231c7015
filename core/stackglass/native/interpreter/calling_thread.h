/* Thread state of the calling thread. */
#ifndef STACKGLASS_INTERPRETER_CALLING_THREAD_H
#define STACKGLASS_INTERPRETER_CALLING_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

/* Find what the functions below need. Caller holds the GIL; sg_cpu_prepare has succeeded. NULL, or
 * one sentence that says why not. */
const char *sg_calling_thread_prepare(void);

/* The calling thread's own thread state, or NULL. `has_gil`: it holds the GIL. */
const void *sg_calling_thread_state(bool has_gil);

/* The thread state that has the GIL, or NULL: the interpreter's function. Written by prepare. */
extern void *(*sg_calling_thread_current)(void);
/* The calling thread's state, if it has the GIL now; else NULL. Any thread, after prepare. */
static inline const void *sg_calling_thread_with_gil(void) {
    void *thread = sg_calling_thread_current();
    return thread && sg_memory_load((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id) ==
                         (uint64_t)sg_thread_ids_self()
               ? thread
               : NULL;
}

/* The calling thread's state, in a signal handler at any moment. Up to 3.11 a thread may run in
 * another interpreter than PyGILState reports: if there are several, the state that holds the GIL
 * is examined too. */
const void *sg_calling_thread_interrupted(void);
/* Whether the calling thread, of this thread state, has the GIL. False also where that is not
 * certain. Async-signal-safe. */
bool sg_calling_thread_has_gil(const void *thread);
/* Report the number of interpreters that there are now. Caller holds the GIL. */
void sg_calling_thread_count_interpreters(uint32_t n);

#endif
