/* Stack memo: a thread's stack, read again by what has changed since the last reading.
 *
 *     known, root first: │ main:12 │ serve:80 │ handle:31 │ parse:7 │
 *     now, leaf first:   │ parse:9 │ handle:31 = │ serve:80 = │ main:12 = │
 *                          new       same frame, code and instruction: known from here to the root
 *
 * Every frame is compared, since one far from the leaf may have gone on and made the same call
 * again. The addresses to compare come from the memo: the processor need not wait for one frame
 * before it loads the next. The thread reads its own stack in a call that its Python code made, so
 * its frames are consistent and are read in place, as with walk.h's is_settled. */
#ifndef STACKGLASS_FRAMES_STACK_MEMO_H
#define STACKGLASS_FRAMES_STACK_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "frames/code_ids.h"

struct sg_stack_step {
    uintptr_t frame;
    uintptr_t code;       /* 3.14 and later: with its tags */
    uint64_t instruction; /* ≤3.10: int */
    uint32_t value;       /* the caller's: of the stack up to here */
    uint32_t n_frames;    /* from the root up to here, without entry frames */
    bool is_shim;         /* an entry frame: neither code nor instruction */
};

struct sg_stack_memo {
    struct sg_stack_step *known; /* (n_known,), root first; room for SG_STACK_MEMO_STEPS */
    struct sg_stack_step
        *fresh;        /* scratch of a reading, as large: too large for the program's stack */
    uint32_t capacity; /* frames */
    /* A stack deeper than `capacity` is cut to capacity - slack frames, so that the next calls fit
     * without another cut. With 0, equal stacks are always cut to the same frames. */
    uint32_t slack;
    uint32_t n_known;
    bool is_cut;     /* callers of the root were left out */
    uint64_t deaths; /* sg_code_ids_deaths() at the last reading */
};
#define SG_STACK_MEMO_STEPS(capacity) (2 * (capacity) + 2)

/* Read the stack of `thread`, the calling thread's own state. Afterwards `known` is the stack;
 * returns how many steps of it, from the root on, are as before. The caller sets `value` of the
 * others. */
uint32_t sg_stack_memo_read(struct sg_stack_memo *memo, const void *thread);

/* What a step is in a sample; SG_STEP_IS_FRAME fills in `frame`. Python hides a frame until its
 * first traceable instruction; NONE: the step has no live code object. */
enum sg_stack_seen { SG_STEP_IS_FRAME, SG_STEP_IS_HIDDEN, SG_STEP_IS_NONE };
enum sg_stack_seen sg_stack_memo_look(const struct sg_stack_step *step, struct sg_frame *frame);

static inline void sg_stack_memo_forget(struct sg_stack_memo *memo) { memo->n_known = 0; }

#endif
