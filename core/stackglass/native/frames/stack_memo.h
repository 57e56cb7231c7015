/* Stack memo: remembers a thread's stack, so that the next reading costs only what has changed.
 *
 *     known, root first: │ main:12 │ serve:80 │ handle:31 │ parse:7 │
 *     now, leaf first:   │ parse:9 │ handle:31 = │ serve:80 = │ main:12 = │
 *                          new       same frame, code and instruction: known from here to the root
 *
 * Every frame is compared, since a frame far from the leaf may have returned and been called again.
 * The addresses to compare come from the memo, so the processor need not wait for one frame before
 * it loads the next. The thread reads its own stack in a call that its Python code made. So its
 * frames are complete and are read in place, as by a walk (walk.h) that is_settled. */
#ifndef STACKGLASS_FRAMES_STACK_MEMO_H
#define STACKGLASS_FRAMES_STACK_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/code_ids.h"

struct sg_stack_step {
    uintptr_t frame;
    uintptr_t code;       /* the frame's word for its code object; from 3.14 on with tags */
    uint64_t instruction; /* an address; up to 3.10 the int f_lasti */
    uint32_t value;    /* set by the memo's user: stands for the stack from the root up to here */
    uint32_t n_frames; /* from the root up to here, without entry frames */
    bool is_shim;      /* an entry frame: neither code nor instruction */
};

struct sg_stack_memo {
    struct sg_stack_step *known; /* (n_known,), root first; room for SG_STACK_MEMO_STEPS */
    /* scratch space of a reading, as large as `known`; it would not fit on a C stack */
    struct sg_stack_step *fresh;
    uint32_t capacity; /* frames that the memo keeps of a stack */
    /* A stack deeper than `capacity` is cut to capacity - slack frames, so that the next calls fit
     * without another cut. With 0, equal stacks are always cut to the same frames. */
    uint32_t slack;
    uint32_t n_known;
    bool is_cut;     /* callers of the root were left out */
    uint64_t deaths; /* sg_code_ids_deaths() at the last reading */
};
#define SG_STACK_MEMO_STEPS(capacity) (2 * (capacity) + 2)

/* Read the stack of `thread`, the calling thread's own PyThreadState, into `known`. Returns how
 * many steps, from the root on, are as before. The caller sets the `value` of the other steps. */
uint32_t sg_stack_memo_read(struct sg_stack_memo *memo, const void *thread);

/* What a step is in a sample. */
enum sg_stack_seen {
    SG_STEP_IS_FRAME,
    SG_STEP_IS_HIDDEN, /* an entry frame, or a frame before its first traceable instruction */
    SG_STEP_IS_NONE    /* the step has no live code object, or no valid instruction */
};
/* Return what `step` is. Fills in `frame` if it is SG_STEP_IS_FRAME. */
enum sg_stack_seen sg_stack_memo_look(const struct sg_stack_step *step, struct sg_frame *frame);

static inline void sg_stack_memo_forget(struct sg_stack_memo *memo) { memo->n_known = 0; }

#endif
