/* Slot timer: arms and disarms one thread. */
#include "cpu/slot_timer.h"

#include <stdatomic.h>

#include "cpu/clock_perf.h"
#include "cpu/clock_ticker.h"
#include "cpu/clock_timer.h"
#include "cpu/periods.h"
#include "cpu/signals.h"
#include "platform/time.h"

/* Most checks of a starting thread, because on a busy machine the thread that the injector visits
 * comes back late. They go on for 1.2 s. Afterwards the thread's mask counts as the final one. */
enum { MOST_SETTLES = 240 };

struct sg_slot_timer sg_slot_timer;

void sg_slot_timer_disarm(struct sg_slot *slot) {
    sg_clock_perf_disarm(slot);
    sg_clock_timer_disarm(slot);
    sg_clock_timer_disarm_wall(slot);
    atomic_store(&slot->period_ns, 0);
    sg_slot_timer.n_starting -= slot->is_starting;
    sg_slot_timer.n_outside -= slot->is_outside;
    slot->is_starting = slot->is_outside = false;
}

uint64_t sg_slot_timer_cpu_ns(const struct sg_slot *slot) {
    return sg_time_clock_ns(sg_time_thread_clock(atomic_load(&slot->tid)));
}

void sg_slot_timer_put_outside(struct sg_slot *slot, uint64_t booked_ns) {
    sg_slot_timer_disarm(slot);
    sg_slot_timer.n_outside++;
    slot->is_outside = true;
    slot->outside = (struct sg_outside_state){
        .booked_ns = booked_ns,
        .due_since_ns = sg_time_clock_ns(CLOCK_MONOTONIC),
    };
}

/* Arm the clock in use for the thread. Returns false if the system gives neither an event nor a
 * timer. */
static bool arm_clock(struct sg_slot *slot, uint64_t used_ns) {
    enum sg_clock clock = atomic_load(&sg_slot_timer.clock);
    int by = atomic_load(&sg_slot_timer.signo);
    uint64_t first_ns = sg_periods_first(sg_slot_timer.period_ns, used_ns);
    atomic_store(&slot->is_fresh, true);
    atomic_store(&slot->is_first_over, false);
    atomic_store(&slot->owed_ns, 0); /* adds up under a clock whose ticks do not weigh it */
    atomic_store(&slot->period_ns, sg_slot_timer.period_ns);
    bool is_armed = false, has_timer = false;
    if (clock == SG_CLOCK_PERF || clock == SG_CLOCK_PERF_TIMER)
        is_armed =
            sg_clock_perf_arm(slot, clock == SG_CLOCK_PERF, first_ns, sg_slot_timer.period_ns, by);
    if (clock == SG_CLOCK_TICKER)
        sg_clock_ticker_arm(slot);
    else if (!is_armed || clock == SG_CLOCK_PERF_TIMER) /* also where descriptors have run out */
        has_timer =
            sg_clock_timer_arm(slot, first_ns, sg_periods_of_timer(sg_slot_timer.period_ns), by);
    if (!is_armed && clock != SG_CLOCK_TICKER)
        atomic_store(&slot->period_ns, sg_periods_of_timer(sg_slot_timer.period_ns));
    return is_armed || has_timer || clock == SG_CLOCK_TICKER;
}

void sg_slot_timer_arm(struct sg_slot *slot, uint64_t used_ns) {
    uint64_t mask = 0;
    bool is_known = sg_threads_mask(slot, &mask);
    bool has_signal = atomic_load(&sg_slot_timer.clock) != SG_CLOCK_OUTSIDE;
    slot->is_blocked = sg_slot_timer_is_in_mask(mask, atomic_load(&sg_slot_timer.signo));
    if (is_known && has_signal && (mask & SG_SIGNALS_OF_LIBRARY) == SG_SIGNALS_OF_LIBRARY &&
        slot->n_settles < MOST_SETTLES) {
        if (!slot->is_starting)
            slot->start_cpu_ns = sg_slot_timer_cpu_ns(slot) - used_ns;
        sg_slot_timer.n_starting += !slot->is_starting;
        slot->is_starting = true;
    } else if (!has_signal || slot->is_blocked) {
        sg_slot_timer_put_outside(slot, sg_slot_timer_cpu_ns(slot) - used_ns);
    } else {
        sg_slot_timer.n_starting -= slot->is_starting;
        sg_slot_timer.n_outside -= slot->is_outside;
        slot->is_starting = slot->is_outside = false;
        if (!arm_clock(slot, used_ns))
            sg_slot_timer_put_outside(slot, sg_slot_timer_cpu_ns(slot) - used_ns);
    }
}

void sg_slot_timer_change_period(struct sg_slot *slot) {
    if (slot->is_outside || slot->is_starting)
        return;
    atomic_store(&slot->period_ns, slot->timer != SG_NO_TIMER && slot->perf_fd == SG_NO_FD
                                       ? sg_periods_of_timer(sg_slot_timer.period_ns)
                                       : sg_slot_timer.period_ns);
    sg_clock_timer_disarm_wall(slot); /* the ticker arms it anew */
    sg_clock_perf_continue(slot, sg_slot_timer.period_ns);
    sg_clock_timer_set_period(slot, sg_periods_of_timer(sg_slot_timer.period_ns),
                              sg_periods_of_timer(sg_slot_timer.period_ns));
}

void sg_slot_timer_continue(struct sg_slot *slot) {
    if (atomic_exchange(&slot->is_first_over, false) && sg_slot_timer.period_ns)
        sg_clock_perf_continue(slot, sg_slot_timer.period_ns);
}

void sg_slot_timer_revive(struct sg_slot *slot) {
    if (sg_slot_timer.period_ns)
        sg_clock_perf_continue(slot, atomic_load(&slot->period_ns));
}

void sg_slot_timer_vary(struct sg_slot *slot) {
    sg_clock_perf_vary_period(slot, sg_slot_timer.period_ns);
}

void sg_slot_timer_change_signal(struct sg_slot *slot) {
    int by = atomic_load(&sg_slot_timer.signo);
    sg_clock_perf_set_signal(slot, by);
    sg_clock_timer_disarm_wall(slot); /* the ticker arms it anew */
    sg_slot_timer_revive(slot);
    if (slot->timer != SG_NO_TIMER) {
        sg_clock_timer_disarm(slot);
        if (sg_clock_timer_arm(slot, sg_periods_first(sg_slot_timer.period_ns, 0),
                               sg_periods_of_timer(sg_slot_timer.period_ns), by) &&
            slot->perf_fd == SG_NO_FD)
            atomic_store(&slot->period_ns, sg_periods_of_timer(sg_slot_timer.period_ns));
    }
}
