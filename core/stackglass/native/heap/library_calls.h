/* Calls from Python into libraries that have released the GIL: whose stack stands for a library's
 * own threads.
 *
 *     Python thread ──▶ polars: PyEval_SaveThread ─────────── PyEval_RestoreThread ──▶
 *                               │ stack is kept                │ and dropped
 *     polars' threads           └── allocate … allocate … ─────┘
 *
 * polars and Arrow do most of their work on threads that Python does not know. What such a thread
 * allocates belongs to the Python call under way in that library, if there is exactly one; with
 * none or several there is no telling. A library here is all that lies in the folder of one whose
 * allocator is followed (pyarrow's extensions call libarrow). */
#ifndef STACKGLASS_HEAP_LIBRARY_CALLS_H
#define STACKGLASS_HEAP_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/code_ids.h"

/* The functions that extensions release and take the GIL with, and ours for them. */
struct sg_library_call_entry {
    const char *name;
    void *ours;
};
extern const struct sg_library_call_entry sg_library_call_entries[2];

/* Learn the interpreter's own. False if there are none to be found. */
bool sg_library_calls_prepare(void);

/* Is `value` the interpreter's function that `ours` stands for? Looks nothing up, since it is asked
 * within dl_iterate_phdr: dlsym would wait there for a thread that loads a library, and that thread
 * for us. */
bool sg_library_calls_is_theirs(const void *ours, const void *value);

/* Addresses [start, end) belong to library `group` (1 …). By one thread, before calls are led here.
 * False if there is no room. */
bool sg_library_calls_add(uintptr_t start, uintptr_t end, uint32_t group);
/* No address belongs to any library. Calls under way are forgotten. */
void sg_library_calls_forget(void);
void sg_library_calls_forget_in_child(void);

/* The stack of the one call under way in the library at `address`: frames (SG_HEAP_DEPTH,), leaf
 * first. How many; 0 = there is none, or more than one. Any thread; waits for none. */
uint32_t sg_library_calls_find(uintptr_t address, struct sg_frame *frames);

#endif
