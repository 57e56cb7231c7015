/* If the calling thread holds the GIL, its thread state is the current one; otherwise it is the
 * state that PyGILState has for the thread. */
#include "interpreter/calling_thread.h"

#include <Python.h>

#include <pthread.h>
#include <stdatomic.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/memory.h"
#include "platform/thread_ids.h"

/* Written by prepare with the GIL held, then constant. */
void *(*sg_calling_thread_current)(void);

static _Atomic bool may_be_elsewhere; /* several interpreters share a GIL; lock-free */
enum { LAST_MINOR_OF_ONE_GIL = 11 };

const char *sg_calling_thread_prepare(void) {
    void *(*found)(void); /* hooks may be calling sg_calling_thread_current: replace it at once */
    if (!sg_python_symbols_look_up("PyThreadState_GetUnchecked", &found) && /* 3.13 and later */
        !sg_python_symbols_look_up("_PyThreadState_UncheckedGet", &found))
        return "this interpreter does not expose the current thread state";
    sg_calling_thread_current = found;
    sg_thread_ids_prepare();
    return NULL;
}

/* Any other state than the one that PyGILState has for this thread may be another thread's, which
 * may free it at any moment; so it is read by a call that cannot fault. It may also be this
 * thread's own state in a subinterpreter. */
bool sg_calling_thread_is_own(const void *thread) {
    uint64_t of;
    return thread == PyGILState_GetThisThreadState() ||
           (sg_memory_read_probed((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id, &of,
                                  sizeof of) &&
            of == (uint64_t)sg_thread_ids_self());
}

/* With the GIL held, the thread's state is the current one. But an extension may allocate without
 * the GIL that it should hold: then the current state belongs to another, running thread. */
const void *sg_calling_thread_state(bool must_hold_gil) {
    const void *bound = PyGILState_GetThisThreadState();
    if (!must_hold_gil)
        return bound;
    const void *thread = sg_calling_thread_with_gil();
    return thread || sg_calling_thread_current() != bound ? thread : bound;
}

void sg_calling_thread_count_interpreters(uint32_t n) {
    bool are_several = sg_debug_offsets.minor <= LAST_MINOR_OF_ONE_GIL && n > 1;
    atomic_store(&may_be_elsewhere, are_several && sg_calling_thread_current);
}

const void *sg_calling_thread_in_handler(void) {
    const void *bound = PyGILState_GetThisThreadState();
    if (!bound || !atomic_load_explicit(&may_be_elsewhere, memory_order_relaxed))
        return bound;
    const void *current = sg_calling_thread_current();
    return current && sg_calling_thread_is_own(current) ? current : bound;
}

/* Up to 3.11 the current thread state is one word of the runtime. From 3.12 on each thread has its
 * own current state, and a bit of the state says whether the state is attached, that is, has its
 * interpreter's GIL. */
bool sg_calling_thread_has_gil(const void *thread) {
    if (!thread)
        return false;
    if (sg_debug_offsets.thread_status < 0)
        return sg_calling_thread_current && sg_calling_thread_current() == thread;
    return sg_memory_load_int((uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_status) >>
               SG_THREAD_ATTACHED_BIT &
           1;
}
