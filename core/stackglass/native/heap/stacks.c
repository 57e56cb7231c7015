/* Turns the steps of one memo, which all threads share, into nodes of the tree. The `value` of a
 * step is its node, so known steps need no look-up. */
#include "heap/stacks.h"

#include <stdatomic.h>

#include "frames/stack_memo.h"
#include "heap/samples.h"

/* The ledger's claim guards these; n_bad is lock-free. */
struct sg_stack_tree sg_heap_stacks;
static struct sg_stack_step known[SG_STACK_MEMO_STEPS(SG_STACK_DEPTH_MOST)];
static struct sg_stack_step fresh[SG_STACK_MEMO_STEPS(SG_STACK_DEPTH_MOST)];
static struct sg_stack_memo memo = {.known = known, .fresh = fresh};
static _Atomic uint64_t n_bad;

static uint32_t call(uint32_t caller, sg_code_id pseudo) {
    return sg_stack_tree_call(&sg_heap_stacks, caller, (struct sg_frame){pseudo, -1});
}

uint32_t sg_heap_stacks_walk(const void *thread) {
    if (!thread)
        return call(SG_NO_STACK, SG_NO_PYTHON_THREAD);
    memo.capacity = sg_heap_capture_depth - 1; /* the last frame may be SG_TRUNCATED */
    uint32_t n_same = sg_stack_memo_read(&memo, thread);
    uint32_t stack = n_same        ? known[n_same - 1].value
                     : memo.is_cut ? call(SG_NO_STACK, SG_TRUNCATED)
                                   : SG_NO_STACK;
    for (uint32_t i = n_same; i < memo.n_known; i++) {
        struct sg_frame frame;
        enum sg_stack_seen seen = sg_stack_memo_look(&known[i], &frame);
        if (seen == SG_STEP_IS_NONE)
            atomic_fetch_add_explicit(&n_bad, 1, memory_order_relaxed);
        if (seen == SG_STEP_IS_FRAME)
            stack = sg_stack_tree_call(&sg_heap_stacks, stack, frame);
        known[i].value = stack;
    }
    if (stack == SG_NO_STACK) /* the interpreter allocates before a thread's first function */
        stack = call(stack, SG_NATIVE);
    if (stack == SG_STACK_LOST)
        sg_stack_memo_forget(&memo);
    return stack;
}

uint64_t sg_heap_stacks_bad_walks(void) { return atomic_load(&n_bad); }

void sg_heap_stacks_discard(void) {
    sg_stack_tree_discard(&sg_heap_stacks);
    sg_stack_memo_forget(&memo);
    atomic_store(&n_bad, 0);
}
