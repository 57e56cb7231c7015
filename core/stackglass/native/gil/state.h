/* GIL state: which thread has the GIL, or had it last, and that thread's stack, read from the
 * interpreter's own struct. interpreter/gil_search.h finds that struct. A GIL is its address. */
#ifndef STACKGLASS_GIL_STATE_H
#define STACKGLASS_GIL_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

/* Find the main interpreter's GIL. Returns NULL, or one sentence that says why it was not found.
 * The caller holds the GIL; sg_debug_offsets is known. */
const char *sg_gil_state_find(void);
/* Return the main interpreter's GIL; 0 = not found, or not searched for yet. Any thread. */
uintptr_t sg_gil_state_main(void);

/* Return the GIL that `cond` and `mutex` belong to; 0 = none. The calling thread is about to wait
 * for `cond` with `mutex` held, so both exist. sg_gil_state_of expects the pair on which threads
 * wait to take the GIL; sg_gil_state_of_switch the pair (switch_cond, switch_mutex) on which a
 * thread that was forced to release the GIL waits until another thread has it. Any thread. */
uintptr_t sg_gil_state_of(const pthread_cond_t *cond, const pthread_mutex_t *mutex);
uintptr_t sg_gil_state_of_switch(const pthread_cond_t *cond, const pthread_mutex_t *mutex);

/* Is `cond` the condition on which threads wait to take the GIL? */
bool sg_gil_state_is_cond_of(uintptr_t gil, const pthread_cond_t *cond);

/* Is the GIL free now? The caller holds the mutex of the GIL. */
bool sg_gil_state_is_free(uintptr_t gil);

/* Return the thread state that has the GIL now; 0 = none, or the GIL no longer exists. Called by
 * engine threads. */
uintptr_t sg_gil_state_holder(uintptr_t gil);

/* Keep a free GIL free for some microseconds, by taking its mutex. Returns false if a thread has
 * the GIL or its mutex, or if the GIL is a subinterpreter's, which may be freed. Until
 * sg_gil_state_thaw no thread of the interpreter runs Python code, so the last holder's stack is as
 * it was at the release. Called by a thread without a thread state. */
bool sg_gil_state_freeze(uintptr_t gil);
void sg_gil_state_thaw(uintptr_t gil);
/* The thread that had the GIL last, and its stack. */
struct sg_gil_holder {
    pid_t tid;               /* 0 = none */
    uint32_t depth;          /* number of frames; 0 = they cannot be read */
    uint32_t capacity;       /* of `frames`; the caller sets both */
    struct sg_frame *frames; /* (capacity,), leaf first */
    uint32_t labels;         /* the thread's label set */
};
/* Fill in `holder` while the home interpreter's GIL is frozen. One thread at a time may call this.
 */
void sg_gil_state_last_holder(uintptr_t gil, struct sg_gil_holder *holder);

/* Fill in `holder` without freezing the GIL, where another thread has the mutex or the GIL is a
 * subinterpreter's. Returns false unless the GIL was free and the last holder did not run, from
 * before the read until after it, or if its frames cannot be read. One thread at a time may call
 * this. */
bool sg_gil_state_read_free(uintptr_t gil, struct sg_gil_holder *holder);

/* Return the id of the thread with the thread state `state`; 0 = none. Any thread. */
pid_t sg_gil_state_tid_of(uintptr_t state);

/* An sg_stack_choose_fn (cpu/stack_request.h) for the context {gil, state}: return the thread state
 * if it still has the GIL and belongs to the calling thread, otherwise NULL. */
const void *sg_gil_state_owner(const uintptr_t context[2]);

#endif
