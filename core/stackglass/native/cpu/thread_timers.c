/* Thread timers: which threads are armed, when, and with what. slot_timer.h arms a single
 * thread. */
#include "cpu/thread_timers.h"

#include <stdatomic.h>

#include "cpu/clock.h"
#include "cpu/clock_perf.h"
#include "cpu/periods.h"
#include "cpu/signal_pipe.h"
#include "cpu/signals.h"
#include "cpu/slot_timer.h"
#include "platform/permitted_calls.h"
#include "platform/random_bits.h"
#include "platform/time.h"

enum {
    /* A thread is checked if it used so much CPU time, and two periods, without a tick. */
    SUSPICIOUS_NS = 2 * 1000 * 1000,
    /* The same for its perf event alone, which is checked less often, and three periods. */
    SUSPICIOUS_EVENT_NS = 30 * 1000 * 1000,
    FIRST_SETTLE_NS = 50 * 1000,         /* a starting thread is checked again after this, … */
    LONGEST_SETTLE_NS = 5 * 1000 * 1000, /* … then after twice as long each time, up to this */
    RARE_WATCHES = 10,                   /* every tenth watch does what can wait */
    ARRIVALS_A_TURN = 64, /* new threads after which armed ones get their full period */
    /* So long after the program has asked for the signal, or a thread is about to block it, the
     * sampler does not try to use it again. */
    RETURN_AFTER_NS = 1000 * 1000 * 1000,
};

/* All written under sg_threads_lock. */
static _Atomic int leaving;        /* given up, but threads may still be armed with it; 0 = none */
static enum sg_clock wanted_clock; /* as requested */
static uint64_t moved_ns;          /* when the signal or the clock was last set */
static uint32_t n_watches, n_arrived;
static bool is_first_scan;
static bool has_checked_calls; /* in this scan */

enum sg_clock sg_thread_timers_clock(void) { return atomic_load(&sg_slot_timer.clock); }
int sg_thread_timers_signal(void) { return atomic_load(&sg_slot_timer.signo); }

/* `leaving` is written before the signal and cleared last; so it is read last. */
bool sg_thread_timers_may_send(int by) {
    return atomic_load(&sg_slot_timer.signo) == by || atomic_load(&leaving) == by;
}

uint64_t sg_thread_timers_period_ns(void) { return sg_slot_timer.period_ns; }

uint64_t sg_thread_timers_draw_period(void) {
    return sg_periods_draw_about(sg_slot_timer.period_ns);
}

/* Use the signal `by` for ticks, which the sampler has claimed; 0 = none. */
static void set_signal(int by, enum sg_clock chosen) {
    enum sg_clock clock = by ? chosen : SG_CLOCK_OUTSIDE;
    atomic_store(&sg_slot_timer.clock, clock);
    atomic_store(&sg_slot_timer.signo, by);
    moved_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
}

const char *sg_thread_timers_open(void) {
    if (!sg_signal_pipe_open())
        return "the program's system call filter makes the sampler use a pipe, which cannot be "
               "opened";
    sg_random_bits_seed_anew();
    sg_slot_timer.period_ns = 0;
    is_first_scan = true;
    sg_slot_timer.n_starting = sg_slot_timer.n_outside = 0;
    n_watches = n_arrived = 0;
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
    set_signal(atomic_load(&sg_slot_timer.signo), chosen);
    return NULL;
}

/* The program may install a filter for all of its threads during an attach. This is called before
 * timers of several threads are changed: clock_timer.c checks too, but relies on a check of up to
 * 0.2 ms ago, which may be older than the filter. */
static void check_calls(void) {
    sg_permitted_calls_check();
    sg_signal_pipe_open();
    has_checked_calls = true;
}

/* ns until a starting thread is to be checked next; 0 = none is starting. Guarded by
 * sg_threads_lock. */
static uint64_t settle_ns;

/* Check a starting thread if that is due. The sampler's thread also wakes for other reasons, as for
 * the ticker's ticks. */
static void settle(struct sg_slot *slot) {
    if (!slot->is_starting)
        return;
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    if (now_ns >= slot->settle_at_ns) {
        uint64_t ns = FIRST_SETTLE_NS << (slot->n_settles < 10 ? slot->n_settles : 10);
        slot->settle_at_ns = now_ns + (ns < LONGEST_SETTLE_NS ? ns : LONGEST_SETTLE_NS);
        slot->n_settles++;
        sg_slot_timer_arm(slot, sg_slot_timer_cpu_ns(slot) - slot->start_cpu_ns);
    }
    uint64_t left_ns = slot->settle_at_ns - now_ns;
    if (slot->is_starting && (!settle_ns || left_ns < settle_ns))
        settle_ns = left_ns;
}

