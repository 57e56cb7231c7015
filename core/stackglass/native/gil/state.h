/* The GIL as the interpreter keeps it: recognised and read. interpreter/gil_search.h finds it. */
#ifndef STACKGLASS_GIL_STATE_H
#define STACKGLASS_GIL_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

/* Find the main interpreter's. NULL, or one sentence. Caller holds the GIL; sg_debug_offsets is
 * known. */
const char *sg_gil_state_find(void);

/* The GIL that has this condition and mutex; 0 = none. `cond` is waited for with `mutex` held: so
 * it is there. Any thread, errno is lost. `_switch`: those on which a thread that was made to let
 * go waits until another one has it. */
uintptr_t sg_gil_state_of(const pthread_cond_t *cond, const pthread_mutex_t *mutex);
uintptr_t sg_gil_state_of_switch(const pthread_cond_t *cond, const pthread_mutex_t *mutex);

/* Is it what a GIL's takers wait for? */
bool sg_gil_state_is_cond_of(uintptr_t gil, const pthread_cond_t *cond);

/* Is it free at this moment? By who has its mutex. */
bool sg_gil_state_is_free(uintptr_t gil);

/* The thread state that has it now; 0 = nobody, or the GIL is gone. Any thread, also in a handler;
 * errno is lost. */
uintptr_t sg_gil_state_holder(uintptr_t gil);

/* Keep a free GIL free for some microseconds, by its mutex, as takers do. False if somebody has it,
 * or its mutex, or it may go (a subinterpreter's). So nobody runs Python until `thaw`: what is read
 * of who had it last is how it was let go. Any thread that has no business with Python. */
bool sg_gil_state_freeze(uintptr_t gil);
void sg_gil_state_thaw(uintptr_t gil);
/* While it is frozen: the thread that had it last (0 = none), and its frames, leaf first; 0 = there
 * are none to be read. One thread at a time. */
pid_t sg_gil_state_last_holder(uintptr_t gil, struct sg_frame *frames, uint32_t capacity,
                               uint32_t *depth);

/* The same without freezing it, where another thread has its mutex: false unless the GIL was free
 * and its last holder did not run from before to after the read. Any GIL. One thread at a time. */
bool sg_gil_state_read_free(uintptr_t gil, pid_t *holder, struct sg_frame *frames,
                            uint32_t capacity, uint32_t *depth);

/* The thread of a thread state; 0 = none. Any thread. */
pid_t sg_gil_state_tid_of(uintptr_t state);

/* An sg_stack_choose_fn for {gil, state}: the state, if it has the GIL still and is the calling
 * thread's. */
const void *sg_gil_state_owner(const uintptr_t context[2]);

#endif
