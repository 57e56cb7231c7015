/* Samples of threads that get no signal, taken from their processors: see outside_sampler.h. */
#include "cpu/outside_sampler.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sample.h"
#include "cpu/stack_cache.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "frames/outside_walk.h"
#include "labels/labels.h"
#include "platform/engine_thread.h"
#include "platform/futex.h"
#include "platform/permitted_calls.h"
#include "platform/proc_files.h"
#include "platform/time.h"
#include "tasks/running.h"

enum {
    STACK_BYTES = 256 * 1024,
    MOST_LOOKED_AT = 256,      /* threads in one round; the others follow in the next */
    SHORTEST_NS = 1000 * 1000, /* between two rounds: a look costs more than a signal */
    REST_PER_COST = 20,        /* rounds take at most a twentieth of a processor */
    NAP_NS = 30 * 1000,        /* gives a thread on the reader's processor time to run */
    MOST_TRIES = 3,            /* to reach the thread's processor */
    BOOKED_PART = 4,           /* a stack books a quarter of the CPU time that is due */
    /* CPU time for which no stack was found for so long is booked as <signal blocked>. */
    DUE_NS = 700 * 1000 * 1000,
    LINGER_NS = 1000 * 1000 * 1000, /* the reader ends after so long without a thread to read */
    FAILED_NS = 1000 * 1000 * 1000, /* that no reader can be started is reported after so long */
};

/* Lock-free. */
static _Atomic bool is_running;
static sg_wakeup n_wakes; /* the futex that the reader sleeps at */
static _Atomic uint64_t n_stacks, n_blocked, booked_ns;
/* Used by the writer only. */
static struct sg_engine_thread reader;
static uint64_t last_wanted_ns;
static uint64_t failing_ns; /* when starting the reader first failed; 0 = it did not */
/* Used by the reader only. */
static struct sg_frame frames[SG_MAX_DEPTH];
static cpu_set_t everywhere;
static bool is_pinned;
static uint32_t n_to_skip; /* threads that earlier rounds have looked at */
/* The threads of this round. Each state is a copy of its slot's: made under sg_threads_lock, used
 * without it, and written back if the slot still belongs to the thread. */
static struct looked_at {
    struct sg_slot *slot;
    pid_t tid;
    struct sg_outside_state state;
} round_of[MOST_LOOKED_AT];
static uint32_t n_round, n_passed;

struct sg_outside_counts sg_outside_sampler_counts(void) {
    return (struct sg_outside_counts){
        .n_stacks = atomic_load(&n_stacks),
        .n_blocked = atomic_load(&n_blocked),
        .booked_ns = atomic_load(&booked_ns),
    };
}

/* ---- Moving to a thread's processor ---- */

/* The state letter and the processor that the kernel shows; false if the thread has ended. */
static bool read_place(pid_t tid, char *state, int *processor) {
    enum { FIELDS_TO_PROCESSOR = 36 }; /* from the state, field 3, to field 39 */
    char text[1024];
    sg_proc_files_read_thread(tid, "stat", text, sizeof text);
    const char *at = strrchr(text, ')'); /* a name may hold anything */
    if (!at || at[1] != ' ')
        return false;
    at += 2;
    *state = *at;
    for (int i = 0; at && i < FIELDS_TO_PROCESSOR; i++) {
        at = strchr(at, ' ');
        at += at != NULL;
    }
    *processor = at ? atoi(at) : -1;
    return at != NULL;
}

/* Move the reader to a processor. That interrupts the thread that runs there. If the reader is
 * there already, it naps first, so that the thread can run. */
static bool go_to(int processor) {
    cpu_set_t there;
    if (processor < 0 || processor >= CPU_SETSIZE || !sg_permitted_calls_may(SG_CALL_OTHERS))
        return false;
    CPU_ZERO(&there);
    CPU_SET(processor, &there);
    bool is_here = sched_getcpu() == processor;
    if (sched_setaffinity(0, sizeof there, &there) != 0)
        return false;
    is_pinned = true;
    if (is_here)
        sg_futex_sleep_ns(NAP_NS);
    return true;
}

static void leave_processor(void) {
    if (is_pinned)
        sched_setaffinity(0, sizeof everywhere, &everywhere);
    is_pinned = false;
}

/* ---- One thread ---- */

enum look { KNOWN, NOT_RUNNING, NO_STACK };

/* Walk a thread that runs at the moment of the reader's arrival, while it cannot continue. That it
 * ran before or after is not required as well: it would favour some functions. */
static enum look look_at_running(struct sg_outside_walk *walk, enum sg_outside_result *result) {
    clockid_t clock = sg_time_thread_clock(walk->tid);
    uint64_t before_ns = sg_time_clock_ns(clock);
    char state;
    int processor, processor_now;
    if (!read_place(walk->tid, &state, &processor))
        return NOT_RUNNING;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (!go_to(processor))
            return NO_STACK;
        uint64_t arrived_ns = sg_time_clock_ns(clock);
        if (!read_place(walk->tid, &state, &processor_now) || state != 'R')
            return NOT_RUNNING;
        if (processor_now == processor) {
            if (arrived_ns == before_ns)
                return NOT_RUNNING; /* its clock stood still meanwhile: it waits for a processor */
            *result = sg_outside_walk(walk);
            if (*result != SG_OUTSIDE_MOVED && walk->cpu_ns == arrived_ns) {
                walk->labels |= sg_running_tasks_label_outside((const void *)walk->thread,
                                                               walk->tid, walk->cpu_ns);
                return *result == SG_OUTSIDE_UNREADABLE ? NO_STACK : KNOWN;
            }
        }
        processor = processor_now;
        before_ns = arrived_ns;
    }
    return NO_STACK;
}