uint64_t sg_thread_timers_settle(void) {
    settle_ns = 0;
    if (sg_slot_timer.n_starting && sg_slot_timer.period_ns)
        sg_threads_each(settle);
    return settle_ns;
}

/* Begin to watch a thread that a scan has found, and arm it. */
static void arrive(struct sg_slot *slot) {
    if (!has_checked_calls)
        check_calls();
    slot->watch_cpu_ns = sg_slot_timer_cpu_ns(slot);
    slot->event_cpu_ns = slot->watch_cpu_ns;
    if (sg_slot_timer.period_ns)
        sg_slot_timer_arm(slot, is_first_scan ? 0 : slot->watch_cpu_ns);
    /* To arm thousands takes seconds on a busy machine: threads that are armed should tick
     * meanwhile. */
    if (++n_arrived % ARRIVALS_A_TURN == 0) {
        sg_thread_timers_settle();
        sg_thread_timers_continue();
    }
}

static void leave(struct sg_slot *slot) {
    if (!has_checked_calls)
        check_calls();
    sg_slot_timer_disarm(slot);
}

void sg_thread_timers_scan(void) {
    has_checked_calls = false;
    sg_threads_scan(arrive, leave);
    is_first_scan = false;
}

static void arm_again(struct sg_slot *slot) { sg_slot_timer_arm(slot, 0); }

void sg_thread_timers_set_period(uint64_t wanted_ns) {
    uint64_t before_ns = sg_slot_timer.period_ns;
    check_calls();
    sg_slot_timer.period_ns = wanted_ns;
    if (!wanted_ns)
        sg_threads_each(sg_slot_timer_disarm);
    else if (!before_ns)
        sg_threads_each(arm_again);
    else
        sg_threads_each(sg_slot_timer_change_period);
}

void sg_thread_timers_vary(void) {
    if (sg_slot_timer.period_ns)
        sg_threads_each(sg_slot_timer_vary);
}

void sg_thread_timers_continue(void) { sg_threads_each(sg_slot_timer_continue); }

/* Has the thread just announced that it will block the signal, or wait for it? Its mask does not
 * show that yet. */
static bool has_just_asked(const struct sg_slot *slot) {
    return slot->asked_ns && sg_time_clock_ns(CLOCK_MONOTONIC) - slot->asked_ns < RETURN_AFTER_NS;
}

/* Change a thread to the present signal: armed, or outside if it blocks the signal. */
static void change_way(struct sg_slot *slot) {
    uint64_t mask = 0;
    bool was_outside = slot->is_outside;
    sg_threads_mask(slot, &mask);
    slot->is_blocked =
        sg_slot_timer_is_in_mask(mask, atomic_load(&sg_slot_timer.signo)) || has_just_asked(slot);
    if (slot->is_starting)
        return;
    if (!atomic_load(&sg_slot_timer.signo) || slot->is_blocked) {
        if (!was_outside)
            sg_slot_timer_put_outside(slot, sg_slot_timer_cpu_ns(slot));
    } else if (was_outside) {
        sg_slot_timer_arm(slot, 0);
    } else {
        sg_slot_timer_change_signal(slot);
    }
}

void sg_thread_timers_move_signal(void) {
    int before = atomic_load(&sg_slot_timer.signo);
    int after = sg_signals_claim(before);
    enum sg_clock clock = atomic_load(&sg_slot_timer.clock);
    atomic_store(&leaving, before);
    check_calls();
    set_signal(after, clock);
    if (sg_slot_timer.period_ns)
        sg_threads_each(change_way);
    sg_signals_release(before);
    atomic_store(&leaving, 0);
}

void sg_thread_timers_return(void) {
    enum sg_clock chosen;
    if (atomic_load(&sg_slot_timer.signo) || wanted_clock == SG_CLOCK_OUTSIDE ||
        sg_time_clock_ns(CLOCK_MONOTONIC) - moved_ns < RETURN_AFTER_NS)
        return;
    int claimed = sg_signals_claim(0);
    if (!claimed)
        return;
    if (sg_clock_choose(wanted_clock, &chosen)) { /* no longer possible */
        sg_signals_release(claimed);
        return;
    }
    check_calls();
    set_signal(claimed, chosen);
    if (sg_slot_timer.period_ns)
        sg_threads_each(change_way);
}

