/* Wall sampler: rounds over all threads.
 *
 *     list of threads ─▶ look_at each: the same stay goes on, or it ends and a new one begins
 *                          stays that have ended ─▶ `ended` ─┐
 *                          stays that go on ─────────────────┴─▶ drain, by the writer
 *
 * A stay is a run of samples of a thread that did not move, so a thread that waits for an hour
 * costs one stack. */
#include "cpu/wall_sampler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sampler_thread.h"
#include "cpu/thread_states.h"
#include "cpu/threads.h"
#include "frames/outside_threads.h"
#include "frames/outside_walk.h"
#include "labels/labels.h"
#include "platform/engine_thread.h"
#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/futex_sleepers.h"
#include "platform/random_bits.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "tasks/running.h"

enum {
    STACK_BYTES = 256 * 1024,
    MOST_COST = 66,       /* a round is followed by a rest of so many times its CPU time: 1.5 % */
    AVERAGED_OVER = 16,   /* rounds, because the first one reads all threads, the others few */
    MOST_STAYS = 1 << 18, /* stays that have ended since the last drain; more are counted as lost */
};

/* Consecutive samples of a thread in one state, at one stack. */
struct stay {
    pid_t tid;
    enum sg_thread_state state;
    int call; /* number of the system call, in state SG_THREAD_IN_CALL; else -1 */
    uint32_t labels;
    uint32_t count; /* samples since the last drain */
    uint64_t ns;    /* the wall-clock time that these samples stand for */
    uint32_t depth;
    struct sg_frame *frames; /* (depth,); owned */
};

struct watched {
    struct stay stay; /* the present one; its `tid` is set even if there is none */
    bool is_settled;  /* the stay goes on as long as the thread's CPU clock reads `cpu_ns` */
    uint64_t cpu_ns;
    uintptr_t thread; /* its PyThreadState at the last sample, or 0 */
};

/* Guarded by `lock`, which rounds and drains take; `stop` needs no lock, as the thread has ended.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watched *watched;
static size_t n_watched;
static struct SG_ROWS_OF(struct stay) ended;
static struct stay lost; /* samples for which there was no memory or no room */

/* Lock-free. */
static _Atomic bool is_running;
static _Atomic uint64_t period_ns;
static sg_wakeup n_wakes;
/* Used by the writer only. */
static struct sg_engine_thread thread;
static bool is_wanted;
static int start_error; /* errno of the last attempt to start the thread; 0 = it runs, or is off */
/* Used by the wall sampler's thread only. */
static struct sg_frame frames[SG_MAX_DEPTH];
static struct SG_ROWS_OF(pid_t) tids;
static int64_t cost_ns; /* CPU time of a round, a moving average */

/* ---- Threads ---- */

/* Add a thread of the program to `tids`. Called under sg_threads_lock. */
static void note(struct sg_slot *slot) {
    pid_t tid = atomic_load(&slot->tid);
    if (!sg_engine_threads_has(tid))
        SG_ROWS_ADD(&tids, tid);
}

/* Move the present stay to `ended`. */
static void end_stay(struct watched *it) {
    struct stay *stay = &it->stay;
    if (stay->count && ended.n < MOST_STAYS && SG_ROWS_ADD(&ended, *stay)) {
        stay->frames = NULL;
    } else {
        lost.count += stay->count;
        lost.ns += stay->ns;
    }
    free(stay->frames);
    *stay = (struct stay){.tid = stay->tid};
    it->is_settled = false;
}

/* Return the thread's position in `watched`, or SIZE_MAX. Threads are listed in the same order each
 * time, so a search that begins behind the previous hit (`from`) mostly succeeds at once. */
static size_t find(pid_t tid, size_t from) {
    for (size_t i = 0; i < n_watched; i++) {
        size_t at = (from + i) % n_watched;
        if (watched[at].stay.tid == tid)
            return at;
    }
    return SIZE_MAX;
}

static bool is_same_list(void) {
    if (tids.n != n_watched)
        return false;
    for (size_t i = 0; i < tids.n; i++)
        if (tids.at[i] != watched[i].stay.tid)
            return false;
    return true;
}

/* Keep the address of the thread state, so that the walk need not search for it. */
static void note_state(void *context, pid_t tid, uintptr_t state) {
    size_t *next = context, at = find(tid, *next);
    if (at == SIZE_MAX)
        return;
    if (!watched[at].thread)
        watched[at].thread = state;
    *next = at ? at - 1 : n_watched - 1; /* the newest come first */
}

