/* Sampler's thread: executes requests, ticks, and a chore.
 *
 *     asker         raises its flag, or puts its thread in a place ──▶ n_wakes + 1
 *     look_around   one hold of sg_threads_lock for all of them    ──▶ n_moves + 1, for waiters
 *     then          tick, chore; sleep until the first of: n_wakes, the next tick, a starting
 *                   thread's next check, the chore
 *
 * No wake-up is lost: a sleeper reads its counter, then looks, then sleeps only if the counter is
 * still the same. Flags are lowered before the work, so that a request during the work gets the
 * next round. The place of a thread that waits to go outside, that is, to get no more signals, is
 * cleared after the work. */
#include "cpu/sampler_thread.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/clock_ticker.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "platform/engine_thread.h"
#include "platform/futex.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

/* If threads are started by the thousand, one scan serves many: after each scan the sampler's
 * thread rests twice as long as the scan took. A thread that lives for less may be missed. */
enum { REST = 2, SHORTEST_REST_NS = 20 * 1000, LONGEST_REST_NS = 5 * 1000 * 1000 };
enum { STACK_BYTES = 256 * 1024 };
enum { MOST_ASKERS = 16 };
enum {
    START_POLL_NS = 200 * 1000,
    MOVE_POLL_NS = 1000 * 1000,
};
/* To re-arm 400 threads took 0.01 to 0.11 s beside 25 busy processes, 0.5 s beside 45. A thread
 * that waits for it may hold the GIL; the sampler's thread needs no GIL. */
#define MOVE_WAIT_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Lock-free, except `thread`, which only the writer uses. */
static sg_wakeup n_wakes; /* a futex: one more = look around */
static sg_wakeup n_moves; /* a futex: one more = requests are done, or the thread starts or ends */
static _Atomic bool is_running, is_scan_wanted;
static _Atomic unsigned scan_reasons; /* bits of enum sg_scan_reason */
static _Atomic int unwanted;          /* the signal to be replaced by another; 0 = none */
static struct sg_engine_thread thread;
static const struct sg_chore *_Atomic chore;     /* constant data; NULL = none */
static _Atomic pid_t going_outside[MOST_ASKERS]; /* threads that wait to go outside; 0 = free */
static _Atomic pid_t coming_back[MOST_ASKERS];

void sg_sampler_thread_set_chore(const struct sg_chore *its) { atomic_store(&chore, its); }

void sg_sampler_thread_wake(void) { sg_futex_wake(&n_wakes); }

void sg_sampler_thread_want_scans(enum sg_scan_reason reason, bool is_wanted) {
    if (!is_wanted)
        atomic_fetch_and(&scan_reasons, ~(unsigned)reason);
    else if (!atomic_fetch_or(&scan_reasons, (unsigned)reason))
        sg_sampler_thread_request_scan();
}

void sg_sampler_thread_request_scan(void) {
    if (atomic_load(&scan_reasons) && atomic_load(&is_running) &&
        !atomic_exchange(&is_scan_wanted, true))
        sg_futex_wake(&n_wakes);
}

/* The caller waits also while the sampler's thread starts or ends: threads are armed before it
 * runs, and disarmed after it has ended, and then nothing wakes the caller. */
void sg_sampler_thread_request_other_signal(int signo) {
    uint64_t until_ns = sg_time_clock_ns(CLOCK_MONOTONIC) + MOVE_WAIT_NS;
    while (sg_thread_timers_may_send(signo)) {
        uint32_t seen = atomic_load(&n_moves);
        uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
        if (now_ns >= until_ns)
            return;
        atomic_store(&unwanted, signo);
        sg_futex_wake(&n_wakes);
        if (sg_thread_timers_may_send(signo))
            sg_futex_wait(&n_moves, seen, MOVE_POLL_NS);
    }
}

/* Put the thread in a free place. Returns the place, or NULL if none is free. */
static _Atomic pid_t *put(_Atomic pid_t places[MOST_ASKERS], pid_t tid) {
    for (int i = 0; i < MOST_ASKERS; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&places[i], &none, tid))
            return &places[i];
    }
    return NULL;
}

/* Remove the thread from its places. */
static void withdraw(_Atomic pid_t places[MOST_ASKERS], pid_t tid) {
    for (int i = 0; i < MOST_ASKERS; i++) {
        pid_t expected = tid;
        atomic_compare_exchange_strong(&places[i], &expected, 0);
    }
}

/* The thread's earlier request to come back must not be executed after this one, so it is withdrawn
 * first. If the sampler's thread has taken it already, move_askers keeps the order. */
void sg_sampler_thread_request_outside(void) {
    pid_t tid = sg_thread_ids_own();
    withdraw(coming_back, tid);
    uint64_t until_ns = sg_time_clock_ns(CLOCK_MONOTONIC) + MOVE_WAIT_NS;
    _Atomic pid_t *place = NULL;
    while (atomic_load(&is_running)) {
        uint32_t seen = atomic_load(&n_moves);
        uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
        if (place ? atomic_load(place) != tid : now_ns >= until_ns)
            return;
        if (now_ns >= until_ns)
            break;
        bool is_new = !place && (place = put(going_outside, tid));
        if (is_new)
            sg_futex_wake(&n_wakes);
        if (!place || atomic_load(place) == tid)
            sg_futex_wait(&n_moves, seen, until_ns - now_ns);
    }
    if (place)
        atomic_compare_exchange_strong(place, &tid, 0);
}

void sg_sampler_thread_request_return(void) {
    pid_t tid = sg_thread_ids_own();
    /* If there is no place, the next check of blocked threads finds the thread. */
    if (atomic_load(&is_running) && put(coming_back, tid))
        sg_futex_wake(&n_wakes);
}

