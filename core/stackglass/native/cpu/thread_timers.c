/* Thread timers: arms threads with a clock, a rate and a signal. */
#include "cpu/thread_timers.h"

#include <stdatomic.h>

#include "cpu/clock.h"
#include "cpu/clock_perf.h"
#include "cpu/clock_ticker.h"
#include "cpu/clock_timer.h"
#include "cpu/periods.h"
#include "cpu/signal_pipe.h"
#include "cpu/signals.h"
#include "platform/permitted_calls.h"
#include "platform/random_bits.h"
#include "platform/time.h"

enum {
    SUSPICIOUS_NS = 2 * 1000 * 1000, /* CPU time without a tick, beyond two periods */
    SUSPICIOUS_EVENT_NS = 30 * 1000 * 1000,
    FIRST_SETTLE_NS = 50 * 1000,         /* a starting thread is checked again after this, … */
    LONGEST_SETTLE_NS = 5 * 1000 * 1000, /* … then after twice as long each time, up to this */
    MOST_SETTLES = 240, /* 1.2 s: the injector's visit ends late on a busy machine */
    RARE_WATCHES = 10,  /* every tenth watch does what can wait */
    ARRIVALS_A_TURN = 64,
    RETURN_AFTER_NS = 1000 * 1000 * 1000, /* the program may be about to take the signal */
};

/* Written under sg_threads_lock. */
static _Atomic enum sg_clock clock_in_use;
static _Atomic int signo;
static _Atomic int leaving;        /* given up, but threads may still be armed with it; 0 = none */
static enum sg_clock wanted_clock; /* as requested */
static uint64_t moved_ns;          /* when the signal was moved last */
static uint32_t n_watches, n_starting, n_outside, n_arrived;
static uint64_t period_ns;
static bool is_first_scan;
static bool has_checked_calls; /* in this scan */

enum sg_clock sg_thread_timers_clock(void) { return atomic_load(&clock_in_use); }
int sg_thread_timers_signal(void) { return atomic_load(&signo); }

/* `leaving` is written before `signo` and cleared last; so it is read last. */
bool sg_thread_timers_may_send(int by) {
    return atomic_load(&signo) == by || atomic_load(&leaving) == by;
}

uint64_t sg_thread_timers_period_ns(void) { return period_ns; }

uint64_t sg_thread_timers_draw_period(void) { return sg_periods_draw_about(period_ns); }

/* Tick by the signal `by`, which the sampler has claimed; 0 = by none. */
static void set_signal(int by, enum sg_clock chosen) {
    enum sg_clock clock = by ? chosen : SG_CLOCK_OUTSIDE;
    atomic_store(&clock_in_use, clock);
    atomic_store(&signo, by);
    moved_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
}

const char *sg_thread_timers_open(void) {
    if (!sg_signal_pipe_open())
        return "the program's system call filter makes the sampler use a pipe, which cannot be "
               "opened";
    sg_random_bits_seed_anew();
    period_ns = 0;
    is_first_scan = true;
    n_watches = n_starting = n_outside = n_arrived = 0;
    wanted_clock = SG_CLOCK_TICKER;
    set_signal(sg_signals_claim(0), SG_CLOCK_TICKER);
    return NULL;
}

const char *sg_thread_timers_choose(enum sg_clock wanted) {
    enum sg_clock chosen;
    const char *problem = sg_clock_choose(wanted, &chosen);
    if (problem)
        return problem;
    wanted_clock = wanted;
    set_signal(atomic_load(&signo), chosen);
    return NULL;
}

static void disarm(struct sg_slot *slot) {
    sg_clock_perf_disarm(slot);
    sg_clock_timer_disarm(slot);
    sg_clock_timer_disarm_wall(slot);
    atomic_store(&slot->period_ns, 0);
    n_starting -= slot->is_starting;
    n_outside -= slot->is_outside;
    slot->is_starting = slot->is_outside = false;
}

static uint64_t cpu_of(const struct sg_slot *slot) {
    return sg_time_clock_ns(sg_time_thread_clock(atomic_load(&slot->tid)));
}