/* Make `watched` follow `tids`: keep the stays of threads that are still there, end the stays of
 * other threads, add new threads. */
static void follow_list(void) {
    struct watched *now = calloc(tids.n + 1, sizeof *now);
    size_t next = 0;
    if (!now)
        return; /* keep the old list until the next round */
    for (size_t i = 0; i < tids.n; i++) {
        size_t at = find(tids.at[i], next);
        now[i].stay.tid = tids.at[i];
        if (at == SIZE_MAX)
            continue;
        now[i] = watched[at];
        watched[at].stay = (struct stay){.tid = -1};
        next = at + 1;
    }
    for (size_t i = 0; i < n_watched; i++)
        end_stay(&watched[i]);
    free(watched);
    watched = now;
    n_watched = tids.n;
    next = n_watched - 1;
    if (n_watched)
        sg_outside_threads_each(note_state, &next);
}

static void list_threads(void) {
    tids.n = 0;
    sg_threads_lock();
    sg_threads_each(note);
    sg_threads_unlock();
}

/* ---- One thread ---- */

static void count(struct stay *stay, uint64_t ns) {
    stay->count++;
    stay->ns += ns;
}

static void keep_stack(struct stay *stay, const struct sg_frame *stack, uint32_t depth) {
    stay->frames = malloc(depth * sizeof *stack);
    stay->depth = stay->frames ? depth : 0;
    if (stay->frames)
        memcpy(stay->frames, stack, depth * sizeof *stack);
}

/* Sample one thread. The sample stands for `ns` of wall-clock time. */
static void look_at(struct watched *it, uint64_t ns) {
    static const struct sg_frame unknown = {SG_UNKNOWN, -1}, native = {SG_NATIVE, -1},
                                 foreign = {SG_NO_PYTHON_THREAD, -1}, own = {SG_OWN_WORK, -1};
    struct stay *stay = &it->stay;
    uint64_t cpu_ns = sg_futex_sleepers_clock(stay->tid);
    if (cpu_ns == SG_NO_CPU_CLOCK)
        return; /* the thread has ended */
    if (it->is_settled && cpu_ns == it->cpu_ns) {
        count(stay, ns);
        return;
    }
    end_stay(it);
    struct sg_sleeper seen = {.tid = stay->tid};
    sg_futex_sleepers_read(&seen);
    struct sg_outside_walk walk = {
        .tid = stay->tid, .thread = it->thread, .frames = frames, .capacity = SG_MAX_DEPTH};
    enum sg_outside_result result = sg_outside_walk(&walk);
    bool is_still = result != SG_OUTSIDE_MOVED && walk.cpu_ns == seen.cpu_ns;
    enum sg_thread_state state = sg_thread_states_of(&seen);
    it->thread = walk.thread ? walk.thread : it->thread;
    bool is_running_now = !is_still && (state == SG_THREAD_RUNNING || state == SG_THREAD_UNKNOWN);
    stay->state = is_running_now               ? SG_THREAD_RUNNING
                  : state == SG_THREAD_RUNNING ? SG_THREAD_WAITS_PROCESSOR
                                               : state;
    stay->call = state == SG_THREAD_IN_CALL ? seen.call : -1;
    if (sg_engine_threads_is_exempt_tid(stay->tid))
        keep_stack(stay, &own, 1);
    else if (is_still && result == SG_OUTSIDE_STACK)
        keep_stack(stay, frames, walk.depth);
    else if (is_still && result == SG_OUTSIDE_NO_PYTHON)
        keep_stack(stay, walk.thread ? &native : &foreign, 1);
    else
        keep_stack(stay, &unknown, 1);
    stay->labels = SG_NO_LABELS;
    if (is_still)
        stay->labels = walk.labels | sg_running_tasks_label_outside((const void *)walk.thread,
                                                                    stay->tid, walk.cpu_ns);
    count(stay, ns);
    it->is_settled = is_still;
    it->cpu_ns = seen.cpu_ns;
}

/* ---- Rounds ---- */

