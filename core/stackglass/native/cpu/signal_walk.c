/* Walk of an interrupted thread by its own signal handler. The frames, from the leaf:
 *
 *     in the evaluation loop     Python frames (walk.h)
 *     in a garbage collection    <gc>, then Python frames
 *     in code of an extension    its machine code, then Python frames
 *     thread without Python      machine code of an extension, if any, then a pseudo-frame
 *
 * A Python thread that begins or ends has no Python frame, and gets a pseudo-frame.
 *
 * The range of a thread's C stack is learned once, so that the walk can read the stack in place: it
 * ends at glibc's thread descriptor or, for the main thread, at __libc_stack_end. If sp is on
 * another stack (of signals, of a coroutine library), the range of that stack is not known, so
 * words are read by calls that cannot fault. */
#include "cpu/signal_walk.h"

#include <pthread.h>
#include <stdatomic.h>

#include "interpreter/collector.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "platform/machine.h"
#include "platform/memory.h"

enum { STACK_PROBE_PAGES = 32, PAGE_BYTES = 4096, NEAR_BYTES = 1 << 23 };

/* Lock-free. */
static _Atomic uint64_t n_bad_walks;
static _Atomic uintptr_t main_stack_end; /* upper end of the main thread's C stack; 0 = unknown */

void sg_signal_walk_prepare(void) {
    const uintptr_t *end = sg_python_symbols_address("__libc_stack_end");
    atomic_store(&main_stack_end, end ? *end : 0);
}

void sg_signal_walk_count_bad(void) {
    atomic_fetch_add_explicit(&n_bad_walks, 1, memory_order_relaxed);
}

uint64_t sg_signal_walk_bad_count(void) { return atomic_load(&n_bad_walks); }

/* glibc keeps a thread's descriptor, to which pthread_self() points, at the upper end of the
 * thread's stack. The kernel made the main thread's stack: one piece that grows downwards, with
 * nothing else in the 128 MiB below it. */
void sg_signal_walk_learn_stack(struct sg_slot *slot, uintptr_t sp) {
    uintptr_t low = sp & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t high = (uintptr_t)pthread_self();
    uintptr_t main_end = atomic_load_explicit(&main_stack_end, memory_order_relaxed);
    slot->stack_low = slot->stack_high = 0;
    if (main_end > sp && main_end - sp < NEAR_BYTES) {
        slot->stack_low = low;
        slot->stack_high = main_end;
        return;
    }
    if (high <= sp || high - low > STACK_PROBE_PAGES * PAGE_BYTES)
        return;
    for (uintptr_t page = low; page < high; page += PAGE_BYTES) {
        char byte;
        if (!sg_memory_read_probed(page, &byte, 1))
            return;
    }
    slot->stack_low = low;
    slot->stack_high = high;
}

/* Put the interrupted machine code at the leaf, unless it is the interpreter's or the C runtime's.
 * Returns how many frames were put. */
static uint32_t put_native(struct sg_frame *frames, uintptr_t pc) {
    if (!sg_native_code_is_native(pc))
        return 0;
    frames[0] = sg_frame_of_native(pc);
    return 1;
}

/* Put pseudo-frames at the leaf, for work that no Python frame shows. Returns how many. */
static uint32_t put_leaf(struct sg_frame *frames, const void *thread, uintptr_t pc) {
    bool is_evaluating = pc - sg_python_symbols.eval_start <
                         sg_python_symbols.eval_end - sg_python_symbols.eval_start;
    if (is_evaluating)
        return 0;
    if (sg_collector_runs(thread)) {
        frames[0] = (struct sg_frame){SG_GC, -1};
        return 1;
    }
    return put_native(frames, pc);
}

uint32_t sg_signal_walk(struct sg_slot *slot, const void *thread, const void *context,
                        struct sg_frame *frames, uint32_t capacity,
                        struct sg_wanted_frames *wanted) {
    uintptr_t pc = sg_machine_pc(context), sp = sg_machine_sp(context);
    if (!thread) {
        uint32_t n = put_native(frames, pc);
        frames[n] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
        return n + 1;
    }
    bool is_own_stack = sp >= slot->stack_low || slot->stack_low - sp < NEAR_BYTES;
    struct sg_walk walk = {
        .thread = thread,
        .pc = pc,
        .context = context,
        .stack_low = sp,
        .stack_high = is_own_stack && sp < slot->stack_high ? slot->stack_high : sp,
        .pages = &slot->pages,
        .wanted = wanted,
        .frames = frames,
        .capacity = capacity,
        .depth = put_leaf(frames, thread, pc),
    };
    sg_frames_walk(&walk);
    if (!walk.depth) { /* a Python thread that begins or ends */
        frames[0] = (struct sg_frame){walk.is_bad ? SG_UNKNOWN : SG_NATIVE, -1};
        walk.depth = 1;
    }
    if (walk.is_bad)
        sg_signal_walk_count_bad();
    return walk.depth;
}
