/* Trimming: from the stack as it was walked to the stack as it is recorded.
 *
 *     walked     _thread.lock.acquire ← Condition.wait ← Queue.get ← work ← main
 *                leaf, not a frame      primitive        outermost
 *     recorded                                           Queue.get ← work ← main
 *
 * The leaf and its caller together say what the call is (classify): a wait for a lock that was made
 * for this one wait, the second half of a wait, or a release that only wakes a thread. Stacks of
 * asyncio are also cut at the root, at the function in which the event loop calls tasks and
 * callbacks. */
#include "contention/stacks.h"

#include <stdatomic.h>

#include "contention/primitive_functions.h"
#include "frames/walk.h"
#include "interpreter/calling_thread.h"

/* Described in samples.h. */
uint32_t sg_contention_stacks_depth = SG_STACK_DEPTH_DEFAULT;
struct sg_stack_tree sg_contention_stacks; /* guarded by the ledger's claim */
static _Atomic uint64_t n_bad;             /* lock-free */

/* Return SG_STACK_… of a primitive, which depends on the function that called it. */
static uint32_t classify(enum sg_primitive leaf, uint32_t caller_traits) {
    bool is_plain = leaf == SG_PRIMITIVE_LOCK_ACQUIRE || leaf == SG_PRIMITIVE_LOCK_ENTER;
    bool is_restore = leaf == SG_PRIMITIVE_RLOCK_ACQUIRE_RESTORE;
    if (caller_traits & SG_FUNCTION_RESTORES || (is_restore && caller_traits & SG_FUNCTION_SLEEPS))
        return SG_STACK_RESTORES;
    if (is_plain && caller_traits & SG_FUNCTION_SLEEPS)
        return SG_STACK_SLEEPS;
    return leaf == SG_PRIMITIVE_LOCK_RELEASE && caller_traits & SG_FUNCTION_WAKES ? SG_STACK_WAKES
                                                                                  : 0;
}

/* Cut off the loop's frames below a task or a callback, which are the same for all of them. A stall
 * has no frame of the loop on top either, unless that frame is the only one. */
static void cut_event_loop(struct sg_capture *capture, enum sg_primitive leaf) {
    uint32_t depth = 0;
    while (depth < capture->depth &&
           !(sg_primitive_functions_find(capture->frames[depth].code) & SG_FUNCTION_BEGINS))
        depth++;
    if (leaf == SG_PRIMITIVE_EVENT_LOOP && depth > 1) {
        capture->frames++;
        depth--;
    }
    capture->depth = depth ? depth : 1;
}

/* Cut the stack to the outermost primitive, and to the depth that is kept. */
static void trim(struct sg_capture *capture, enum sg_primitive leaf, uint32_t depth) {
    uint32_t outermost = 0, traits;
    while (leaf != SG_PRIMITIVE_EVENT_LOOP && outermost + 1 < depth &&
           outermost < SG_MOST_TRIMMED &&
           (traits = sg_primitive_functions_find(capture->walked[outermost + 1].code)) &
               SG_FUNCTION_IS_PRIMITIVE) {
        if (outermost++ == 0)
            capture->traits = classify(leaf, traits);
        if (traits & SG_FUNCTION_HANDS_ON)
            capture->traits |= SG_STACK_HOLDS_UP;
    }
    capture->is_idle =
        outermost + 1 < depth &&
        sg_primitive_functions_find(capture->walked[outermost + 1].code) & SG_FUNCTION_IDLES;
    if (outermost) /* one call, one stack, wherever inside the library it waits */
        capture->walked[outermost].lasti = -1;
    capture->n_primitives = outermost;
    capture->frames = &capture->walked[outermost];
    capture->depth = depth - outermost;
    if (sg_primitive_is_asyncio(leaf))
        cut_event_loop(capture, leaf);
    uint32_t most = capture->room - SG_MOST_TRIMMED;
    if (capture->depth > most) {
        capture->depth = most;
        capture->walked[capture->frames - capture->walked + most - 1] =
            (struct sg_frame){SG_TRUNCATED, -1};
    }
}

void sg_contention_stacks_capture(struct sg_capture *capture, const void *thread,
                                  enum sg_primitive leaf) {
    struct sg_walk walk = {
        .thread = thread ? thread : sg_calling_thread_state(true),
        .is_settled = true,
        .frames = capture->walked,
        .capacity = capture->room,
        .depth = 1,
    };
    capture->traits = 0;
    capture->is_idle = false;
    capture->walked[0] = (struct sg_frame){sg_primitive_frame(leaf), -1};
    if (walk.thread)
        sg_frames_walk(&walk);
    else
        capture->walked[walk.depth++] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
    if (walk.is_bad)
        atomic_fetch_add_explicit(&n_bad, 1, memory_order_relaxed);
    trim(capture, leaf, walk.depth);
}

sg_contention_stack sg_contention_stacks_intern(const struct sg_frame *frames, uint32_t depth,
                                                uint32_t traits) {
    uint32_t node = sg_stack_tree_intern(&sg_contention_stacks, frames, depth);
    return node == SG_STACK_LOST ? node : node | traits;
}

uint64_t sg_contention_stacks_bad_walks(void) { return atomic_load(&n_bad); }

void sg_contention_stacks_discard(void) {
    sg_stack_tree_discard(&sg_contention_stacks);
    atomic_store(&n_bad, 0);
}