/* Sample the thread without a signal, and book its CPU time from `booked_ns` on. */
static void put_outside(struct sg_slot *slot, uint64_t booked_ns) {
    disarm(slot);
    n_outside++;
    slot->is_outside = true;
    slot->outside = (struct sg_outside_state){
        .booked_ns = booked_ns,
        .due_since_ns = sg_time_clock_ns(CLOCK_MONOTONIC),
    };
}

static bool is_set(uint64_t mask, int number) { return number && mask >> (number - 1) & 1; }

/* False if the system gives neither an event nor a timer for the thread. */
static bool arm_clock(struct sg_slot *slot, uint64_t used_ns) {
    enum sg_clock clock = atomic_load(&clock_in_use);
    int by = atomic_load(&signo);
    uint64_t first_ns = sg_periods_first(period_ns, used_ns);
    atomic_store(&slot->is_fresh, true);
    atomic_store(&slot->is_first_over, false);
    atomic_store(&slot->period_ns, period_ns);
    bool is_armed = false, has_timer = false;
    if (clock == SG_CLOCK_PERF || clock == SG_CLOCK_PERF_TIMER)
        is_armed = sg_clock_perf_arm(slot, clock == SG_CLOCK_PERF, first_ns, period_ns, by);
    if (clock == SG_CLOCK_TICKER)
        sg_clock_ticker_arm(slot);
    else if (!is_armed || clock == SG_CLOCK_PERF_TIMER) /* also where descriptors have run out */
        has_timer = sg_clock_timer_arm(slot, first_ns, sg_periods_of_timer(period_ns), by);
    if (!is_armed && clock != SG_CLOCK_TICKER)
        atomic_store(&slot->period_ns, sg_periods_of_timer(period_ns));
    return is_armed || has_timer || clock == SG_CLOCK_TICKER;
}

/* The program may install a filter for all of its threads during an attach. */
static void check_calls(void) {
    sg_permitted_calls_check();
    sg_signal_pipe_open();
    has_checked_calls = true;
}

/* A thread's mask is read before it is armed, because a thread that blocks the signal must not get
 * it. While a thread starts, its mask is not the final one. */
static void arm(struct sg_slot *slot, uint64_t used_ns) {
    uint64_t mask = 0;
    bool is_known = sg_threads_mask(slot, &mask);
    bool is_signal_free = atomic_load(&clock_in_use) != SG_CLOCK_OUTSIDE;
    slot->is_blocked = is_set(mask, atomic_load(&signo));
    if (is_known && is_signal_free && (mask & SG_SIGNALS_OF_LIBRARY) == SG_SIGNALS_OF_LIBRARY &&
        slot->n_settles < MOST_SETTLES) {
        if (!slot->is_starting)
            slot->start_cpu_ns = cpu_of(slot) - used_ns;
        n_starting += !slot->is_starting;
        slot->is_starting = true;
    } else if (!is_signal_free || slot->is_blocked) {
        put_outside(slot, cpu_of(slot) - used_ns);
    } else {
        n_starting -= slot->is_starting;
        n_outside -= slot->is_outside;
        slot->is_starting = slot->is_outside = false;
        if (!arm_clock(slot, used_ns))
            put_outside(slot, cpu_of(slot) - used_ns);
    }
}

static uint64_t settle_ns; /* guarded by sg_threads_lock */

static void settle(struct sg_slot *slot) {
    if (!slot->is_starting)
        return;
    uint64_t ns = FIRST_SETTLE_NS << (slot->n_settles < 10 ? slot->n_settles : 10);
    slot->n_settles++;
    arm(slot, cpu_of(slot) - slot->start_cpu_ns);
    if (slot->is_starting && (!settle_ns || ns < settle_ns))
        settle_ns = ns < LONGEST_SETTLE_NS ? ns : LONGEST_SETTLE_NS;
}

uint64_t sg_thread_timers_settle(void) {
    settle_ns = 0;
    if (n_starting && period_ns)
        sg_threads_each(settle);
    return settle_ns;
}

