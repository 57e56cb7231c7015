/* Library calls: calls from Python into libraries that release the GIL. Allocations that a
 * library's own threads make during such a call are charged to the call's stack.
 *
 *     Python thread ──▶ polars: PyEval_SaveThread ─────────── PyEval_RestoreThread ──▶
 *                               │ stack is kept                │ and dropped
 *     polars' threads           └── allocate … allocate … ─────┘
 *
 * polars and Arrow do most of their work on threads without a Python stack. An allocation of such a
 * thread is charged to the Python call that is under way in its library, if there is exactly one. A
 * library is here a group of files: all that lie in the folder of a library whose allocator is
 * followed. (pyarrow's extension modules call libarrow in the same folder.) */
#ifndef STACKGLASS_HEAP_LIBRARY_CALLS_H
#define STACKGLASS_HEAP_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/samples.h"

/* A function by which extension modules release or take the GIL, and its wrapper. */
struct sg_library_call_entry {
    const char *name;
    void *wrapper;
};
extern const struct sg_library_call_entry sg_library_call_entries[2];

/* Find the interpreter's functions. Returns false if they are not found. */
bool sg_library_calls_prepare(void);

/* Is `value` the interpreter's function that `wrapper` wraps? Does not call dlsym: this is called
 * inside dl_iterate_phdr, where dlsym could wait for a thread that loads a library while that
 * thread waits for this one. */
bool sg_library_calls_is_wrapped(const void *wrapper, const void *value);

/* Add the addresses [start, end) to the library `group` (numbered from 1). Returns false if there
 * is no room. One thread calls this, before calls are redirected to the wrappers. */
bool sg_library_calls_add(uintptr_t start, uintptr_t end, uint32_t group);
/* Forget all libraries, and ignore the calls under way. */
void sg_library_calls_forget(void);
/* As sg_library_calls_forget, in a forked child: no call is under way there. */
void sg_library_calls_forget_in_child(void);

/* Copy the stack of the only call under way in the library at `address` to `frames` (capacity,),
 * leaf first. Returns the number of frames; 0 = no call is under way, or more than one. Any thread,
 * inside SG_GATE_HEAP; never waits. */
uint32_t sg_library_calls_find(uintptr_t address, struct sg_frame *frames, uint32_t capacity);

/* Allocate room for the stacks of calls (returns 0, or -1 if memory is short), and free it. No
 * thread is inside the gate. */
int sg_library_calls_prepare_stacks(void);
void sg_library_calls_discard_stacks(void);

#endif
