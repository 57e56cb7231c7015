/* Allocator hooks: hooks on Python's MEM and OBJ allocators (interpreter/allocator_patch.h) that
 * pass samples of allocations, and frees of sampled blocks, to the heap profile. */
#ifndef STACKGLASS_HEAP_ALLOCATOR_HOOKS_H
#define STACKGLASS_HEAP_ALLOCATOR_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the interpreter's functions: NULL, or why not. Caller holds the GIL, as for all below. */
const char *sg_allocator_hooks_prepare(void);

/* Hook, or use again the hooks that are in place. */
void sg_allocator_hooks_install(void);
/* Unhook. Where another tool has hooked above the hooks, the hooks stay and pass through. Needs no
 * memory.
 */
void sg_allocator_hooks_remove(void);
/* Whether an allocation of both domains reaches the hooks, by making one. */
bool sg_allocator_hooks_are_called(void);

/* Sample at `rate` from the next allocation of each thread on. Of two concurrent calls one may take
 * half effect, until `maintain`. Any thread, no GIL. */
void sg_allocator_hooks_set_rate(uint64_t rate);
/* Several times a second, by one thread: repair what concurrent calls of set_rate have left. */
void sg_allocator_hooks_maintain(void);
uint64_t sg_allocator_hooks_rate(void); /* the last one that was set */

/* The number of the calling thread's countdown; for tests. */
uint32_t sg_allocator_hooks_stripe(void);

#endif
