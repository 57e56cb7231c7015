/* Raw allocator: whether a tool such as tracemalloc hooks the allocations that are made without the
 * GIL. */
#ifndef STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H
#define STACKGLASS_INTERPRETER_RAW_ALLOCATOR_H

#include <stdbool.h>

/* Look its functions up; before the others, by one thread. */
void sg_raw_allocator_find(void);

/* Is it the interpreter's own, with or without its debug hooks (PYTHONMALLOC=debug)? True if it
 * cannot be asked. Any thread. */
bool sg_raw_allocator_is_own(void);

/* May tracemalloc have been started at any time? Up to 3.11 the interpreter says so; from 3.12 on:
 * is its module loaded? True if that is not known. Any thread. */
bool sg_raw_allocator_may_be_traced(void);

#endif