static void arrive(struct sg_slot *slot) {
    if (!has_checked_calls)
        check_calls();
    slot->watch_cpu_ns = cpu_of(slot);
    slot->event_cpu_ns = slot->watch_cpu_ns;
    if (period_ns)
        arm(slot, is_first_scan ? 0 : slot->watch_cpu_ns);
    /* Thousands take seconds to arm on a busy machine: those that are armed tick meanwhile. */
    if (++n_arrived % ARRIVALS_A_TURN == 0) {
        sg_thread_timers_settle();
        sg_thread_timers_continue();
    }
}

void sg_thread_timers_scan(void) {
    has_checked_calls = false;
    sg_threads_scan(arrive, disarm);
    is_first_scan = false;
}

static void arm_again(struct sg_slot *slot) { arm(slot, 0); }

static void change_period(struct sg_slot *slot) {
    if (slot->is_outside || slot->is_starting)
        return;
    atomic_store(&slot->period_ns, slot->timer != SG_NO_TIMER && slot->perf_fd == SG_NO_FD
                                       ? sg_periods_of_timer(period_ns)
                                       : period_ns);
    sg_clock_timer_disarm_wall(slot); /* the ticker arms it anew */
    sg_clock_perf_continue(slot, period_ns);
    sg_clock_timer_set_period(slot, sg_periods_of_timer(period_ns), sg_periods_of_timer(period_ns));
}

void sg_thread_timers_set_period(uint64_t wanted_ns) {
    uint64_t before_ns = period_ns;
    period_ns = wanted_ns;
    if (!wanted_ns)
        sg_threads_each(disarm);
    else if (!before_ns)
        sg_threads_each(arm_again);
    else
        sg_threads_each(change_period);
}

static void continue_one(struct sg_slot *slot) {
    if (atomic_exchange(&slot->is_first_over, false) && period_ns)
        sg_clock_perf_continue(slot, period_ns);
}

/* Continue an event whose first tick was lost: it would never tick again. Pending signals of one
 * number merge, so a tick is lost if a timer's signal or the program's own comes at the same
 * moment, or if the program has just installed its own handler. */
static void revive(struct sg_slot *slot) {
    if (period_ns)
        sg_clock_perf_continue(slot, atomic_load(&slot->period_ns));
}

static void vary(struct sg_slot *slot) { sg_clock_perf_vary_period(slot, period_ns); }

void sg_thread_timers_vary(void) {
    if (period_ns)
        sg_threads_each(vary);
}

void sg_thread_timers_continue(void) { sg_threads_each(continue_one); }

static void change_signal(struct sg_slot *slot) {
    int by = atomic_load(&signo);
    sg_clock_perf_set_signal(slot, by);
    sg_clock_timer_disarm_wall(slot); /* the ticker arms it anew */
    revive(slot);
    if (slot->timer != SG_NO_TIMER) {
        sg_clock_timer_disarm(slot);
        if (sg_clock_timer_arm(slot, sg_periods_first(period_ns, 0), sg_periods_of_timer(period_ns),
                               by) &&
            slot->perf_fd == SG_NO_FD)
            atomic_store(&slot->period_ns, sg_periods_of_timer(period_ns));
    }
}

/* Between the request of a thread that is about to block the signal, or to wait for it, and that
 * moment its mask does not show it. */
static bool has_just_asked(const struct sg_slot *slot) {
    return slot->asked_ns && sg_time_clock_ns(CLOCK_MONOTONIC) - slot->asked_ns < RETURN_AFTER_NS;
}

/* Arm or disarm a thread for the present signal, which it may or may not block. */
static void change_way(struct sg_slot *slot) {
    uint64_t mask = 0;
    bool was_outside = slot->is_outside;
    sg_threads_mask(slot, &mask);
    slot->is_blocked = is_set(mask, atomic_load(&signo)) || has_just_asked(slot);
    if (slot->is_starting)
        return;
    if (!atomic_load(&signo) || slot->is_blocked) {
        if (!was_outside)
            put_outside(slot, cpu_of(slot));
    } else if (was_outside) {
        arm(slot, 0);
    } else {
        change_signal(slot);
    }
}