static void deliver(pid_t tid, uint32_t labels, const struct sg_frame *stack, uint32_t depth,
                    uint64_t cpu_ns) {
    struct sg_sample sample = {
        .tid = tid,
        .labels = labels,
        .time = sg_sample_time(),
        .count = 1,
        .cpu_ns = cpu_ns,
        .depth = depth,
        .frames = stack,
    };
    sg_stack_cache_add(&sample);
}

static void look_at(struct looked_at *it) {
    static const struct sg_frame blocked = {SG_SIGNAL_BLOCKED, -1}, native = {SG_NATIVE, -1},
                                 foreign = {SG_NO_PYTHON_THREAD, -1};
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu_ns = sg_time_clock_ns(sg_time_thread_clock(it->tid));
    if (cpu_ns <= it->state.booked_ns) {
        it->state.due_since_ns = now_ns; /* nothing is due */
        return;
    }
    bool is_long_due = now_ns - it->state.due_since_ns >= DUE_NS;
    if (cpu_ns == it->state.seen_ns && !is_long_due)
        return;
    it->state.seen_ns = cpu_ns;
    struct sg_outside_walk walk = {
        .tid = it->tid,
        .thread = it->state.thread,
        .frames = frames,
        .capacity = SG_MAX_DEPTH,
    };
    enum sg_outside_result result = SG_OUTSIDE_MOVED;
    enum look outcome = look_at_running(&walk, &result);
    leave_processor();
    if (walk.thread)
        it->state.thread = walk.thread;
    if (outcome == NOT_RUNNING && !is_long_due)
        return;
    uint64_t book_ns = cpu_ns - it->state.booked_ns;
    if (outcome == KNOWN) {
        /* Only a part, so that one stack after a long time does not outweigh all others. */
        book_ns = (walk.cpu_ns - it->state.booked_ns + BOOKED_PART - 1) / BOOKED_PART;
        atomic_fetch_add(&n_stacks, 1);
        if (result == SG_OUTSIDE_STACK)
            deliver(it->tid, walk.labels, frames, walk.depth, book_ns);
        else
            deliver(it->tid, walk.labels, walk.thread ? &native : &foreign, 1, book_ns);
    } else {
        atomic_fetch_add(&n_blocked, 1);
        deliver(it->tid, SG_NO_LABELS, &blocked, 1, book_ns);
    }
    it->state.booked_ns += book_ns;
    atomic_fetch_add(&booked_ns, book_ns);
    it->state.due_since_ns = now_ns;
}

/* ---- A round ---- */

/* Under sg_threads_lock. */
static void add_to_round(struct sg_slot *slot) {
    if (!slot->is_outside)
        return;
    if (n_passed++ < n_to_skip || n_round == MOST_LOOKED_AT)
        return;
    round_of[n_round++] = (struct looked_at){slot, atomic_load(&slot->tid), slot->outside};
}

/* Returns the time to sleep until the next round, in ns. */
static uint64_t go_round(void) {
    uint64_t began_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID), until_ns = SHORTEST_NS;
    sg_threads_lock();
    uint64_t period_ns = sg_thread_timers_period_ns();
    n_round = n_passed = 0;
    if (period_ns)
        sg_threads_each(add_to_round);
    n_to_skip = n_round == MOST_LOOKED_AT ? n_to_skip + n_round : 0;
    if (period_ns)
        until_ns = sg_thread_timers_draw_period();
    sg_threads_unlock();
    for (uint32_t i = 0; i < n_round && atomic_load(&is_running); i++)
        look_at(&round_of[i]);
    sg_threads_lock();
    for (uint32_t i = 0; i < n_round; i++) {
        struct sg_slot *slot = round_of[i].slot;
        if (atomic_load(&slot->tid) == round_of[i].tid && slot->is_outside)
            slot->outside = round_of[i].state;
    }
    sg_threads_unlock();
    uint64_t rest_ns = REST_PER_COST * (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
    if (until_ns < rest_ns)
        until_ns = rest_ns;
    return until_ns < SHORTEST_NS ? SHORTEST_NS : until_ns;
}

static void run(void) {
    sg_engine_thread_sleep_exactly();
    if (!sg_permitted_calls_may(SG_CALL_OTHERS) ||
        sched_getaffinity(0, sizeof everywhere, &everywhere) != 0)
        memset(&everywhere, 0xff, sizeof everywhere);
    while (atomic_load(&is_running)) {
        uint32_t seen = atomic_load(&n_wakes);
        uint64_t ns = go_round();
        if (atomic_load(&is_running))
            sg_futex_wait(&n_wakes, seen, (int64_t)ns);
    }
}

/* If no thread can be started, the next maintain tries again. */
static void start(uint64_t now_ns) {
    atomic_store(&is_running, true);
    if (sg_engine_thread_start(&reader, run, STACK_BYTES)) {
        atomic_store(&is_running, false);
        failing_ns = failing_ns ? failing_ns : now_ns;
    } else {
        failing_ns = 0;
    }
}

void sg_outside_sampler_stop(void) {
    if (!atomic_exchange(&is_running, false))
        return;
    sg_futex_wake(&n_wakes);
    sg_engine_thread_join(&reader);
}

const char *sg_outside_sampler_maintain(bool is_wanted) {
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    if (is_wanted)
        last_wanted_ns = now_ns;
    else
        failing_ns = 0;
    if (is_wanted && !atomic_load(&is_running))
        start(now_ns);
    else if (!is_wanted && now_ns - last_wanted_ns > LINGER_NS)
        sg_outside_sampler_stop();
    return failing_ns && now_ns - failing_ns >= FAILED_NS
               ? "no thread can be started to read the threads that get no signal"
               : NULL;
}

void sg_outside_sampler_discard(void) {
    atomic_store(&is_running, false);
    n_to_skip = 0;
}
