/* Raw allocator: whether a tool such as tracemalloc hooks the allocations that are made without the
 * GIL.
 *
 * From 3.13 on PyMem_GetAllocator takes a lock, and a thread that waits for it releases the GIL
 * meanwhile. tracemalloc.stop() takes it while it holds the lock of tracemalloc's tables, whose
 * waiters keep the GIL. If every caller holds the GIL, no thread ever waits for the first lock. A
 * caller without the GIL makes stop() wait, and the program hangs for good:
 *
 *     engine, no GIL    GetAllocator ══════╗
 *     stop()            holds the tables, waits, releases the GIL ┈┈▶ waits for the GIL
 *     any thread                     takes the GIL, allocates ┈┈▶ waits for the tables
 */
#ifndef STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H
#define STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H

#include <stdbool.h>

/* Find CPython's functions. Called once by one thread, before all others here. */
void sg_raw_allocator_find(void);

/* Is the raw allocator the interpreter's own, with or without its debug hooks (PYTHONMALLOC=debug)?
 * True if PyMem_GetAllocator was not found. Caller holds the GIL. */
bool sg_raw_allocator_is_own(void);

/* Is tracemalloc on? Up to 3.12: has any tool replaced the allocator? False if CPython's function
 * was not found. Any thread, without the GIL. */
bool sg_raw_allocator_is_traced(void);

/* May tracemalloc have been started since the interpreter's start? Up to 3.11 its configuration
 * says so; from 3.12 on: is its module loaded? True if that is not known. Any thread. */
bool sg_raw_allocator_may_be_traced(void);

#endif
