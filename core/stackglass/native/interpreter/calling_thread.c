/* The calling thread and the present: see calling_thread.h. */
#include "interpreter/calling_thread.h"

#include <Python.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "platform/memory.h"

/* Written by prepare under the GIL, then constant. */
static void *(*current_thread)(void); /* the thread state that has the GIL, or NULL */
static int32_t tid_in_pthread;        /* 0 = ask the system */

static _Atomic bool may_be_elsewhere; /* several interpreters share a GIL; lock-free */
enum { LAST_MINOR_OF_ONE_GIL = 11 };

const char *sg_calling_thread_prepare(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
    if (!symbol) /* before 3.13 */
        symbol = dlsym(RTLD_DEFAULT, "_PyThreadState_UncheckedGet");
    if (!symbol)
        return "this interpreter does not say which thread state is the current one";
    memcpy(&current_thread, &symbol, sizeof symbol);
    tid_in_pthread = sg_thread_ids_offset();
    return NULL;
}

pid_t sg_calling_thread_tid(void) {
    return tid_in_pthread ? sg_load_int(sg_calling_thread_self() + (uintptr_t)tid_in_pthread)
                          : (pid_t)syscall(SYS_gettid);
}

uint32_t sg_calling_thread_units_since(int64_t start_mono_ns) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t since_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - start_mono_ns;
    return since_ns > 0 ? (uint32_t)(since_ns / SG_TIME_UNIT_NS) : 0;
}

/* With the GIL it is the current one, unless an extension allocates without the GIL that it should
 * hold: then the current one is another thread's, which runs. */
const void *sg_calling_thread_state(bool has_gil) {
    void *thread = has_gil ? current_thread() : NULL;
    if (thread && sg_load((uintptr_t)thread + sg_debug_offsets.thread_id) ==
                      (uint64_t)sg_calling_thread_self())
        return thread;
    void *bound = PyGILState_GetThisThreadState();
    return !has_gil || thread == bound ? bound : NULL;
}

void sg_calling_thread_learn(void) {
    bool are_several =
        sg_debug_offsets.minor <= LAST_MINOR_OF_ONE_GIL && sg_interpreters_count() > 1;
    atomic_store(&may_be_elsewhere, are_several && current_thread);
}

const void *sg_calling_thread_interrupted(void) {
    const void *bound = PyGILState_GetThisThreadState();
    if (!atomic_load_explicit(&may_be_elsewhere, memory_order_relaxed))
        return bound;
    const void *current = current_thread();
    uint64_t of;
    if (!current || current == bound || !bound ||
        !sg_memory_read((uintptr_t)current + (uintptr_t)sg_debug_offsets.thread_id, &of, sizeof of))
        return bound;
    return of == (uint64_t)sg_calling_thread_self() ? current : bound;
}
