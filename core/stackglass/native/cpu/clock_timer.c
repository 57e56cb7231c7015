/* Timers that signal one thread, made by system calls: the C library's timers keep a table that a
 * forked child inherits.
 *
 * A wall timer expires in the interrupt of some processor, whatever the scheduler does. If the
 * thread is running then, on any processor, it gets the signal within microseconds. If it waits for
 * a processor, it gets the signal when it is given one, at the place where it was preempted; that
 * place is not random, so the tick does not count. A thread in a system call gets the signal late,
 * too, when the call returns, but it has not stopped for as long:
 *
 *     stopped = time − CPU time, since the previous tick; a little below 0 if it never stopped
 *     the thread ran  ⇔  late ≤ 80 µs  or  stopped < late / 2
 *
 * A thread that loses its processor in a long system call has stopped for longer. Its tick does not
 * count, and the call's CPU time goes to the next tick that does. After the tick was due, the
 * thread used at least its CPU time less all time until then, and only in the system call: */
#include "cpu/clock_timer.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/permitted_calls.h"
#include "platform/time.h"

enum { WALL_LATE_NS = 80 * 1000 };

static int create(pid_t tid, clockid_t clock, void *value, int signo) {
    struct sigevent event;
    int timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signo;
    event.sigev_value.sival_ptr = value;
    event._sigev_un._tid = tid;
    if (syscall(SYS_timer_create, clock, &event, &timer) != 0)
        return SG_NO_TIMER;
    return timer;
}

const char *sg_clock_timer_check(void) {
    if (!sg_permitted_calls_may_now(SG_CALL_TIMER))
        return "a system call filter (seccomp) of the program may forbid CPU timers";
    pid_t tid = (pid_t)syscall(SYS_gettid);
    int timer = create(tid, sg_time_thread_clock(tid), NULL, SIGURG);
    if (timer == SG_NO_TIMER)
        return "the system provides no CPU timers";
    syscall(SYS_timer_delete, timer);
    return NULL;
}

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

bool sg_clock_timer_arm(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns, int signo) {
    if (!sg_permitted_calls_may_now(SG_CALL_TIMER))
        return false;
    pid_t tid = atomic_load(&slot->tid);
    slot->timer = create(tid, sg_time_thread_clock(tid), slot, signo);
    if (slot->timer == SG_NO_TIMER)
        return false;
    sg_clock_timer_set_period(slot, first_ns, period_ns);
    return true;
}

static void set(int timer, uint64_t first_ns, uint64_t period_ns) {
    struct itimerspec times = {0};
    if (period_ns) {
        times.it_value = timespec_of(first_ns);
        times.it_interval = timespec_of(period_ns);
    }
    syscall(SYS_timer_settime, timer, 0, &times, NULL);
}

void sg_clock_timer_set_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns) {
    if (slot->timer != SG_NO_TIMER && sg_permitted_calls_may_now(SG_CALL_TIMER))
        set(slot->timer, first_ns, period_ns);
}

void sg_clock_timer_disarm(struct sg_slot *slot) {
    /* Under a filter installed since, the timer stays: its signal is ignored by default. */
    if (slot->timer != SG_NO_TIMER && sg_permitted_calls_may_now(SG_CALL_TIMER))
        syscall(SYS_timer_delete, slot->timer);
    slot->timer = SG_NO_TIMER;
}

static _Atomic bool is_wall_timer_refused; /* lock-free */

bool sg_clock_timer_arm_wall(struct sg_slot *slot, int signo) {
    pid_t tid = atomic_load(&slot->tid);
    if (slot->wall_timer == SG_NO_TIMER && sg_permitted_calls_may_now(SG_CALL_TIMER)) {
        slot->wall_timer = create(tid, CLOCK_MONOTONIC, slot, signo);
        atomic_store(&is_wall_timer_refused, slot->wall_timer == SG_NO_TIMER);
    }
    return slot->wall_timer != SG_NO_TIMER;
}

bool sg_clock_timer_wall_is_possible(void) {
    return sg_permitted_calls_may(SG_CALL_TIMER) && !atomic_load(&is_wall_timer_refused);
}

void sg_clock_timer_set_wall_period(struct sg_slot *slot, uint64_t first_ns, uint64_t period_ns) {
    if (slot->wall_timer == SG_NO_TIMER || !sg_permitted_calls_may_now(SG_CALL_TIMER))
        return;
    atomic_store(&slot->wall_base_ns, 0);
    uint64_t base_ns = sg_time_clock_ns(CLOCK_MONOTONIC) + first_ns;
    set(slot->wall_timer, first_ns, period_ns);
    atomic_store(&slot->wall_period_ns, period_ns);
    atomic_store(&slot->wall_base_ns, period_ns ? base_ns : 0);
}

void sg_clock_timer_disarm_wall(struct sg_slot *slot) {
    atomic_store(&slot->wall_base_ns, 0);
    if (slot->wall_timer != SG_NO_TIMER && sg_permitted_calls_may_now(SG_CALL_TIMER))
        syscall(SYS_timer_delete, slot->wall_timer);
    slot->wall_timer = SG_NO_TIMER;
}

static _Atomic uint64_t uncounted_ns; /* lock-free; see sg_clock_timer_uncounted_ns */

uint64_t sg_clock_timer_uncounted_ns(void) { return atomic_load(&uncounted_ns); }

bool sg_clock_timer_found_it_running(struct sg_slot *slot, const siginfo_t *info,
                                     bool is_interrupted_call) {
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
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
    if (late_ns <= WALL_LATE_NS)
        return true;
    if (!has_seen || (int64_t)(since_ns - used_ns) < (int64_t)(late_ns / 2))
        return has_seen;
    if (used_ns + late_ns > since_ns + WALL_LATE_NS) {
        uint64_t in_call_ns = used_ns + late_ns - since_ns;
        atomic_fetch_add(&uncounted_ns, in_call_ns < used_ns ? in_call_ns : used_ns);
    }
    return false;
}