/* Move the requesting threads, under sg_threads_lock. Returns true if a thread waits for its move.
 * A thread that asks to go outside has no place in coming_back any more. If this pass has emptied
 * that place, it reads the place in going_outside later, and takes the thread back first. */
static bool move_askers(void) {
    bool is_awaited = false;
    for (int i = 0; i < MOST_ASKERS; i++) {
        pid_t back = atomic_exchange(&coming_back[i], 0), tid = atomic_load(&going_outside[i]);
        if (back)
            sg_thread_timers_take_back(back);
        if (!tid)
            continue;
        sg_thread_timers_take_outside(tid);
        atomic_compare_exchange_strong(&going_outside[i], &tid, 0);
        is_awaited = true;
    }
    return is_awaited;
}

/* Execute all requests. Returns the time until starting threads have to be checked again, in ns; 0
 * = there are none. */
static uint64_t look_around(void) {
    uint64_t began_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    bool is_scan = atomic_exchange(&is_scan_wanted, false);
    int left = atomic_exchange(&unwanted, 0);
    sg_threads_lock();
    /* A repeated request for a signal that was given up already must not claim it again. */
    if (left && left == sg_thread_timers_signal())
        sg_thread_timers_move_signal();
    if (is_scan)
        sg_thread_timers_scan();
    sg_thread_timers_continue();
    bool is_awaited = move_askers();
    uint64_t settle_ns = sg_thread_timers_settle();
    sg_threads_unlock();
    if (left || is_awaited)
        sg_futex_wake(&n_moves);
    if (is_scan) {
        uint64_t rest_ns = REST * (sg_time_clock_ns(CLOCK_MONOTONIC) - began_ns);
        sg_futex_sleep_ns(rest_ns < SHORTEST_REST_NS  ? SHORTEST_REST_NS
                          : rest_ns > LONGEST_REST_NS ? LONGEST_REST_NS
                                                      : (int64_t)rest_ns);
    }
    return settle_ns;
}

/* Times at which to call the ticker, CLOCK_MONOTONIC; a tick is one call or several. */
struct tick_times {
    uint64_t begin_ns; /* of the tick */
    uint64_t next_ns;  /* of the next call */
};

/* Call the ticker if it is due. Returns the time to sleep until the next call; 0 = no limit. */
static uint64_t tick(struct tick_times *times) {
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    sg_threads_lock();
    uint64_t period_ns =
        sg_thread_timers_clock() == SG_CLOCK_TICKER ? sg_thread_timers_period_ns() : 0;
    if (period_ns && now_ns >= times->next_ns) {
        const struct sg_ticker_call call = {sg_thread_timers_signal(), times->next_ns, period_ns};
        times->next_ns = sg_clock_ticker_tick(&call);
        now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
        if (!times->next_ns) {
            period_ns = sg_thread_timers_draw_period();
            times->begin_ns += period_ns;
            if (times->begin_ns <= now_ns) /* late: no need to catch up, CPU clocks count */
                times->begin_ns = now_ns + period_ns;
            times->next_ns = times->begin_ns;
        }
    } else if (period_ns && times->begin_ns > now_ns + 2 * period_ns) {
        times->begin_ns = times->next_ns = now_ns + period_ns; /* the rate has grown */
    }
    sg_threads_unlock();
    if (!period_ns)
        return 0;
    return times->next_ns > now_ns ? times->next_ns - now_ns : 1;
}

/* The shorter of two times to sleep; 0 = no limit. */
static uint64_t sooner(uint64_t one_ns, uint64_t other_ns) {
    return !one_ns || (other_ns && other_ns < one_ns) ? other_ns : one_ns;
}

static uint64_t maintain_chore(void) {
    const struct sg_chore *its = atomic_load(&chore);
    return its ? its->maintain() : 0;
}

static void end_chore(void) {
    const struct sg_chore *its = atomic_load(&chore);
    if (its)
        its->end();
}

static void attend(void) {
    struct tick_times times = {0, 0};
    sg_engine_thread_sleep_exactly();
    atomic_store(&is_running, true);
    sg_futex_wake(&n_moves); /* the starter waits for it */
    while (atomic_load(&is_running)) {
        uint32_t seen = atomic_load(&n_wakes);
        uint64_t settle_ns = look_around();
        uint64_t sleep_ns = sooner(tick(&times), sooner(settle_ns, maintain_chore()));
        if (atomic_load(&is_running))
            sg_futex_wait(&n_wakes, seen, sleep_ns ? (int64_t)sleep_ns : SG_FUTEX_FOREVER);
    }
    end_chore();
}

int sg_sampler_thread_start(void) {
    /* Drop a request of the last run; a thread that still waits asks again. */
    atomic_store(&unwanted, 0);
    int failed = sg_engine_thread_start(&thread, attend, STACK_BYTES);
    if (failed)
        return failed;
    for (uint32_t seen = atomic_load(&n_moves); !atomic_load(&is_running);
         seen = atomic_load(&n_moves))
        sg_futex_wait(&n_moves, seen, START_POLL_NS);
    return 0;
}

void sg_sampler_thread_stop(void) {
    if (!atomic_exchange(&is_running, false))
        return;
    sg_futex_wake(&n_wakes);
    sg_engine_thread_join(&thread);
    sg_futex_wake(&n_moves);
}

void sg_sampler_thread_discard(void) {
    atomic_store(&is_running, false);
    atomic_store(&is_scan_wanted, false);
    atomic_store(&scan_reasons, 0);
    atomic_store(&unwanted, 0);
    for (int i = 0; i < MOST_ASKERS; i++) {
        atomic_store(&going_outside[i], 0);
        atomic_store(&coming_back[i], 0);
    }
}
