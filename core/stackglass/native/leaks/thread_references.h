/* The references that the frames of a waiting thread hold: variables, evaluation stacks, functions.
 * The search for leaks counts them as the thread's own: no other thread can use them to wake it.
 *
 * Caller holds the GIL, and the thread waits in a call of C code. */
#ifndef STACKGLASS_LEAKS_THREAD_REFERENCES_H
#define STACKGLASS_LEAKS_THREAD_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"

/* Objects, one for each reference. */
struct sg_thread_references SG_ROWS_OF(uintptr_t);

/* Append the references that the frames of `thread`, a PyThreadState, hold. Returns false if not
 * all can be determined: then the caller must drop what was appended. */
bool sg_thread_references_add(struct sg_thread_references *references, const void *thread);

#endif
