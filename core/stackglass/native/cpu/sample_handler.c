/* Handler of the sampler's signal: ticks, and requests for a stack.
 *
 * It runs on a stack that the program provides, so the frames go into the slot. It may interrupt
 * any code, so it allocates nothing, takes no lock, and touches no thread-local storage but errno,
 * pthread_self() and the interpreter's own slot for the thread state. */
#include "cpu/sample_handler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu/clock_perf.h"
#include "cpu/clock_timer.h"
#include "cpu/native_walk.h"
#include "cpu/sample.h"
#include "cpu/sample_log.h"
#include "cpu/sampler_thread.h"
#include "cpu/signal_pipe.h"
#include "cpu/signal_walk.h"
#include "cpu/stack_cache.h"
#include "cpu/stack_request.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "cpu/tick_weight.h"
#include "interpreter/calling_thread.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/machine.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "tasks/running.h"

/* Lock-free. Written by open and close. */
static _Atomic bool is_open;
static _Atomic uint32_t n_handlers;

void sg_sample_handler_open(void) { atomic_store(&is_open, true); }

void sg_sample_handler_close(void) {
    atomic_store(&is_open, false);
    for (int i = 0; i < 1000 && atomic_load(&n_handlers); i++)
        sg_futex_sleep_ns(100 * 1000);
}

bool sg_sample_handler_is_quiet(void) { return atomic_load(&n_handlers) == 0; }

void sg_sample_handler_discard(void) {
    atomic_store(&is_open, false);
    atomic_store(&n_handlers, 0);
}

/* Is this slot the calling thread's? A late signal may name a slot that another thread has now. */
static bool is_own(struct sg_slot *slot, uintptr_t sp) {
    uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t known = atomic_load_explicit(&slot->self, memory_order_relaxed);
    if (known)
        return known == self;
    if (atomic_load(&slot->tid) != (pid_t)syscall(SYS_gettid))
        return false;
    sg_signal_walk_learn_stack(slot, sp);
    atomic_store(&slot->self, self);
    return true;
}

/* Was a waiting system call interrupted? Then it is about to be restarted, or has failed. */
static bool was_interrupted(const void *context) {
    uintptr_t pc = sg_machine_pc(context);
    uint8_t code[2 * SG_SYSCALL_BYTES];
    if (!sg_memory_read_probed(pc - SG_SYSCALL_BYTES, code, sizeof code))
        return false;
    return sg_machine_is_syscall(code + SG_SYSCALL_BYTES) ||
           (sg_machine_is_syscall(code) && sg_machine_result(context) == -EINTR);
}

/* A sample of a thread of the program that does the engine's work: the frame <stackglass> alone. */
static void take_own_work(struct sg_slot *slot, uint64_t cpu_ns) {
    static struct sg_frame own = {SG_OWN_WORK, -1};
    const struct sg_sample sample = {
        .tid = atomic_load_explicit(&slot->tid, memory_order_relaxed),
        .time = sg_sample_time(),
        .count = 1,
        .cpu_ns = cpu_ns,
        .depth = 1,
        .frames = &own,
    };
    sg_stack_cache_add(&sample);
}

static void take(struct sg_slot *slot, bool is_timer, const void *context) {
    uint64_t cpu_ns = sg_tick_weight_take(slot, is_timer, sg_machine_pc(context));
    if (!cpu_ns)
        return;
    if (sg_engine_threads_is_exempt()) {
        take_own_work(slot, cpu_ns);
        return;
    }
    const void *thread = sg_calling_thread_in_handler();
    struct sg_running_tasks running;
    sg_running_tasks_find_own(thread, &running);
    bool is_native = atomic_load_explicit(&slot->is_native, memory_order_relaxed);
    struct sg_sample sample = {
        .tid = atomic_load_explicit(&slot->tid, memory_order_relaxed),
        .labels = sg_labels_of_caller(thread),
        .time = sg_sample_time(),
        .count = 1,
        .cpu_ns = cpu_ns,
        .frames = slot->frames,
    };
    sample.depth =
        is_native
            ? sg_native_walk(slot, thread, context, slot->frames, SG_MAX_DEPTH, &running.wanted)
            : sg_signal_walk(slot, thread, context, slot->frames, SG_MAX_DEPTH, &running.wanted);
    sample.labels |= sg_running_tasks_own_label(thread, &running);
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
        sg_sampler_thread_wake();
    if (!atomic_flag_test_and_set(&slot->is_busy)) {
        atomic_fetch_add_explicit(&slot->n_ticks, 1, memory_order_relaxed);
        bool is_wall = is_timer && sg_thread_timers_clock() == SG_CLOCK_TICKER;
        if (!is_wall || sg_clock_timer_found_it_running(slot, info, was_interrupted(context)))
            take(slot, is_timer, context);
        atomic_flag_clear(&slot->is_busy);
    } else { /* two of the sampler's signals at once, while it changes its signal */
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
