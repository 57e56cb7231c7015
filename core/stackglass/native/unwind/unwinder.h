/* Unwinder: from a frame of machine code to its caller, by the tables.
 *
 * Async-signal-safe: no allocation, no lock; loads only what the bounds of the thread's stack
 * allow, so a wrong rule ends the walk and cannot harm. */
#ifndef STACKGLASS_UNWIND_UNWINDER_H
#define STACKGLASS_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "unwind/stack.h"
#include "unwind/tables.h"

enum { SG_UNWIND_REGISTERS = 16 };

/* NULL, or one sentence that says why there are no native stacks on this machine. */
const char *sg_unwinder_problem(void);

enum sg_unwind_end {
    SG_UNWIND_GOES_ON,
    SG_UNWIND_AT_ROOT, /* the thread's first function */
    SG_UNWIND_STUCK,   /* code without a rule, or a stack that does not fit it */
};

/* A frame, and what is known of its registers. */
struct sg_unwinder {
    const struct sg_unwind_map *map;
    struct sg_unwind_bounds bounds;
    uintptr_t pc, sp, fp;
    bool is_exact; /* the frame was interrupted at `pc`; else that is a return address */
    bool has_fp;
    bool has_registers; /* all of them: the innermost frame, or one that a signal interrupted */
    uintptr_t registers[SG_UNWIND_REGISTERS]; /* as DWARF numbers them */
};

/* Begin with the frame of an interrupted thread, which is the calling one. */
void sg_unwinder_begin(struct sg_unwinder *unwinder, const struct sg_unwind_map *map,
                       struct sg_unwind_stack *stack, const ucontext_t *context);
/* Begin with a frame of which these registers are known. */
void sg_unwinder_resume(struct sg_unwinder *unwinder, uintptr_t pc, uintptr_t sp, uintptr_t fp);
/* Go to the caller. */
enum sg_unwind_end sg_unwinder_step(struct sg_unwinder *unwinder);
/* An address in the instruction that runs: for a caller, in its call. */
static inline uintptr_t sg_unwinder_code(const struct sg_unwinder *unwinder) {
    return unwinder->is_exact ? unwinder->pc : unwinder->pc - 1;
}

#endif
