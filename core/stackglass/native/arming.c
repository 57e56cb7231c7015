/* Clocks, signals and threads joined: see arming.h. */
#include "arming.h"

#include <stdatomic.h>

#include "clock.h"
#include "engine_threads.h"
#include "permitted_calls.h"
#include "signal_pipe.h"
#include "signals.h"
#include "tick.h"

enum {
    SHORTEST_NS = 10 * 1000,         /* perf's own limit */
    SHORTEST_TIMER_NS = 1000 * 1000, /* the kernel's tick is no faster */
    /* A program that does the same in each 2 ms, sampled at 1 kHz, would always be found at the
     * same two points (errors of 14 points in a share were seen). So the period is drawn anew, by
     * up to a quarter longer or shorter, when there have been some ticks of the one before. */
    VARIED_BY = 4,
    VARIED_AFTER_TICKS = 8,
    SUSPICIOUS_NS = 30 * 1000 * 1000, /* CPU time without a tick */
};

/* Written under sg_threads_lock. */
static _Atomic enum sg_clock clock_in_use;
static _Atomic int signo;
static uint64_t period_ns;
static uint64_t random_state;
static bool is_first_scan;
static bool has_checked_calls; /* in this scan */

enum sg_clock sg_arming_clock(void) { return atomic_load(&clock_in_use); }
int sg_arming_signal(void) { return atomic_load(&signo); }
uint64_t sg_arming_period_ns(void) { return period_ns; }

uint64_t sg_arming_draw(uint64_t limit_ns) { /* xorshift */
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit_ns + 1;
}

uint64_t sg_arming_draw_period(void) {
    return period_ns - period_ns / VARIED_BY + sg_arming_draw(2 * period_ns / VARIED_BY);
}

static const char *choose_clock(enum sg_clock wanted, enum sg_clock *chosen) {
    const char *problem = NULL;
    *chosen = wanted;
    switch (wanted) {
    case SG_CLOCK_AUTO:
        if (!sg_perf_check(true))
            *chosen = SG_CLOCK_PERF;
        else if (!sg_perf_check(false) && !sg_timer_check())
            *chosen = SG_CLOCK_PERF_TIMER;
        else if (sg_signals_is_default_free())
            *chosen = SG_CLOCK_TICKER;
        else
            *chosen = SG_CLOCK_TIMER;
        return *chosen == SG_CLOCK_TIMER ? sg_timer_check() : NULL;
    case SG_CLOCK_PERF:
        return sg_perf_check(true);
    case SG_CLOCK_PERF_TIMER:
        problem = sg_perf_check(false);
        return problem ? problem : sg_timer_check();
    case SG_CLOCK_TICKER:
        /* A realtime signal that arrives as the program executes another one would kill it. */
        return sg_signals_is_default_free() ? NULL
                                            : "the program uses SIGURG, which the ticker needs";
    case SG_CLOCK_TIMER:
        return sg_timer_check();
    }
    return "there is no such clock";
}

const char *sg_arming_open(enum sg_clock wanted) {
    enum sg_clock chosen;
    const char *problem = choose_clock(wanted, &chosen);
    if (problem)
        return problem;
    if (!sg_signal_pipe_open())
        return "there is no pipe for the engine's signals, which a system call filter makes "
               "necessary";
    int claimed = sg_signals_claim(0);
    if (!claimed) {
        sg_signal_pipe_close();
        return "every signal is in use by the program";
    }
    random_state = sg_clock_ns(CLOCK_MONOTONIC) | 1;
    period_ns = 0;
    is_first_scan = true;
    atomic_store(&clock_in_use, chosen);
    atomic_store(&signo, claimed);
    return NULL;
}

static uint64_t first_phase(uint64_t used_ns) {
    /* Uniform over the thread's first period, wherever in it we have come to know it: so a thread
     * that uses a tenth of a period is seen one time in ten. */
    uint64_t phase = sg_arming_draw(period_ns);
    return phase > used_ns + SHORTEST_NS ? phase - used_ns : SHORTEST_NS;
}

