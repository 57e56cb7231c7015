/* Stack bounds: the memory from a thread's stack pointer up that can be read.
 *
 *     low ◀─── proven ───▶ end          sp further down: more pages are probed, from `low` down
 *      │ page │ page │ page │
 *
 * A page of a thread's own stack stays mapped as long as the thread lives, so each page is probed
 * once. On another stack (of a coroutine, or for signals) every word is read by a call that checks
 * it first. */
#ifndef STACKGLASS_UNWIND_STACK_H
#define STACKGLASS_UNWIND_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The own stack of one thread; zeroed before its first use, and used by that thread only. */
struct sg_unwind_stack {
    uintptr_t low, end; /* memory that stays mapped while the thread lives; 0 = not known yet */
};

/* The memory that can be read at present. */
struct sg_unwind_bounds {
    struct sg_unwind_stack *stack;
    uintptr_t low, end;
    bool is_foreign; /* not the thread's own stack: each word is probed before it is read */
};

/* memory below the stack pointer that a function may use */
enum { SG_UNWIND_RED_ZONE_BYTES = 128 };

/* Find the end of the main thread's stack. Called before any other function. */
void sg_unwind_stack_prepare(void);
/* Return the bounds for a frame of the calling thread with this stack pointer.
 * Async-signal-safe. */
struct sg_unwind_bounds sg_unwind_stack_find(struct sg_unwind_stack *stack, uintptr_t sp);
/* Load a word. Returns false if it is outside the bounds or cannot be read. Async-signal-safe. */
bool sg_unwind_stack_load(const struct sg_unwind_bounds *bounds, uintptr_t address,
                          uintptr_t *word);

#endif
