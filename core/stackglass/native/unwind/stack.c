/* The end of a thread's own stack is known, and pages are probed from there down to the stack
 * pointer. */
#include "unwind/stack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>

#include "platform/memory.h"

enum {
    PAGE_BYTES = 4096,
    MOST_PAGES_TRIED = 128,    /* in one call; a deeper stack takes several */
    MOST_OWN_BYTES = 16 << 20, /* bytes in use, beyond which a stack counts as foreign */
    MOST_FOREIGN_BYTES = 8 << 20,
};

static _Atomic uintptr_t main_stack_end; /* lock-free; 0 = not known */

void sg_unwind_stack_prepare(void) {
    atomic_store(&main_stack_end, getauxval(AT_EXECFN) & ~(uintptr_t)(sizeof(uintptr_t) - 1));
}

static uintptr_t page_of(uintptr_t address) { return address & ~(uintptr_t)(PAGE_BYTES - 1); }

/* Find the end of the calling thread's stack.
 *
 * The kernel makes the main thread's stack as one mapping, with nothing else in the 128 MiB below
 * its end, where it stores the name of the executed file (AT_EXECFN). Only addresses in the stack's
 * used part are probed, because the kernel would take another access for the stack's growth. glibc
 * keeps another thread's descriptor, to which pthread_self() points, at the upper end of its
 * stack. */
static void learn_end(struct sg_unwind_stack *stack, uintptr_t sp) {
    uintptr_t main_end = atomic_load_explicit(&main_stack_end, memory_order_relaxed);
    uintptr_t own = (uintptr_t)pthread_self();
    if (main_end > sp && main_end - sp < MOST_OWN_BYTES)
        stack->end = main_end;
    else if (own > sp)
        stack->end = own;
    else
        return;
    stack->low = page_of(stack->end);
}

/* Probe pages until [low, end) reaches down to `wanted`. Returns false if it does not, or not
 * yet. */
static bool extend(struct sg_unwind_stack *stack, uintptr_t wanted) {
    for (int i = 0; stack->low > wanted; i++) {
        char byte;
        if (i == MOST_PAGES_TRIED ||
            !sg_memory_read_probed(stack->low - PAGE_BYTES, &byte, sizeof byte))
            return false;
        stack->low -= PAGE_BYTES;
    }
    return true;
}

struct sg_unwind_bounds sg_unwind_stack_find(struct sg_unwind_stack *stack, uintptr_t sp) {
    uintptr_t low = sp - SG_UNWIND_RED_ZONE_BYTES;
    if (!stack->end)
        learn_end(stack, sp);
    bool is_own = stack->end > sp && stack->end - sp < MOST_OWN_BYTES && extend(stack, sp);
    struct sg_unwind_bounds bounds = {
        .stack = stack,
        .low = low,
        .end = is_own ? stack->end : sp + MOST_FOREIGN_BYTES,
        .is_foreign = !is_own,
    };
    if (is_own && low < stack->low && !extend(stack, low))
        bounds.low = sp; /* the thread's last page has no red zone below */
    return bounds;
}

bool sg_unwind_stack_load(const struct sg_unwind_bounds *bounds, uintptr_t address,
                          uintptr_t *word) {
    if (address % sizeof *word || address < bounds->low || bounds->end < sizeof *word ||
        address > bounds->end - sizeof *word)
        return false;
    if (bounds->is_foreign)
        return sg_memory_read_probed(address, word, sizeof *word);
    *word = sg_memory_load(address);
    return true;
}
