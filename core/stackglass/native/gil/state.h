/* The GIL's state as the interpreter keeps it. interpreter/gil_search.h finds it. */
#ifndef STACKGLASS_GIL_STATE_H
#define STACKGLASS_GIL_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

/* Find the main interpreter's GIL. Returns NULL, or one sentence that says why not. Caller holds
 * the GIL; sg_debug_offsets is known. */
const char *sg_gil_state_find(void);

/* The GIL that this condition and mutex belong to; 0 = none. `cond` is waited for with `mutex`
 * held, so both exist. Any thread, errno is lost. `_of_switch` takes the pair on which a thread
 * that was forced to release the GIL waits until another thread has it. */
uintptr_t sg_gil_state_of(const pthread_cond_t *cond, const pthread_mutex_t *mutex);
uintptr_t sg_gil_state_of_switch(const pthread_cond_t *cond, const pthread_mutex_t *mutex);

/* Is `cond` the condition on which threads wait to take the GIL? */
bool sg_gil_state_is_cond_of(uintptr_t gil, const pthread_cond_t *cond);

/* Is the GIL free now? Caller holds its mutex. */
bool sg_gil_state_is_free(uintptr_t gil);

/* The thread state that has the GIL now; 0 = none, or the GIL no longer exists. Any thread, also in
 * a handler; errno is lost. */
uintptr_t sg_gil_state_holder(uintptr_t gil);

/* Keep a free GIL free for some microseconds, by taking its mutex. False if a thread has the GIL or
 * its mutex, or if it may be freed (a subinterpreter's). Until `thaw` no thread runs Python, so the
 * last holder's stack is as it was at the release. Any thread without a thread state. */
bool sg_gil_state_freeze(uintptr_t gil);
void sg_gil_state_thaw(uintptr_t gil);
/* The thread that had the GIL last, and its stack. */
struct sg_gil_holder {
    pid_t tid;               /* 0 = none */
    uint32_t depth;          /* of `frames`, leaf first; 0 = they cannot be read */
    uint32_t capacity;       /* set by the caller, as the next */
    struct sg_frame *frames; /* (capacity,) */
    uint32_t labels;         /* its label set */
};
/* Fill in `holder` while the GIL is frozen. One thread at a time. */
void sg_gil_state_last_holder(uintptr_t gil, struct sg_gil_holder *holder);

/* The same without freezing, where another thread has the mutex: false unless the GIL was free and
 * the last holder did not run, from before to after the read. Also for a subinterpreter's GIL. One
 * thread at a time. */
bool sg_gil_state_read_free(uintptr_t gil, struct sg_gil_holder *holder);

/* The thread of a thread state; 0 = none. Any thread. */
pid_t sg_gil_state_tid_of(uintptr_t state);

/* An sg_stack_choose_fn for {gil, state}: the state, if it has the GIL still and is the calling
 * thread's. */
const void *sg_gil_state_owner(const uintptr_t context[2]);

#endif
