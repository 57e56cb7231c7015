/* Outside threads: the PyThreadState of any thread, found without the GIL.
 *
 *     interpreter ──▶ thread state ⇄ thread state ⇄ …
 *         │
 *         └──next──▶ interpreter …
 *
 * Without the GIL, a list may change during the search, and its thread states may be freed. So all
 * reads are calls that cannot fault, and a thread state counts only while it is in the list. */
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

/* Check that thread states can be found. Returns NULL, or one sentence that says why not. The
 * caller holds the GIL. */
const char *sg_outside_threads_prepare(void);

/* Copy the thread state of the thread `tid`. `hint` is the address at which it was found last, or
 * 0. Returns true if `copy` is right, provided that the thread did not run during the call; false
 * if the list changed in each of several tries. */
bool sg_outside_threads_find(pid_t tid, uintptr_t hint, struct sg_thread_copy *copy);

/* Visit every thread state, each interpreter's newest first, as far as the lists can be read. The
 * addresses serve as hints for sg_outside_threads_find: one pass over the lists then replaces a
 * search for each thread. */
typedef void sg_outside_thread_fn(void *context, pid_t tid, uintptr_t thread);
void sg_outside_threads_each(sg_outside_thread_fn *visit, void *context);

#endif