/* Returns the time to sleep until the next round, in ns. */
static uint64_t go_round(uint64_t *before_ns) {
    uint64_t began_cpu_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC), period = atomic_load(&period_ns);
    uint64_t since_ns = *before_ns ? now_ns - *before_ns : 0;
    list_threads();
    pthread_mutex_lock(&lock);
    if (!is_same_list())
        follow_list();
    for (size_t i = 0; since_ns && i < n_watched && atomic_load(&is_running); i++)
        look_at(&watched[i], since_ns);
    pthread_mutex_unlock(&lock);
    *before_ns = now_ns;
    /* Random, so that rounds do not synchronise with a periodic program. */
    uint64_t sleep_ns = period / 2 + sg_random_bits() % (period + 1);
    int64_t this_ns = (int64_t)(sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_cpu_ns);
    cost_ns += (this_ns - cost_ns) / AVERAGED_OVER;
    uint64_t rest_ns = MOST_COST * (uint64_t)cost_ns;
    return sleep_ns > rest_ns ? sleep_ns : rest_ns;
}

static void run(void) {
    uint64_t before_ns = 0;
    cost_ns = 0;
    sg_engine_thread_sleep_exactly();
    while (atomic_load(&is_running)) {
        uint32_t wakes = atomic_load(&n_wakes);
        uint64_t sleep_ns = go_round(&before_ns);
        if (atomic_load(&is_running))
            sg_futex_wait(&n_wakes, wakes, (int64_t)sleep_ns);
    }
}

static void stop(void) {
    if (!atomic_exchange(&is_running, false))
        return;
    sg_futex_wake(&n_wakes);
    sg_engine_thread_join(&thread);
    for (size_t i = 0; i < n_watched; i++)
        end_stay(&watched[i]);
    free(watched);
    watched = NULL;
    n_watched = 0;
    SG_ROWS_FREE(&tids);
}

void sg_wall_sampler_set_rate(unsigned hz) {
    hz = hz > SG_WALL_MAX_HZ ? SG_WALL_MAX_HZ : hz;
    sg_sampler_thread_want_scans(SG_SCANS_FOR_WALL, hz != 0);
    is_wanted = hz != 0;
    if (!hz) {
        start_error = 0;
        stop();
        return;
    }
    atomic_store(&period_ns, 1000000000u / hz);
    sg_wall_sampler_maintain();
}

void sg_wall_sampler_maintain(void) {
    if (!is_wanted || atomic_exchange(&is_running, true))
        return;
    start_error = sg_engine_thread_start(&thread, run, STACK_BYTES);
    if (start_error)
        atomic_store(&is_running, false);
}

const char *sg_wall_sampler_problem(void) {
    static char problem[256];
    if (!start_error)
        return "";
    snprintf(problem, sizeof problem, "no thread can be started to sample waiting threads: %s",
             sg_engine_thread_explain(start_error));
    return problem;
}

/* ---- Drain ---- */

static void deliver_stay(const struct stay *stay, sg_sample_fn *deliver, void *context) {
    static const struct sg_frame unknown = {SG_UNKNOWN, -1};
    const struct sg_sample sample = {
        .tid = stay->tid,
        .labels = stay->labels,
        .time = sg_sample_time(),
        .count = stay->count,
        .cpu_ns = stay->ns,
        .depth = stay->depth ? stay->depth : 1,
        .frames = stay->depth ? stay->frames : &unknown,
        .wall_state = (uint8_t)(stay->state + 1),
        .call = (int16_t)stay->call,
    };
    if (stay->count)
        deliver(context, &sample);
}

void sg_wall_sampler_drain(sg_sample_fn *deliver, void *context) {
    static struct sg_frame lost_frame = {SG_LOST_SAMPLES, -1};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ended.n; i++) {
        deliver_stay(&ended.at[i], deliver, context);
        free(ended.at[i].frames);
    }
    for (size_t i = 0; i < n_watched; i++) {
        deliver_stay(&watched[i].stay, deliver, context);
        watched[i].stay.count = 0;
        watched[i].stay.ns = 0;
    }
    lost.frames = &lost_frame;
    lost.depth = 1;
    lost.call = -1;
    deliver_stay(&lost, deliver, context);
    lost = (struct stay){0};
    ended.n = 0;
    pthread_mutex_unlock(&lock);
}

void sg_wall_sampler_discard(void) {
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
    atomic_store(&is_running, false);
    is_wanted = false;
    start_error = 0;
    watched = NULL;
    n_watched = 0;
    memset(&ended, 0, sizeof ended);
    memset(&tids, 0, sizeof tids);
    lost = (struct stay){0};
}