void sg_thread_timers_move_signal(void) {
    int before = atomic_load(&signo);
    int after = sg_signals_claim(before);
    enum sg_clock clock = atomic_load(&clock_in_use);
    atomic_store(&leaving, before);
    set_signal(after, clock);
    if (period_ns)
        sg_threads_each(change_way);
    sg_signals_release(before);
    atomic_store(&leaving, 0);
}

void sg_thread_timers_return(void) {
    enum sg_clock chosen;
    if (atomic_load(&signo) || wanted_clock == SG_CLOCK_OUTSIDE ||
        sg_time_clock_ns(CLOCK_MONOTONIC) - moved_ns < RETURN_AFTER_NS)
        return;
    int claimed = sg_signals_claim(0);
    if (!claimed)
        return;
    if (sg_clock_choose(wanted_clock, &chosen)) { /* no longer possible */
        sg_signals_release(claimed);
        return;
    }
    set_signal(claimed, chosen);
    if (period_ns)
        sg_threads_each(change_way);
}

static bool is_rare_watch(void) { return n_watches % RARE_WATCHES == 0; }

/* Check the event alone: a timer beside it may still tick. */
static void watch_event(struct sg_slot *slot, uint64_t cpu_ns) {
    uint32_t n_ticks = atomic_load(&slot->n_event_ticks);
    uint64_t used_ns = cpu_ns - slot->event_cpu_ns;
    if (n_ticks == slot->event_ticks &&
        (used_ns <= SUSPICIOUS_EVENT_NS || used_ns <= 3 * period_ns))
        return;
    if (n_ticks == slot->event_ticks)
        revive(slot);
    slot->event_cpu_ns = cpu_ns;
    slot->event_ticks = n_ticks;
}

static void watch(struct sg_slot *slot) {
    uint64_t mask = 0, cpu_ns;
    if (slot->is_starting)
        return;
    if (slot->is_outside) {
        if (is_rare_watch() && atomic_load(&signo) && !has_just_asked(slot) &&
            sg_threads_mask(slot, &mask) && !is_set(mask, atomic_load(&signo)))
            arm(slot, 0);
        return;
    }
    cpu_ns = cpu_of(slot);
    uint32_t n_ticks = atomic_load(&slot->n_ticks);
    if (is_rare_watch())
        watch_event(slot, cpu_ns);
    if (n_ticks == slot->watch_ticks &&
        cpu_ns - slot->watch_cpu_ns <= SUSPICIOUS_NS + 2 * period_ns)
        return; /* too little CPU time so far: continue */
    if (n_ticks == slot->watch_ticks && sg_threads_mask(slot, &mask) &&
        is_set(mask, atomic_load(&signo))) {
        slot->is_blocked = true;
        put_outside(slot, slot->watch_cpu_ns);
        return;
    }
    slot->watch_cpu_ns = cpu_ns;
    slot->watch_ticks = n_ticks;
}

void sg_thread_timers_watch(void) {
    n_watches++;
    if (period_ns)
        sg_threads_each(watch);
}

void sg_thread_timers_take_outside(pid_t tid) {
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot)
        return;
    slot->is_blocked = true; /* stack_request.h checks it, too */
    slot->asked_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    if (period_ns && !slot->is_outside)
        put_outside(slot, cpu_of(slot));
}

void sg_thread_timers_take_back(pid_t tid) {
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot)
        return;
    slot->is_blocked = false;
    slot->asked_ns = 0;
    if (period_ns && slot->is_outside)
        change_way(slot);
}

bool sg_thread_timers_has_outside(void) { return period_ns && n_outside; }

void sg_thread_timers_close(void) {
    sg_threads_each(disarm);
    period_ns = 0;
    sg_signals_release(atomic_load(&signo));
    atomic_store(&signo, 0);
    sg_signal_pipe_close();
}

void sg_thread_timers_discard(void) {
    sg_signals_release(atomic_load(&signo));
    atomic_store(&signo, 0);
    atomic_store(&leaving, 0);
    atomic_store(&clock_in_use, SG_CLOCK_AUTO);
    sg_signal_pipe_forget();
    period_ns = 0;
    n_starting = n_outside = 0;
    sg_clock_perf_forget();
}
