/* Ticks of a timer of the system's clock, as the handler judges them: see clock.h.
 *
 * The timer expires in the interrupt of some processor, whatever the scheduler does. If the thread
 * runs then, on any processor, it has the signal within microseconds; if it waits for a processor,
 * it has it when it gets one, at the place where it was preempted. That place is not random, so
 * such a tick counts for nothing. A thread in a system call has the signal when the call returns:
 * that is late, too, but it has not stopped for as long:
 *
 *     stopped = time − CPU time, since the tick before
 *     it ran  ⇔  late ≤ 80 µs  or  stopped < late / 2 */
#include "cpu/clock.h"
#include "platform/engine_threads.h"

enum { LATE_NS = 80 * 1000 };

bool sg_wall_tick_found_it_running(struct sg_slot *slot, const siginfo_t *info,
                                   bool is_interrupted_call) {
    uint64_t now_ns = sg_engine_threads_clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu_ns = sg_engine_threads_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t since_ns = now_ns - slot->wall_seen_ns, used_ns = cpu_ns - slot->wall_seen_cpu_ns;
    uint64_t base_ns = atomic_load(&slot->wall_base_ns);
    uint64_t period_ns = atomic_load(&slot->wall_period_ns);
    bool has_seen = slot->wall_seen_ns != 0;
    slot->wall_seen_ns = now_ns;
    slot->wall_seen_cpu_ns = cpu_ns;
    if (is_interrupted_call) {
        atomic_store(&slot->was_asleep, true);
        return false;
    }
    if (!base_ns || !period_ns || now_ns < base_ns)
        return false; /* the period is being changed */
    uint64_t late_ns =
        (now_ns - base_ns) % period_ns + (uint64_t)(unsigned)info->si_overrun * period_ns;
    if (late_ns <= LATE_NS)
        return true;
    return has_seen && since_ns - used_ns < late_ns / 2;
}
