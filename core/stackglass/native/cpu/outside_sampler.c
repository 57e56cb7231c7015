/* Rounds of the outside sampler's engine thread, the reader.
 *
 *     writer: maintain ──starts, stops──▶ reader: round, sleep, round, sleep, …
 *
 *     round: copy the threads' states ──▶ visit each thread ──▶ write the states back
 *            sg_threads_lock               no lock               sg_threads_lock
 *
 *     visit: is CPU time due, and has its CPU clock moved since the last visit?
 *            move to the thread's processor, walk its frames, deliver a sample
 *
 * A thread's due time is its CPU time that no sample stands for yet:
 *
 *     due = CPU clock − booked_ns           a sample books a part of it: booked_ns grows
 */
#include "cpu/outside_sampler.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
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
    STACK_BYTES = 256 * 1024,        /* of the reader */
    MOST_VISITS = 256,               /* in one round; the other threads' turn is the next round */
    SHORTEST_NS = 1000 * 1000,       /* between two rounds: a visit costs more than a signal */
    REST_PER_COST = 20,              /* rounds take at most a twentieth of a processor */
    NAP_NS = 30 * 1000,              /* lets a thread run that shares the reader's processor */
    MOST_TRIES = 3,                  /* to reach the thread's processor */
    BOOKED_PART = 4,                 /* a stack books a quarter of the due time */
    LONG_DUE_NS = 700 * 1000 * 1000, /* time due for so long without a stack: <signal blocked> */
    LINGER_NS = 1000 * 1000 * 1000,  /* the reader ends after so long without a thread to read */
    FAILED_NS = 1000 * 1000 * 1000,  /* how long the reader's start must fail before a report */
};

/* Lock-free. */
static _Atomic bool is_running;
static sg_wakeup n_wakes; /* the futex that the reader sleeps at */
static _Atomic uint64_t n_stacks, n_blocked, booked_ns;
/* Used by the writer only. */
static struct sg_engine_thread reader;
static uint64_t last_wanted_ns;
static uint64_t failing_since_ns; /* starting the reader fails since then; 0 = it does not */
static int start_error;           /* errno of the last start; 0 = it succeeded */
/* Used by the reader only. */
static struct sg_frame frames[SG_MAX_DEPTH];
static cpu_set_t everywhere; /* the processors that the reader may use */
static bool is_pinned;       /* to a thread's processor */
static uint32_t n_to_skip;   /* threads that the rounds before this one have visited */
/* The threads of this round. Each state is a copy of its slot's: made under sg_threads_lock, used
 * without it, and written back if the slot still belongs to the thread and its state has not been
 * set anew. */
static struct visit {
    struct sg_slot *slot;
    pid_t tid;
    struct sg_outside_state state;
    uint64_t copied_since_ns; /* state.due_since_ns as it was copied */
} visits[MOST_VISITS];
static uint32_t n_visits, n_passed; /* n_passed: threads that add_visit was called for */

struct sg_outside_counts sg_outside_sampler_counts(void) {
    return (struct sg_outside_counts){
        .n_stacks = atomic_load(&n_stacks),
        .n_blocked = atomic_load(&n_blocked),
        .booked_ns = atomic_load(&booked_ns),
    };
}

/* ---- Moving to a thread's processor ---- */

/* Read a thread's state letter and processor from /proc/self/task/TID/stat:
 *
 *     tid (name) state …36 fields… processor …          the name may contain spaces and brackets
 *
 * Returns false if the thread has ended. */
