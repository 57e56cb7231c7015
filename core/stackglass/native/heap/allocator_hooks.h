/* Hooks on Python's MEM and OBJ allocators.
 *
 * The RAW allocator is called without the GIL, and PyMem_SetAllocator exchanges its five words one
 * after the other: so it is never hooked. For MEM and OBJ the GIL makes the exchange one step; and
 * should an extension call them without it all the same, it finds functions that go together in
 * any mixture, since our hooks take the context of the allocator that they cover. */
#ifndef STACKGLASS_HEAP_ALLOCATOR_HOOKS_H
#define STACKGLASS_HEAP_ALLOCATOR_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* Find the interpreter's functions: NULL, or why not. Caller holds the GIL, as for all below. */
const char *sg_allocator_hooks_prepare(void);

/* Hook, or use the hooks again that are in place. */
void sg_allocator_hooks_install(void);
/* Unhook; where somebody has hooked above us, the hooks stay and pass through. Needs no memory. */
void sg_allocator_hooks_remove(void);
/* Try whether an allocation comes to our hooks. False if not in both domains. */
bool sg_allocator_hooks_are_called(void);

/* Sample at `rate` from the next allocation of each thread on. Two calls at a time may lose an
 * outcome, which `tend` restores. Any thread, no GIL. */
void sg_allocator_hooks_set_rate(uint64_t rate);
void sg_allocator_hooks_maintain(void);
uint64_t sg_allocator_hooks_rate(void); /* that was asked for */

/* Where the calling thread counts what it has left to pass over; for tests. */
uint32_t sg_allocator_hooks_stripe(void);

#endif
