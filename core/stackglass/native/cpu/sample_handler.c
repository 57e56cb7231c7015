/* What a handler does at a tick: see sample_handler.h.
 *
 * It runs on whatever stack the program gave it, so the frames go into the slot. It may come at
 * any moment, so it allocates nothing, locks nothing, and touches no thread-local storage but
 * pthread_self() and the interpreter's own slot for the thread state. */
#include "cpu/sample_handler.h"

#include <Python.h>

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/clock.h"
#include "cpu/sample_log.h"
#include "cpu/signal_pipe.h"
#include "cpu/stack_cache.h"
#include "cpu/stack_request.h"
#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/machine.h"
#include "platform/memory.h"

enum { ATTACHED_BIT = 4, STACK_PROBE_PAGES = 32, PAGE_BYTES = 4096, NEAR_BYTES = 1 << 23 };

/* Lock-free. Written by open and close. */
static _Atomic bool is_open;
static _Atomic uint32_t n_handlers;
static _Atomic int64_t start_ns;
static _Atomic int clock_in_use;
static _Atomic uint64_t n_bad_walks;
static _Atomic uintptr_t main_stack_end; /* upper end of the main thread's C stack; 0 = unknown */
void (*sg_sample_handler_wake)(void);    /* set once, before the first open */

void sg_sample_handler_open(int64_t start_mono_ns, enum sg_clock clock) {
    atomic_store(&start_ns, start_mono_ns);
    atomic_store(&clock_in_use, clock);
    const uintptr_t *end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
    atomic_store(&main_stack_end, end ? *end : 0);
    atomic_store(&is_open, true);
}

void sg_sample_handler_set_clock(enum sg_clock clock) { atomic_store(&clock_in_use, clock); }

bool sg_sample_handler_close(void) {
    atomic_store(&is_open, false);
    for (int i = 0; i < 1000 && atomic_load(&n_handlers); i++)
        sg_futex_sleep_ns(100 * 1000);
    return sg_sample_handler_is_quiet();
}

bool sg_sample_handler_is_quiet(void) { return atomic_load(&n_handlers) == 0; }

void sg_sample_handler_discard(void) {
    atomic_store(&is_open, false);
    atomic_store(&n_handlers, 0);
}

uint64_t sg_sample_handler_bad_walks(void) { return atomic_load(&n_bad_walks); }

uint32_t sg_sample_handler_time(void) {
    int64_t since = (int64_t)sg_engine_threads_clock_ns(CLOCK_MONOTONIC) - atomic_load(&start_ns);
    return since < 0 ? 0 : (uint32_t)(since / SG_TIME_UNIT_NS);
}

/* Find out how far up the thread's C stack is mapped. glibc keeps a thread's descriptor, which is
 * what pthread_self() points to, at the upper end of its stack. The main thread's the kernel made,
 * in one piece that grows downwards, with nothing else for 128 MiB below. */
static void learn_stack(struct sg_slot *slot, uintptr_t sp) {
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

/* Is this slot the calling thread's? A signal sent to a thread may be late, and name a slot that
 * has since been given to another thread. */
static bool is_own(struct sg_slot *slot, uintptr_t sp) {
    uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t known = atomic_load_explicit(&slot->self, memory_order_relaxed);
    if (known)
        return known == self;
    if (atomic_load(&slot->tid) != (pid_t)syscall(SYS_gettid))
        return false;
    learn_stack(slot, sp);
    atomic_store(&slot->self, self);
    return true;
}

/* Was the thread in a system call? After one the instruction behind it comes next; if the call is
 * to be restarted, the call itself. */
static bool was_in_kernel(uintptr_t pc) {
    uint8_t code[2 * SG_SYSCALL_BYTES];
    return sg_memory_read_probed(pc - SG_SYSCALL_BYTES, code, sizeof code) &&
           (sg_machine_is_syscall(code) || sg_machine_is_syscall(code + SG_SYSCALL_BYTES));
}

/* A system call that waited, and was interrupted: it is to be restarted, or has failed. */
static bool was_interrupted(const void *context) {
    uintptr_t pc = sg_machine_pc(context);
    uint8_t code[2 * SG_SYSCALL_BYTES];
    if (!sg_memory_read_probed(pc - SG_SYSCALL_BYTES, code, sizeof code))
        return false;
    return sg_machine_is_syscall(code + SG_SYSCALL_BYTES) ||
           (sg_machine_is_syscall(code) && sg_machine_result(context) == -EINTR);
}

/* What the tick stands for, in CPU time; 0 = nothing, no sample.
 *
 * One signal may stand for many ticks: those that came while the thread was in the kernel are one
 * signal when it returns. So where kernel time counts, a tick stands for the CPU time since the
 * one before; only the first, after a random part of a period, stands for a period.
 *
 * An event that leaves the kernel's time out ticks at its period in user code, and each stands
 * for a period. Beside it the timer's ticks that come out of the kernel stand for the time since
 * the timer's one before, whether that came out of the kernel or not. */
static uint64_t weigh(struct sg_slot *slot, bool is_timer, uintptr_t pc) {
    uint64_t period_ns = atomic_load_explicit(&slot->period_ns, memory_order_relaxed);
    bool is_split =
        atomic_load_explicit(&clock_in_use, memory_order_relaxed) == SG_CLOCK_PERF_TIMER;
    if (is_split && !is_timer)
        return period_ns + atomic_exchange(&slot->owed_ns, 0);
    uint64_t cpu_ns = sg_engine_threads_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (is_split && slot->perf_fd != SG_NO_FD) {
        uint64_t since = slot->last_timer_ns ? cpu_ns - slot->last_timer_ns : period_ns;
        slot->last_timer_ns = cpu_ns;
        return was_in_kernel(pc) ? since : 0;
    }
    bool is_first = atomic_exchange(&slot->is_fresh, false);
    uint64_t since = is_first ? period_ns : cpu_ns - slot->last_cpu_ns;
    slot->last_cpu_ns = cpu_ns;
    return since ? since : 1;
}

/* Pseudo-frames on the leaf's side: what the thread does that no Python frame says. */
static uint32_t put_leaf(struct sg_frame *frames, const void *thread, uintptr_t pc) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    bool is_evaluating = pc - sg_python_symbols.eval_start <
                         sg_python_symbols.eval_end - sg_python_symbols.eval_start;
    if (is_evaluating)
        return 0;
    if (at->gc_collecting >= 0 &&
        sg_load_int((uintptr_t)thread + at->thread_status) >> ATTACHED_BIT & 1) {
        uintptr_t interp = sg_load((uintptr_t)thread + at->thread_interp);
        if (sg_load_int(interp + at->gc_collecting)) {
            frames[0] = (struct sg_frame){SG_GC, -1};
            return 1;
        }
    }
    if (sg_native_code_is_native(pc)) {
        frames[0] = (struct sg_frame){SG_NATIVE, -1};
        return 1;
    }
    return 0;
}

