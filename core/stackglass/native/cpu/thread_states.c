/* Classifies what /proc says about a thread: it sleeps on a futex within the GIL's structure,
 * sleeps on another futex, is in another system call, or is in none. */
#include "cpu/thread_states.h"

#include <stdatomic.h>
#include <stdint.h>

#include "interpreter/gil_search.h"

/* Lock-free; 0 = not found. */
static _Atomic uintptr_t gil;

void sg_thread_states_prepare(void) {
    int32_t pointer;
    uintptr_t found;
    if (!atomic_load(&gil) && !sg_gil_search(&found, &pointer))
        atomic_store(&gil, found);
}

enum sg_thread_state sg_thread_states_of(const struct sg_sleeper *seen) {
    uintptr_t known = atomic_load(&gil);
    if (seen->futex)
        return known && seen->futex - known < sizeof(struct sg_gil) ? SG_THREAD_WAITS_GIL
                                                                    : SG_THREAD_WAITS_FUTEX;
    if (seen->call == SG_CALL_UNKNOWN)
        return SG_THREAD_UNKNOWN;
    return seen->call == SG_CALL_NONE ? SG_THREAD_RUNNING : SG_THREAD_IN_CALL;
}
