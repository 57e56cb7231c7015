/* Calls from Python into libraries that release the GIL: the stack of such a call stands for what
 * the library's own threads allocate meanwhile.
 *
 *     Python thread ──▶ polars: PyEval_SaveThread ─────────── PyEval_RestoreThread ──▶
 *                               │ stack is kept                │ and dropped
 *     polars' threads           └── allocate … allocate … ─────┘
 *
 * polars and Arrow do most of their work on threads without a Python stack. What such a thread
 * allocates is charged to the Python call under way in its library, if there is exactly one. A
 * library here is all that lies in the folder of one whose allocator is followed (pyarrow's
 * extensions call libarrow). */
#ifndef STACKGLASS_HEAP_LIBRARY_CALLS_H
#define STACKGLASS_HEAP_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/samples.h"

/* The functions by which extensions release and take the GIL, and their wrappers. */
struct sg_library_call_entry {
    const char *name;
    void *wrapper;
};
extern const struct sg_library_call_entry sg_library_call_entries[2];

/* Find the interpreter's functions; false if they are not there. */
bool sg_library_calls_prepare(void);

/* Is `value` the interpreter's function that `wrapper` wraps? Without dlsym: this is called inside
 * dl_iterate_phdr, where dlsym would wait for a thread that loads a library, and that thread for
 * this one. */
bool sg_library_calls_is_wrapped(const void *wrapper, const void *value);

/* Addresses [start, end) belong to library `group` (1 …). By one thread, before calls are
 * redirected here. False if there is no room. */
bool sg_library_calls_add(uintptr_t start, uintptr_t end, uint32_t group);
/* No address belongs to any library, and the calls under way count no longer. */
void sg_library_calls_forget(void);
void sg_library_calls_forget_in_child(void);

/* The stack of the one call under way in the library at `address`: frames (capacity,), leaf first.
 * How many; 0 = there is none, or more than one. Any thread, inside SG_GATE_HEAP; waits for none.
 */
uint32_t sg_library_calls_find(uintptr_t address, struct sg_frame *frames, uint32_t capacity);

/* Room for the stacks of calls: 0 or -1. And free it; no thread is inside the gate. */
int sg_library_calls_prepare_stacks(void);
void sg_library_calls_discard_stacks(void);

#endif
