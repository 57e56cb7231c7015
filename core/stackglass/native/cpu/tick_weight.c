/* Weights by clock:
 *
 *     the clock counts                        weight
 *     user and kernel time                    CPU time since the thread's previous tick
 *     user time (a perf event), and beside it a CPU timer:
 *         tick of the event                   one period, and what changes of the period lost
 *         tick of the timer, in the kernel    CPU time since the timer's previous tick
 *         tick of the timer, in user code     0: the event counts that time
 *
 * All ticks during one system call arrive as one signal when the call returns. Counting one period
 * for each signal would therefore lose most of the kernel's time.
 *
 * A thread's first tick comes after a random part of a period, and stands for a whole one. */
#include "cpu/tick_weight.h"

#include <stdatomic.h>

#include "cpu/thread_timers.h"
#include "platform/machine.h"
#include "platform/memory.h"
#include "platform/time.h"

/* Was the thread in a system call? The next instruction is the one after the call, or the call
 * itself if the kernel restarts it. */
static bool was_in_kernel(uintptr_t pc) {
    uint8_t code[2 * SG_SYSCALL_BYTES];
    return sg_memory_read_probed(pc - SG_SYSCALL_BYTES, code, sizeof code) &&
           (sg_machine_is_syscall(code) || sg_machine_is_syscall(code + SG_SYSCALL_BYTES));
}

static uint64_t weigh_kernel_timer(struct sg_slot *slot, uint64_t period_ns, uint64_t cpu_ns,
                                   uintptr_t pc) {
    bool is_first = atomic_exchange(&slot->is_fresh, false); /* the time before is booked already */
    uint64_t since_ns = is_first ? period_ns : cpu_ns - slot->last_cpu_ns;
    slot->last_cpu_ns = cpu_ns; /* a tick after the event is closed counts from here */
    return was_in_kernel(pc) ? since_ns : 0;
}

uint64_t sg_tick_weight_take(struct sg_slot *slot, bool is_timer, uintptr_t pc) {
    uint64_t period_ns = atomic_load_explicit(&slot->period_ns, memory_order_relaxed);
    bool has_both_clocks = sg_thread_timers_clock() == SG_CLOCK_PERF_TIMER;
    if (has_both_clocks && !is_timer)
        return period_ns + atomic_exchange(&slot->owed_ns, 0);
    uint64_t cpu_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (has_both_clocks && slot->perf_fd != SG_NO_FD)
        return weigh_kernel_timer(slot, period_ns, cpu_ns, pc);
    bool is_first = atomic_exchange(&slot->is_fresh, false);
    uint64_t since_ns = is_first ? period_ns : cpu_ns - slot->last_cpu_ns;
    slot->last_cpu_ns = cpu_ns;
    return since_ns ? since_ns : 1;
}