/* CPU timers are looked at in the kernel's tick, which the coarse clock shows. */
static uint64_t timer_period(void) {
    struct timespec tick;
    uint64_t shortest_ns = SHORTEST_TIMER_NS;
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_nsec > SHORTEST_TIMER_NS)
        shortest_ns = (uint64_t)tick.tv_nsec;
    return period_ns > shortest_ns ? period_ns : shortest_ns;
}

static void disarm(struct sg_slot *slot) {
    sg_perf_disarm(slot);
    sg_timer_disarm(slot);
    atomic_store(&slot->period_ns, 0);
}

static void arm(struct sg_slot *slot, uint64_t used_ns) {
    enum sg_clock clock = atomic_load(&clock_in_use);
    int by = atomic_load(&signo);
    uint64_t first_ns = first_phase(used_ns);
    atomic_store(&slot->is_fresh, true);
    atomic_store(&slot->is_first_over, false);
    atomic_store(&slot->period_ns, period_ns);
    bool is_armed = false;
    if (clock == SG_CLOCK_PERF || clock == SG_CLOCK_PERF_TIMER)
        is_armed = sg_perf_arm(slot, clock == SG_CLOCK_PERF, first_ns, period_ns, by);
    if (clock == SG_CLOCK_TICKER)
        sg_ticker_arm(slot);
    else if (!is_armed || clock == SG_CLOCK_PERF_TIMER) /* also where descriptors have run out */
        sg_timer_arm(slot, first_ns, timer_period(), by);
    if (!is_armed && clock != SG_CLOCK_TICKER)
        atomic_store(&slot->period_ns, timer_period());
}

/* A program may install a filter for all of its threads while we are there. */
static void check_calls(void) {
    sg_calls_check();
    sg_signal_pipe_open();
    has_checked_calls = true;
}

static void arrive(struct sg_slot *slot) {
    if (!has_checked_calls)
        check_calls();
    slot->watch_cpu_ns = sg_clock_ns(sg_thread_clock(atomic_load(&slot->tid)));
    slot->event_cpu_ns = slot->watch_cpu_ns;
    if (period_ns)
        arm(slot, is_first_scan ? 0 : slot->watch_cpu_ns);
}

void sg_arming_scan(void) {
    has_checked_calls = false;
    sg_threads_scan(arrive, disarm);
    is_first_scan = false;
}

static void arm_again(struct sg_slot *slot) { arm(slot, 0); }

static void change_period(struct sg_slot *slot) {
    atomic_store(&slot->period_ns, slot->timer != SG_NO_TIMER && slot->perf_fd == SG_NO_FD
                                       ? timer_period()
                                       : period_ns);
    sg_perf_continue(slot, period_ns);
    sg_timer_set_period(slot, timer_period(), timer_period());
}

void sg_arming_set_period(uint64_t wanted_ns) {
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
        sg_perf_continue(slot, period_ns);
}

/* A first tick that nobody took would have been the last one, since the event waits to be
 * continued. Signals of one number that are pending are one: it is lost where a timer's or one of
 * the program's comes at the same moment; or where the program has just put its own handler there.
 */
static void revive(struct sg_slot *slot) {
    if (period_ns)
        sg_perf_continue(slot, atomic_load(&slot->period_ns));
}

/* The tick that was under way is lost, half a period on average; so that the rate is kept, the
 * others come a little sooner, and where a tick stands for its period, the next is owed it. */
static void vary(struct sg_slot *slot) {
    uint32_t n_ticks = atomic_load(&slot->n_ticks), n = n_ticks - slot->varied_ticks;
    if (slot->perf_fd == SG_NO_FD || n < VARIED_AFTER_TICKS)
        return;
    uint64_t before_ns = atomic_load(&slot->period_ns);
    /* It is the rate that is drawn evenly, since each draw holds for the same time. */
    uint64_t drawn_ns = period_ns * period_ns / sg_arming_draw_period();
    drawn_ns = drawn_ns * 2 * n / (2 * n + 1);
    if (drawn_ns < SHORTEST_NS)
        drawn_ns = SHORTEST_NS;
    slot->varied_ticks = n_ticks;
    sg_perf_change_period(slot, drawn_ns);
    atomic_fetch_add(&slot->owed_ns, before_ns / 2);
    atomic_store(&slot->period_ns, drawn_ns);
}

