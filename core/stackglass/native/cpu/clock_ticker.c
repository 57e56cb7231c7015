/* Ticker: signals threads that run at a random moment.
 *
 * Where more threads want to run than there are processors, a thread that waits for one stands
 * where it was preempted. That place is not random: the scheduler checks the time slice when a
 * system call reads the CPU clock or wakes another thread. So a tick counts only if the thread runs
 * at that moment:
 *
 *     a thread that runs, or waits for a processor, at look after look
 *         ─▶ a wall timer; the handler decides whether it ran (clock_timer.c)
 *     another thread that has used CPU time since the previous look
 *         its CPU clock moves between two reads: it runs, on another processor ─▶ signal
 *         else the ticker naps; the thread used most of the nap, up to its end ─▶ signal
 *         else it waits or sleeps: no signal
 *
 * A wall timer would interrupt a sleeping thread, so it is removed when the thread has slept. The
 * nap is for a thread on the ticker's own processor, which the ticker has displaced. */
#include "cpu/clock_ticker.h"

#include "cpu/clock_timer.h"
#include "cpu/periods.h"
#include "cpu/signals.h"
#include "platform/time.h"

enum {
    /* A thread is idle once its CPU clock has stood still for so long. Idle threads are looked at
     * less often, because each look is a system call. */
    IDLE_AFTER_NS = 50 * 1000 * 1000,
    LOOK_AT_IDLE_NS = 10 * 1000 * 1000,
    /* A thread ran through the nap if it used 5/8 of it: context switches take the rest. */
    NAP_NS = 40 * 1000,
    NAP_PARTS = 8,
    RUN_PARTS = 5,
    /* If the ticker wakes later than this after its nap, the scheduler has chosen the moment, and
     * the nap is not evaluated. */
    LATE_NS = 100 * 1000,
    /* A thread that wanted the processor at so many looks in a row gets a wall timer. */
    TIMER_AFTER_LOOKS = 3,
    DRAW_AFTER_LOOKS = 8,             /* looks between two draws of that timer's period */
    STATE_EVERY_NS = 2 * 1000 * 1000, /* shortest time between two reads of a thread's state */
    /* A thread that used more CPU time than both of these without a signal gets one in any case. */
    MOST_PERIODS_UNSEEN = 8,
    LEAST_UNSEEN_NS = 40 * 1000 * 1000,
};

/* All guarded by sg_threads_lock. */
static uint64_t now_ns, looked_at_idle_ns;
static uint64_t tick_interval_ns; /* since the previous call */
static uint64_t tick_period_ns, nap_began_ns;
static int tick_signo;
static bool is_look_at_idle;
static uint32_t n_napping; /* threads to be looked at again after the nap */

static uint64_t cpu_of(const struct sg_slot *slot) {
    return sg_time_clock_ns(sg_time_thread_clock(atomic_load(&slot->tid)));
}

void sg_clock_ticker_arm(struct sg_slot *slot) {
    slot->ticker_cpu_ns = slot->ticker_sent_ns = cpu_of(slot);
    slot->is_active = true;
    slot->is_sent = slot->is_napping = false;
    slot->ticker_seen_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
}

static void send(struct sg_slot *slot, uint64_t cpu_ns) {
    /* If the previous signal was not handled, the thread may be blocking it. */
    uint32_t n_ticks = atomic_load(&slot->n_ticks);
    uint64_t blocked = 0;
    if (n_ticks == slot->n_sent && slot->is_sent &&
        (!sg_threads_mask(slot, &blocked) || blocked >> (tick_signo - 1) & 1))
        return; /* sg_thread_timers_watch handles threads that block the signal */
    slot->n_sent = n_ticks;
    slot->is_sent = true;
    slot->ticker_sent_ns = cpu_ns;
    atomic_store(&slot->is_tick_sent, true);
    sg_signals_send(atomic_load(&slot->tid), tick_signo, slot);
}

/* Has the thread used much CPU time without a signal? Looks then fail to find it running. */
static bool is_unseen(const struct sg_slot *slot, uint64_t cpu_ns) {
    uint64_t used_ns = cpu_ns - slot->ticker_sent_ns;
    return used_ns > LEAST_UNSEEN_NS && used_ns > MOST_PERIODS_UNSEEN * tick_period_ns;
}

