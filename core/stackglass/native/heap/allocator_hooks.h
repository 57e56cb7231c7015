/* Allocator hooks: hooks on Python's MEM and OBJ allocators (interpreter/allocator_patch.h) that
 * pass samples of allocations, and frees of sampled blocks, to the heap profile. */
#ifndef STACKGLASS_HEAP_ALLOCATOR_HOOKS_H
#define STACKGLASS_HEAP_ALLOCATOR_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the interpreter's functions. Returns NULL, or one sentence that says why they were not
 * found. The caller of this and the next three functions holds the GIL. */
const char *sg_allocator_hooks_prepare(void);

/* Hook the allocators, or use again the hooks that are in place. */
void sg_allocator_hooks_install(void);
/* Sample nothing any more, and unhook. Where another tool has hooked above the hooks, they stay and
 * only pass calls on. Needs no memory. */
void sg_allocator_hooks_remove(void);
/* Do allocations of both domains reach the hooks? Allocates a block in each to find out. */
bool sg_allocator_hooks_are_called(void);
/* Forget which threads of the parent were inside an allocator, and end a trial of the hooks. */
void sg_allocator_hooks_after_fork_in_child(void);

/* Sample one byte in `rate` on average (0 = none), from the next allocation of each thread on. Of
 * two calls at the same time, one wins. Any thread, with or without the GIL. */
void sg_allocator_hooks_set_rate(uint64_t rate);
/* After each 2^18 changes of the rate, let threads sample that have not allocated since earlier
 * ones. One thread calls this several times a second. */
void sg_allocator_hooks_maintain(void);
uint64_t sg_allocator_hooks_rate(void); /* return the rate in force */

/* Return the number of the calling thread's countdown; for tests. */
uint32_t sg_allocator_hooks_stripe(void);

#endif