void sg_arming_vary(void) {
    if (period_ns)
        sg_threads_each(vary);
}

void sg_arming_continue(void) { sg_threads_each(continue_one); }

static void change_signal(struct sg_slot *slot) {
    int by = atomic_load(&signo);
    sg_perf_set_signal(slot, by);
    revive(slot);
    if (slot->timer != SG_NO_TIMER || atomic_load(&clock_in_use) == SG_CLOCK_TIMER) {
        sg_timer_disarm(slot);
        if (period_ns && sg_timer_arm(slot, first_phase(0), timer_period(), by) &&
            slot->perf_fd == SG_NO_FD)
            atomic_store(&slot->period_ns, timer_period());
    }
}

void sg_arming_move_signal(void) {
    int before = atomic_load(&signo);
    int after = sg_signals_claim(before);
    if (!after)
        return;
    if (atomic_load(&clock_in_use) == SG_CLOCK_TICKER) {
        atomic_store(&clock_in_use, SG_CLOCK_TIMER);
        sg_tick_set_clock(SG_CLOCK_TIMER);
    }
    atomic_store(&signo, after);
    sg_threads_each(change_signal);
    sg_signals_release(before);
}

static bool is_suspicious(uint64_t used_ns) {
    return used_ns > SUSPICIOUS_NS && used_ns > 3 * period_ns;
}

/* The event by itself: beside it there may be a timer that ticks on. */
static void watch_event(struct sg_slot *slot, uint64_t cpu_ns) {
    uint32_t n_ticks = atomic_load(&slot->n_event_ticks);
    if (n_ticks == slot->event_ticks && !is_suspicious(cpu_ns - slot->event_cpu_ns))
        return;
    if (n_ticks == slot->event_ticks)
        revive(slot);
    slot->event_cpu_ns = cpu_ns;
    slot->event_ticks = n_ticks;
}

static void watch(struct sg_slot *slot) {
    uint64_t cpu_ns = sg_clock_ns(sg_thread_clock(atomic_load(&slot->tid)));
    uint32_t n_ticks = atomic_load(&slot->n_ticks);
    watch_event(slot, cpu_ns);
    if (n_ticks != slot->watch_ticks) {
        slot->is_blocked = false;
    } else if (!is_suspicious(cpu_ns - slot->watch_cpu_ns)) {
        return; /* too little yet to tell: go on adding */
    } else if (!slot->is_blocked && sg_threads_blocks(slot, atomic_load(&signo))) {
        slot->is_blocked = true;
        slot->booked_ns = slot->watch_cpu_ns;
    }
    slot->watch_cpu_ns = cpu_ns;
    slot->watch_ticks = n_ticks;
}

void sg_arming_watch(void) {
    if (period_ns)
        sg_threads_each(watch);
}

static void (*book_one)(void *, pid_t, bool, uint64_t); /* guarded by sg_threads_lock */
static void *book_context;

static void book_slot(struct sg_slot *slot) {
    if (!slot->is_blocked)
        return;
    pid_t tid = atomic_load(&slot->tid);
    uint64_t cpu_ns = sg_clock_ns(sg_thread_clock(tid));
    if (cpu_ns > slot->booked_ns) {
        book_one(book_context, tid, slot->is_python, cpu_ns - slot->booked_ns);
        slot->booked_ns = cpu_ns;
    }
}

void sg_arming_book(void (*book)(void *, pid_t, bool, uint64_t), void *context) {
    book_one = book;
    book_context = context;
    sg_threads_each(book_slot);
}

void sg_arming_close(void) {
    sg_threads_each(disarm);
    period_ns = 0;
    sg_signals_release(atomic_load(&signo));
    atomic_store(&signo, 0);
    sg_signal_pipe_close();
}

void sg_arming_discard(void) {
    sg_signals_release(atomic_load(&signo));
    atomic_store(&signo, 0);
    atomic_store(&clock_in_use, SG_CLOCK_AUTO);
    sg_signal_pipe_forget();
    period_ns = 0;
    sg_perf_forget();
}
