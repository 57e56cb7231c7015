/* The references that the frames of a waiting thread hold: variables, evaluation stacks, functions.
 * They count as the thread's own, and are no reason why another thread could wake it.
 *
 * Caller holds the GIL, and the thread waits in a call of C code. */
#ifndef STACKGLASS_LEAKS_THREAD_REFERENCES_H
#define STACKGLASS_LEAKS_THREAD_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/vector.h"

/* Objects, one for each reference. */
struct sg_thread_references SG_ROWS_OF(uintptr_t);

/* Append those of `thread`, a PyThreadState. False if they cannot all be determined: then what was
 * appended is not to be used. */
bool sg_thread_references_add(struct sg_thread_references *references, const void *thread);

#endif
