/* Search for the main interpreter's GIL, by what surrounds it.
 *
 *     3.9 to 3.11   in _PyRuntime, before the main interpreter's state
 *     3.12          the main interpreter's state points to it; it lies in that state
 *     3.13 to 3.15  the interpreter's description of itself says where that pointer is
 *
 * What is found must be held by the calling thread, have the interval that `sys` reports, and two
 * mutexes behind it; and it must be the only such place. From 3.12 on a subinterpreter may have a
 * GIL of its own, to which its state points from the same offset. */
#ifndef STACKGLASS_INTERPRETER_GIL_SEARCH_H
#define STACKGLASS_INTERPRETER_GIL_SEARCH_H

#include <pthread.h>
#include <stdint.h>

/* _gil_runtime_state, 3.9 to 3.15. */
struct sg_gil {
    unsigned long interval_us;
    uintptr_t last_holder; /* PyThreadState */
    int locked;            /* -1 = not made yet */
    unsigned long switch_number;
    pthread_cond_t cond;
    pthread_mutex_t mutex;
    pthread_cond_t switch_cond;
    pthread_mutex_t switch_mutex;
};

/* The GIL, and the offset of the pointer to it in an interpreter state (0 = there is none: ≤3.11).
 * NULL, or one sentence. Caller holds the GIL of the main interpreter; sg_debug_offsets and
 * sg_python_symbols are known. */
const char *sg_gil_search(uintptr_t *gil, int32_t *pointer);

#endif
