/* Unwinder: steps from a frame of machine code to its caller, by the rules of the unwind tables.
 *
 * Async-signal-safe: it does not allocate or lock. It loads only memory within the bounds of the
 * thread's stack, so a wrong rule can end the walk but cannot crash the process. */
#ifndef STACKGLASS_UNWIND_UNWINDER_H
#define STACKGLASS_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "unwind/stack.h"
#include "unwind/tables.h"

enum { SG_UNWIND_REGISTERS = 16 };

/* Return NULL, or a sentence that says why this machine has no native stacks. */
const char *sg_unwinder_problem(void);

enum sg_unwind_end {
    SG_UNWIND_GOES_ON,
    SG_UNWIND_AT_ROOT, /* the thread's first function */
    SG_UNWIND_STUCK,   /* there is no rule for the code, or the stack does not fit the rule */
};

/* A frame, and its known registers. */
struct sg_unwinder {
    const struct sg_unwind_map *map;
    struct sg_unwind_bounds bounds;
    uintptr_t pc, sp, fp;
    bool is_exact; /* the frame was interrupted at `pc`; else `pc` is a return address */
    bool has_fp;
    /* all registers are known: in the innermost frame, and in a frame that a signal interrupted */
    bool has_registers;
    uintptr_t registers[SG_UNWIND_REGISTERS]; /* by DWARF's numbers */
};

/* Begin with the interrupted frame of the calling thread. */
void sg_unwinder_begin(struct sg_unwinder *unwinder, const struct sg_unwind_map *map,
                       struct sg_unwind_stack *stack, const ucontext_t *context);
/* Begin with a frame with these registers. */
void sg_unwinder_resume(struct sg_unwinder *unwinder, uintptr_t pc, uintptr_t sp, uintptr_t fp);
/* Step to the caller. */
enum sg_unwind_end sg_unwinder_step(struct sg_unwinder *unwinder);
/* Return an address within the instruction that runs; for a caller, within its call. */
static inline uintptr_t sg_unwinder_code(const struct sg_unwinder *unwinder) {
    return unwinder->is_exact ? unwinder->pc : unwinder->pc - 1;
}

#endif
