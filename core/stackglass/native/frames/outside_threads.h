/* Outside threads: the PyThreadState of any thread, found without the GIL.
 *
 *     interpreter ──▶ thread state ⇄ thread state ⇄ …
 *         │
 *         └──next──▶ interpreter …
 *
 * The list may change during the search, and its members may be freed. So all of it is read by
 * calls that cannot fault, and a thread state counts only while it is in the list. */
#ifndef STACKGLASS_FRAMES_OUTSIDE_THREADS_H
#define STACKGLASS_FRAMES_OUTSIDE_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Copy of a thread state's first words. */
enum { SG_THREAD_COPY_BYTES = 320 };
struct sg_thread_copy {
    uintptr_t address; /* 0 = the thread has none */
    uint8_t bytes[SG_THREAD_COPY_BYTES];
};

/* NULL, or one sentence that says why thread states cannot be found. With the GIL held. */
const char *sg_outside_threads_prepare(void);

/* Copy the thread state of `tid`; `hint` is its previous address, or 0. True if `copy` is right,
 * provided that the thread did not run during the call; false if the list changed too often. */
bool sg_outside_threads_find(pid_t tid, uintptr_t hint, struct sg_thread_copy *copy);

/* Every thread state that is there now, newest first; as far as the lists can be read. A hint for
 * sg_outside_threads_find: one pass over all threads instead of one for each. */
typedef void sg_outside_thread_fn(void *context, pid_t tid, uintptr_t thread);
void sg_outside_threads_each(sg_outside_thread_fn *visit, void *context);

#endif
