/* Raw allocator: whether a tool such as tracemalloc hooks the allocations that are made without the
 * GIL.
 *
 * Two locks can deadlock. From 3.13 on PyMem_GetAllocator takes a lock, and a thread that waits for
 * this lock releases the GIL meanwhile. tracemalloc.stop() takes the same lock while it holds the
 * lock of tracemalloc's tables; threads that wait for the tables keep the GIL. If every caller of
 * PyMem_GetAllocator holds the GIL, no thread ever waits for its lock. A caller without the GIL may
 * make stop() wait, and then the program hangs for good:
 *
 *     engine, no GIL    GetAllocator ══════╗
 *     stop()            holds the tables, waits, releases the GIL ┈┈▶ waits for the GIL
 *     any thread                     takes the GIL, allocates ┈┈▶ waits for the tables */
#ifndef STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H
#define STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H

#include <stdbool.h>

/* Find CPython's functions. Called once, before the other functions of this file. */
void sg_raw_allocator_find(void);

/* Is the raw allocator the interpreter's own, with or without its debug hooks (PYTHONMALLOC=debug)?
 * Returns true if PyMem_GetAllocator was not found. The caller holds the GIL. */
bool sg_raw_allocator_is_own(void);

/* Is tracemalloc on? (Up to 3.12: has any tool replaced the raw allocator?) Returns false if
 * CPython's function was not found. Any thread, without the GIL. */
bool sg_raw_allocator_is_traced(void);

/* May tracemalloc have been started since the interpreter's start? Up to 3.11 its configuration
 * shows that; from 3.12 on it may if its module is loaded. Returns true if that is not known. Any
 * thread. */
bool sg_raw_allocator_may_be_traced(void);

#endif