/* Draw the timer's period anew now and then, for the reason given in periods.c. */
static void maintain_timer(struct sg_slot *slot) {
    if (slot->n_wall++ % DRAW_AFTER_LOOKS)
        return;
    uint64_t period_ns = sg_periods_draw_about(tick_period_ns);
    sg_clock_timer_set_wall_period(slot, sg_periods_draw(period_ns), period_ns);
}

/* Does the thread run or wait for a processor? Its state is read at most every STATE_EVERY_NS. */
static bool wants_processor(struct sg_slot *slot, bool is_moving, uint64_t moved_ns) {
    if (is_moving || moved_ns >= tick_interval_ns / 2)
        return true;
    if (now_ns - slot->ticker_asked_ns < STATE_EVERY_NS)
        return slot->n_running != 0;
    slot->ticker_asked_ns = now_ns;
    return sg_threads_wants_processor(slot);
}

/* Arm a wall timer if the thread wanted the processor often enough. True if it is armed. */
static bool give_timer(struct sg_slot *slot, bool is_moving, uint64_t moved_ns) {
    if (!wants_processor(slot, is_moving, moved_ns)) {
        slot->n_running = 0;
        return false;
    }
    if (slot->n_running < TIMER_AFTER_LOOKS)
        slot->n_running++;
    slot->n_wall = 0;
    return slot->n_running == TIMER_AFTER_LOOKS && sg_clock_timer_arm_wall(slot, tick_signo);
}

static void take_timer(struct sg_slot *slot) {
    sg_clock_timer_disarm_wall(slot);
    slot->n_running = 0;
}

static void look_at(struct sg_slot *slot) {
    slot->is_napping = false;
    if (slot->is_outside || slot->is_starting)
        return;
    if (atomic_exchange(&slot->was_asleep, false))
        take_timer(slot);
    if (!slot->is_active && !is_look_at_idle)
        return;
    uint64_t cpu_ns = cpu_of(slot);
    if (!cpu_ns)
        return; /* it has ended */
    uint64_t moved_ns = cpu_ns - slot->ticker_cpu_ns;
    slot->ticker_cpu_ns = cpu_ns;
    if (!moved_ns) {
        slot->is_active = now_ns - slot->ticker_seen_ns < IDLE_AFTER_NS + tick_interval_ns;
        return;
    }
    slot->is_active = true;
    slot->ticker_seen_ns = now_ns;
    bool is_moving = cpu_of(slot) != cpu_ns;
    if (slot->wall_timer != SG_NO_TIMER || give_timer(slot, is_moving, moved_ns)) {
        slot->ticker_sent_ns = cpu_ns;
        maintain_timer(slot);
    } else if (is_moving || is_unseen(slot, cpu_ns)) {
        send(slot, cpu_ns);
    } else {
        slot->is_napping = true;
        n_napping++;
    }
}

static void look_again_at(struct sg_slot *slot) {
    if (!slot->is_napping || slot->is_outside || slot->is_starting)
        return;
    slot->is_napping = false;
    uint64_t cpu_ns = cpu_of(slot);
    if (cpu_ns - slot->ticker_cpu_ns >= (now_ns - nap_began_ns) * RUN_PARTS / NAP_PARTS)
        send(slot, cpu_ns);
}

uint64_t sg_clock_ticker_tick(const struct sg_ticker_call *call) {
    uint64_t before_ns = now_ns;
    now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    bool is_prompt = now_ns - call->due_ns <= LATE_NS;
    tick_signo = call->signo;
    tick_period_ns = call->period_ns;
    if (n_napping) {
        n_napping = 0;
        if (is_prompt)
            sg_threads_each(look_again_at);
        return 0;
    }
    tick_interval_ns = now_ns - before_ns;
    is_look_at_idle = now_ns - looked_at_idle_ns >= LOOK_AT_IDLE_NS;
    if (is_look_at_idle)
        looked_at_idle_ns = now_ns;
    sg_threads_each(look_at);
    nap_began_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    return n_napping ? nap_began_ns + NAP_NS : 0;
}