static bool read_place(pid_t tid, char *state, int *processor) {
    enum { FIELDS_TO_PROCESSOR = 36 }; /* from field 3 to field 39 */
    char text[1024];
    sg_proc_files_read_thread(tid, "stat", text, sizeof text);
    const char *at = strrchr(text, ')');
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

/* Move the reader to a processor: the scheduler interrupts the thread that runs there. If the
 * reader was there already, that thread has not run since, so the reader sleeps for a moment.
 * Returns false if the reader may not move there. */
static bool go_to(int processor) {
    cpu_set_t there;
    if (processor < 0 || processor >= CPU_SETSIZE || !sg_permitted_calls_may_now(SG_CALL_OTHERS))
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

/* Under a filter that came meanwhile, the reader stays where it is. */
static void leave_processor(void) {
    if (is_pinned && sg_permitted_calls_may_now(SG_CALL_OTHERS))
        sched_setaffinity(0, sizeof everywhere, &everywhere);
    is_pinned = false;
}

/* ---- One thread ---- */

enum outcome { STACK_KNOWN, NOT_RUNNING, NO_STACK };

/* Walk a thread's frames, if the thread was running when the reader arrived at its processor:
 *
 *     before_ns ──▶ move to the processor ──▶ arrived_ns ──▶ walk: cpu_ns
 *
 *     before_ns == arrived_ns    it did not run meanwhile: it waits for a processor
 *     arrived_ns == cpu_ns       it did not run during the walk: the stack is exact
 *
 * That it was running before the reader left, or runs on afterwards, is not required: to require it
 * would favour some functions. */
static enum outcome walk_running(struct sg_outside_walk *walk, enum sg_outside_result *result) {
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
                return NOT_RUNNING;
            *result = sg_outside_walk(walk);
            if (*result != SG_OUTSIDE_MOVED && walk->cpu_ns == arrived_ns) {
                walk->labels |= sg_running_tasks_label_outside((const void *)walk->thread,
                                                               walk->tid, walk->cpu_ns);
                return *result == SG_OUTSIDE_UNREADABLE ? NO_STACK : STACK_KNOWN;
            }
        }
        processor = processor_now; /* the thread has moved on: follow it */
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

/* Deliver what a walk has found, or one pseudo-frame. Returns the CPU time that the sample stands
 * for. */
static uint64_t book(const struct visit *visit, uint64_t cpu_ns, enum outcome outcome,
                     const struct sg_outside_walk *walk, enum sg_outside_result result) {
    static const struct sg_frame blocked = {SG_SIGNAL_BLOCKED, -1}, native = {SG_NATIVE, -1},
                                 foreign = {SG_NO_PYTHON_THREAD, -1};
    if (outcome != STACK_KNOWN) {
        uint64_t due_ns = cpu_ns - visit->state.booked_ns;
        atomic_fetch_add(&n_blocked, 1);
        deliver(visit->tid, SG_NO_LABELS, &blocked, 1, due_ns);
        return due_ns;
    }
    /* Book only a part, so that one stack after a long time does not outweigh all others. */
    uint64_t part_ns = (walk->cpu_ns - visit->state.booked_ns + BOOKED_PART - 1) / BOOKED_PART;
    atomic_fetch_add(&n_stacks, 1);
    if (result == SG_OUTSIDE_STACK)
        deliver(visit->tid, walk->labels, frames, walk->depth, part_ns);
    else
        deliver(visit->tid, walk->labels, walk->thread ? &native : &foreign, 1, part_ns);
    return part_ns;
}

static void visit_thread(struct visit *visit) {
    struct sg_outside_state *state = &visit->state;
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu_ns = sg_time_clock_ns(sg_time_thread_clock(visit->tid));
    if (cpu_ns <= state->booked_ns) {
        state->due_since_ns = now_ns; /* nothing is due */
        return;
    }
    bool is_long_due = now_ns - state->due_since_ns >= LONG_DUE_NS;
    if (cpu_ns == state->seen_ns && !is_long_due)
        return;
    state->seen_ns = cpu_ns;
    struct sg_outside_walk walk = {
        .tid = visit->tid,
        .thread = state->thread,
        .frames = frames,
        .capacity = SG_MAX_DEPTH,
    };
    enum sg_outside_result result = SG_OUTSIDE_MOVED;
    enum outcome outcome = walk_running(&walk, &result);
    leave_processor();
    if (walk.thread)
        state->thread = walk.thread;
    if (outcome == NOT_RUNNING && !is_long_due)
        return; /* its time stays due until a later visit */
    uint64_t book_ns = book(visit, cpu_ns, outcome, &walk, result);
    state->booked_ns += book_ns;
    atomic_fetch_add(&booked_ns, book_ns);
    state->due_since_ns = now_ns;
}

/* ---- A round ---- */

/* Add the slot's thread to the round if it is read from outside and its turn has come. Called under
 * sg_threads_lock. */
static void add_visit(struct sg_slot *slot) {
    if (!slot->is_outside)
        return;
    if (n_passed++ < n_to_skip || n_visits == MOST_VISITS)
        return;
    visits[n_visits++] =
        (struct visit){slot, atomic_load(&slot->tid), slot->outside, slot->outside.due_since_ns};
}

uint64_t sg_outside_sampler_begin_round(void) {
    uint64_t drawn_ns = 0;
    sg_threads_lock();
    n_visits = n_passed = 0;
    if (sg_thread_timers_period_ns()) {
        sg_threads_each(add_visit);
        drawn_ns = sg_thread_timers_draw_period();
    }
    n_to_skip = n_visits == MOST_VISITS ? n_to_skip + n_visits : 0;
    sg_threads_unlock();
    return drawn_ns;
}

/* A thread that was armed and put outside again has another due_since_ns. Its time in between is
 * that of its ticks, and would be due once more. */
void sg_outside_sampler_end_round(void) {
    sg_threads_lock();
    for (uint32_t i = 0; i < n_visits; i++) {
        struct sg_slot *slot = visits[i].slot;
        if (atomic_load(&slot->tid) == visits[i].tid && slot->is_outside &&
            slot->outside.due_since_ns == visits[i].copied_since_ns)
            slot->outside = visits[i].state;
    }
    sg_threads_unlock();
}

/* Returns the time to sleep until the next round, in ns. */
static uint64_t run_round(void) {
    uint64_t began_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t sleep_ns = sg_outside_sampler_begin_round();
    if (n_visits)
        sg_permitted_calls_check_at(sg_time_mono_ns());
    for (uint32_t i = 0; i < n_visits && atomic_load(&is_running); i++)
        visit_thread(&visits[i]);
    sg_outside_sampler_end_round();
    uint64_t rest_ns = REST_PER_COST * (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
    if (sleep_ns < rest_ns)
        sleep_ns = rest_ns;
    return sleep_ns < SHORTEST_NS ? SHORTEST_NS : sleep_ns;
}

static void run(void) {
    sg_engine_thread_sleep_exactly();
    if (!sg_permitted_calls_may_now(SG_CALL_OTHERS) ||
        sched_getaffinity(0, sizeof everywhere, &everywhere) != 0)
        memset(&everywhere, 0xff, sizeof everywhere);
    while (atomic_load(&is_running)) {
        uint32_t seen = atomic_load(&n_wakes);
        uint64_t ns = run_round();
        if (atomic_load(&is_running))
            sg_futex_wait(&n_wakes, seen, (int64_t)ns);
    }
}

/* If no thread can be started, the next maintain tries again. */
static void start(uint64_t now_ns) {
    atomic_store(&is_running, true);
    start_error = sg_engine_thread_start(&reader, run, STACK_BYTES);
    if (start_error) {
        atomic_store(&is_running, false);
        failing_since_ns = failing_since_ns ? failing_since_ns : now_ns;
    } else {
        failing_since_ns = 0;
    }
}

void sg_outside_sampler_stop(void) {
    if (!atomic_exchange(&is_running, false))
        return;
    sg_futex_wake(&n_wakes);
    sg_engine_thread_join(&reader);
}

const char *sg_outside_sampler_maintain(bool is_wanted) {
    static char problem[256];
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    if (is_wanted)
        last_wanted_ns = now_ns;
    else
        failing_since_ns = 0;
    if (is_wanted && !atomic_load(&is_running))
        start(now_ns);
    else if (!is_wanted && now_ns - last_wanted_ns > LINGER_NS)
        sg_outside_sampler_stop();
    if (!failing_since_ns || now_ns - failing_since_ns < FAILED_NS)
        return NULL;
    snprintf(problem, sizeof problem,
             "no thread can be started to read the threads that get no signal: %s",
             sg_engine_thread_explain(start_error));
    return problem;
}

void sg_outside_sampler_discard(void) {
    atomic_store(&is_running, false);
    n_to_skip = 0;
}
