/* Stack bounds: which memory from a thread's stack pointer up can be read.
 *
 *     low ◀─── proven ───▶ end          sp further down: more pages are tried, from `low` down
 *      │ page │ page │ page │
 *
 * A page of a thread's own stack stays mapped as long as the thread lives, so each is tried once.
 * On another stack (a coroutine's, or the one for signals) every word is read by a call that
 * checks it first. */
#ifndef STACKGLASS_UNWIND_STACK_H
#define STACKGLASS_UNWIND_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Of one thread, zeroed before its first use; used by that thread alone. */
struct sg_unwind_stack {
    uintptr_t low, end; /* mapped while the thread lives; 0 = not known yet */
};

/* What can be read at present. */
struct sg_unwind_bounds {
    struct sg_unwind_stack *stack;
    uintptr_t low, end;
    bool is_foreign; /* each word is checked */
};

enum { SG_UNWIND_RED_ZONE_BYTES = 128 }; /* below the stack pointer, in use by the function */

/* Find the main thread's stack. Before any other call. */
void sg_unwind_stack_prepare(void);
/* Bounds for a frame of the calling thread with this stack pointer. Async-signal-safe. */
struct sg_unwind_bounds sg_unwind_stack_find(struct sg_unwind_stack *stack, uintptr_t sp);
/* Load a word; false outside the bounds. Async-signal-safe. */
bool sg_unwind_stack_load(const struct sg_unwind_bounds *bounds, uintptr_t address,
                          uintptr_t *word);

#endif