uint32_t sg_sample_handler_walk(struct sg_slot *slot, const void *thread, const void *context,
                                struct sg_frame *frames, uint32_t capacity) {
    uintptr_t pc = sg_machine_pc(context), sp = sg_machine_sp(context);
    if (!thread) {
        frames[0] = (struct sg_frame){SG_NO_PYTHON_THREAD, -1};
        return 1;
    }
    bool is_own_stack = sp >= slot->stack_low || slot->stack_low - sp < NEAR_BYTES;
    struct sg_walk walk = {
        .thread = thread,
        .pc = pc,
        .context = context,
        .stack_low = sp,
        .stack_high = is_own_stack && sp < slot->stack_high ? slot->stack_high : sp,
        .pages = &slot->pages,
        .frames = frames,
        .capacity = capacity,
        .depth = put_leaf(frames, thread, pc),
    };
    sg_frames_walk(&walk);
    if (!walk.depth) { /* no Python on it: a thread of Python's that begins or ends */
        frames[0] = (struct sg_frame){walk.is_bad ? SG_UNKNOWN : SG_NATIVE, -1};
        walk.depth = 1;
    }
    if (walk.is_bad)
        atomic_fetch_add_explicit(&n_bad_walks, 1, memory_order_relaxed);
    return walk.depth;
}

static void take(struct sg_slot *slot, bool is_timer, const void *context) {
    uint64_t cpu_ns = weigh(slot, is_timer, sg_machine_pc(context));
    if (!cpu_ns)
        return;
    struct sg_sample sample = {
        .tid = atomic_load_explicit(&slot->tid, memory_order_relaxed),
        .time = sg_sample_handler_time(),
        .count = 1,
        .cpu_ns = cpu_ns,
        .depth = sg_sample_handler_walk(slot, sg_calling_thread_interrupted(), context,
                                        slot->frames, SG_MAX_DEPTH),
        .frames = slot->frames,
    };
    sg_stack_cache_add(&sample);
}

static struct sg_slot *slot_of(const siginfo_t *info, bool *is_timer) {
    *is_timer = info->si_code == SI_TIMER;
    if (sg_signal_pipe_sent(info))
        return sg_threads_find_caller();
    if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE)
        return sg_threads_check(info->si_value.sival_ptr);
    if (info->si_code >= POLL_IN && info->si_code <= POLL_HUP)
        return sg_clock_perf_slot_of(info->si_fd);
    return NULL;
}

static void tick(struct sg_slot *slot, bool is_timer, const siginfo_t *info, const void *context) {
    if (!is_timer)
        atomic_fetch_add_explicit(&slot->n_event_ticks, 1, memory_order_relaxed);
    if (info->si_code == POLL_HUP && !atomic_exchange(&slot->is_first_over, true))
        sg_sample_handler_wake();
    if (!atomic_flag_test_and_set(&slot->is_busy)) {
        atomic_fetch_add_explicit(&slot->n_ticks, 1, memory_order_relaxed);
        bool is_wall = is_timer &&
                       atomic_load_explicit(&clock_in_use, memory_order_relaxed) == SG_CLOCK_TICKER;
        if (!is_wall || sg_wall_tick_found_it_running(slot, info, was_interrupted(context)))
            take(slot, is_timer, context);
        atomic_flag_clear(&slot->is_busy);
    } else { /* two of our signals at once, while one is exchanged for another */
        sg_sample_log_lose(1, atomic_load(&slot->period_ns));
    }
}

bool sg_sample_handler_take(const siginfo_t *info, const void *context) {
    bool is_timer;
    atomic_fetch_add(&n_handlers, 1);
    struct sg_slot *ticking = slot_of(info, &is_timer);
    struct sg_slot *slot = ticking ? ticking : sg_stack_request_slot(info);
    if (slot && atomic_load(&is_open) && is_own(slot, sg_machine_sp(context))) {
        bool is_tick =
            ticking && (!sg_signal_pipe_sent(info) || atomic_exchange(&slot->is_tick_sent, false));
        if (is_tick && atomic_load(&slot->period_ns))
            tick(slot, is_timer, info, context);
        if (!atomic_flag_test_and_set(&slot->is_busy)) {
            sg_stack_request_answer(slot, context);
            atomic_flag_clear(&slot->is_busy);
        }
    }
    atomic_fetch_sub(&n_handlers, 1);
    return slot != NULL;
}