static bool is_rare_watch(void) { return n_watches % RARE_WATCHES == 0; }

/* Check the event alone: a timer beside it may still tick. */
static void watch_event(struct sg_slot *slot, uint64_t cpu_ns) {
    uint32_t n_ticks = atomic_load(&slot->n_event_ticks);
    uint64_t used_ns = cpu_ns - slot->event_cpu_ns;
    if (n_ticks == slot->event_ticks &&
        (used_ns <= SUSPICIOUS_EVENT_NS || used_ns <= 3 * sg_slot_timer.period_ns))
        return;
    if (n_ticks == slot->event_ticks)
        sg_slot_timer_revive(slot);
    slot->event_cpu_ns = cpu_ns;
    slot->event_ticks = n_ticks;
}

/* Find out whether a thread that should tick does, and whether a thread outside could be armed. */
static void watch(struct sg_slot *slot) {
    uint64_t mask = 0, cpu_ns;
    if (slot->is_starting)
        return;
    if (slot->is_outside) {
        if (is_rare_watch() && atomic_load(&sg_slot_timer.signo) && !has_just_asked(slot) &&
            sg_threads_mask(slot, &mask) &&
            !sg_slot_timer_is_in_mask(mask, atomic_load(&sg_slot_timer.signo)))
            sg_slot_timer_arm(slot, 0);
        return;
    }
    cpu_ns = sg_slot_timer_cpu_ns(slot);
    uint32_t n_ticks = atomic_load(&slot->n_ticks);
    if (is_rare_watch())
        watch_event(slot, cpu_ns);
    if (n_ticks == slot->watch_ticks &&
        cpu_ns - slot->watch_cpu_ns <= SUSPICIOUS_NS + 2 * sg_slot_timer.period_ns)
        return; /* too little CPU time so far: continue */
    if (n_ticks == slot->watch_ticks && sg_threads_mask(slot, &mask) &&
        sg_slot_timer_is_in_mask(mask, atomic_load(&sg_slot_timer.signo))) {
        slot->is_blocked = true;
        sg_slot_timer_put_outside(slot, slot->watch_cpu_ns);
        return;
    }
    slot->watch_cpu_ns = cpu_ns;
    slot->watch_ticks = n_ticks;
}

void sg_thread_timers_watch(void) {
    n_watches++;
    if (sg_slot_timer.period_ns)
        sg_threads_each(watch);
}

void sg_thread_timers_take_outside(pid_t tid) {
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot)
        return;
    slot->is_blocked = true; /* stack_request.h checks it, too */
    slot->asked_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    if (sg_slot_timer.period_ns && !slot->is_outside)
        sg_slot_timer_put_outside(slot, sg_slot_timer_cpu_ns(slot));
}

void sg_thread_timers_take_back(pid_t tid) {
    struct sg_slot *slot = sg_threads_find(tid);
    if (!slot)
        return;
    slot->is_blocked = false;
    slot->asked_ns = 0;
    if (sg_slot_timer.period_ns && slot->is_outside)
        change_way(slot);
}

bool sg_thread_timers_has_outside(void) {
    return sg_slot_timer.period_ns && sg_slot_timer.n_outside;
}

void sg_thread_timers_close(void) {
    sg_permitted_calls_check();
    sg_threads_each(sg_slot_timer_disarm);
    sg_slot_timer.period_ns = 0;
    sg_signals_release(atomic_load(&sg_slot_timer.signo));
    atomic_store(&sg_slot_timer.signo, 0);
    sg_signal_pipe_close();
}

void sg_thread_timers_discard(void) {
    sg_signals_release(atomic_load(&sg_slot_timer.signo));
    atomic_store(&sg_slot_timer.signo, 0);
    atomic_store(&leaving, 0);
    atomic_store(&sg_slot_timer.clock, SG_CLOCK_AUTO);
    sg_signal_pipe_forget();
    sg_slot_timer.period_ns = 0;
    sg_slot_timer.n_starting = sg_slot_timer.n_outside = 0;
    sg_clock_perf_forget();
}
