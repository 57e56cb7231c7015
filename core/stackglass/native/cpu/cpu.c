/* States of the CPU profiler.
 *
 *     unprepared ──prepare──▶ prepared ──start──▶ ticking or off ──stop──▶ prepared
 *          ▲                     │                                            │
 *          └─────unprepare───────┴────────────────────────────────────────────┘
 *
 * A start has two parts, and each may be refused: watching the program's threads, which the GIL
 * profile needs too, and choosing a clock, with the first rate other than 0. A refused part is
 * tried again at the next rate. */
#include "cpu/cpu.h"

#include <Python.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cpu/clock_timer.h"
#include "cpu/interpreter_hooks.h"
#include "cpu/mask_hooks.h"
#include "cpu/native_walk.h"
#include "cpu/outside_sampler.h"
#include "cpu/sample_handler.h"
#include "cpu/sample_log.h"
#include "cpu/sample_scaling.h"
#include "cpu/sampler_thread.h"
#include "cpu/share_error.h"
#include "cpu/signal_walk.h"
#include "cpu/signals.h"
#include "cpu/stack_cache.h"
#include "cpu/stack_request.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "cpu/wall_sampler.h"
#include "frames/outside_walk.h"
#include "frames/walk.h"
#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/image.h"
#include "interpreter/interpreters.h"
#include "interpreter/native_code.h"
#include "interpreter/python_symbols.h"
#include "labels/labels.h"
#include "platform/engine_thread.h"
#include "platform/gate.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "tasks/running.h"
#include "unwind/unwind.h"

enum {
    /* Pause between scans at an unchanged number of threads: one may end as another starts. */
    SCAN_EVERY_NS = 100 * 1000 * 1000,
    SCAN_EVERY_NS_A_THREAD = 1000 * 1000,
    WATCH_EVERY_NS = 20 * 1000 * 1000,
    WATCH_EVERY_NS_A_THREAD = 100 * 1000,
    LEAST_PART = 20, /* of the CPU time: what is more than 1/20 matters */
};

static const char NOT_TRIED[] = "the CPU profiler has not been started";

/* Used by the writer only, except is_prepared, which the GIL guards. */
static bool is_prepared, is_started, has_clock;
/* watch_problem: why threads are not watched. tick_problem: why no clock ticks, although threads
 * are watched. reader_problem: why threads without a signal are not sampled. NULL = no problem. */
static const char *watch_problem, *tick_problem, *reader_problem;
static enum sg_clock wanted_clock;
static int64_t start_ns; /* CLOCK_MONOTONIC; times count from it */
static int rate_hz;
static uint32_t n_threads_seen;
static uint64_t scanned_ns, watched_ns;
static uint64_t outside_before_ns;   /* the outside sampler's booked_ns at the start */
static uint64_t uncounted_before_ns; /* sg_clock_timer_uncounted_ns at the start */

static void on_signal_wanted(int signo) {
    if (sg_thread_timers_may_send(signo))
        sg_sampler_thread_request_other_signal(signo);
}

static const char *learn_strings(void) {
    PyObject *ascii = PyUnicode_FromString("ascii");
    PyObject *wide = PyUnicode_FromString("\xe2\x82\xac"); /* a euro sign: 16-bit characters */
    bool is_learned = ascii && wide && sg_code_info_prepare(ascii, wide) == 0;
    if (ascii)
        Py_DecRef(ascii);
    if (wide)
        Py_DecRef(wide);
    if (!ascii || !wide)
        PyErr_Clear();
    return is_learned ? NULL : "the layout of this interpreter's strings is not supported";
}

static bool map_tables(void) {
    return !sg_stack_cache_prepare() && !sg_sample_log_prepare() && !sg_sample_scaling_prepare();
}

void sg_cpu_search_libraries(void) {
    if (sg_python_symbols_find())
        return; /* sg_cpu_prepare will report it */
    sg_interpreter_image_find();
    sg_native_code_refresh();
}

const char *sg_cpu_prepare(void) {
    uint64_t word = 1, copy = 0;
    if (is_prepared)
        return NULL;
    if (!sg_memory_read((uintptr_t)&word, &copy, sizeof copy) || copy != word)
        return "the system forbids this process to read its own memory (process_vm_readv)";
    const char *problem = sg_python_symbols_problem();
    if (!problem)
        problem = sg_debug_offsets_prepare();
    if (!problem) {
        sg_interpreters_prepare();
        problem = learn_strings();
    }
    if (problem)
        return problem;
    sg_outside_walk_prepare();
    sg_signals_set_handler(sg_sample_handler_take);
    sg_signal_walk_prepare();
    int refused = sg_code_ids_hook();
    if (refused)
        return refused == -ENOMEM ? "there is no memory for the table of code objects"
                                  : "code objects' deallocation cannot be hooked";
    if (sg_interpreter_hooks_install(sg_sampler_thread_request_scan, on_signal_wanted) ||
        sg_mask_hooks_install()) {
        sg_interpreter_hooks_remove();
        sg_code_ids_unhook();
        return "the interpreter's function tables cannot be written";
    }
    is_prepared = true;
    watch_problem = tick_problem = reader_problem = NULL;
    sg_calling_thread_prepare(); /* if it fails, the handler uses PyGILState's thread states */
    sg_calling_thread_count_interpreters(sg_interpreters_count());
    /* Last, because the rest of the engine works without them. A failure is tried again later. */
    map_tables();
    sg_stack_request_prepare();
    return NULL;
}

/* Unmap the tables, unless a handler or a hook still runs. */
static void discard_tables(void) {
    if (!sg_sample_handler_is_quiet() || !sg_gate_none_is_stuck())
        return;
    sg_threads_lock();
    sg_threads_discard();
    sg_threads_unlock();
    sg_stack_cache_discard();
    sg_sample_log_discard();
    sg_sample_scaling_discard();
    sg_stack_request_discard();
    sg_code_ids_discard();
    sg_unwind_discard();
}

void sg_cpu_unprepare(bool may_discard) {
    if (!is_prepared)
        return;
    sg_interpreter_hooks_remove();
    sg_mask_hooks_remove();
    sg_code_ids_unhook();
    is_prepared = false;
    if (may_discard)
        discard_tables();
}

static const char *describe_failed_start(int error) {
    static char problem[256];
    snprintf(problem, sizeof problem, "no thread can be started to sample: %s",
             sg_engine_thread_explain(error));
    return problem;
}

static const char *start_watching(void) {
    if (sg_stack_request_prepare())
        return "there is no memory to ask threads for their stacks";
    const char *problem = sg_threads_open();
    if (problem)
        return problem;
    sg_threads_lock();
    problem = sg_thread_timers_open();
    sg_threads_unlock();
    if (!problem) {
        sg_sample_set_start(start_ns);
        sg_sample_handler_open();
        int failed = sg_sampler_thread_start();
        if (!failed)
            return NULL;
        problem = failed == ENOMEM ? "there is no memory for the sampler's thread"
                                   : describe_failed_start(failed);
        sg_threads_lock();
        sg_thread_timers_close();
        sg_threads_unlock();
        sg_sample_handler_close();
    }
    sg_threads_lock();
    sg_threads_close();
    sg_threads_unlock();
    return problem;
}

static const char *get_ready(void) {
    if (!map_tables())
        return "there is no memory for the sampler's tables";
    sg_threads_lock();
    const char *problem = sg_thread_timers_choose(wanted_clock);
    sg_threads_unlock();
    return problem;
}

/* Do the parts of a start that have not succeeded yet. A check of the system's events can take 15
 * ms, so a clock is chosen only if the rate is not 0. */
static void go_on_starting(void) {
    if (watch_problem)
        watch_problem = start_watching();
    if (watch_problem || has_clock || !rate_hz)
        return;
    tick_problem = get_ready();
    has_clock = !tick_problem;
}

static bool is_watching(void) { return is_started && !watch_problem; }

const char *sg_cpu_watch_problem(void) { return watch_problem ? watch_problem : ""; }

const char *sg_cpu_problem(void) {
    const char *problem = watch_problem  ? watch_problem
                          : tick_problem ? tick_problem
                                         : reader_problem;
    return problem ? problem : "";
}

void sg_cpu_note_visited(void) { sg_threads_note_visited(); }

const char *sg_cpu_start(int hz, enum sg_clock clock, int64_t start_mono_ns) {
    if (is_started)
        return "the CPU profiler runs already";
    if (!is_prepared)
        return "the CPU profiler is not prepared";
    sg_stack_cache_clear();
    sg_sample_log_clear();
    is_started = true;
    watch_problem = NOT_TRIED;
    tick_problem = reader_problem = NULL;
    has_clock = false;
    wanted_clock = clock;
    start_ns = start_mono_ns;
    outside_before_ns = sg_outside_sampler_counts().booked_ns;
    uncounted_before_ns = sg_clock_timer_uncounted_ns();
    rate_hz = 0;
    scanned_ns = watched_ns = 0;
    n_threads_seen = 0;
    sg_sample_scaling_open();
    sg_cpu_set_rate(hz);
    sg_cpu_maintain();
    return *sg_cpu_problem() ? sg_cpu_problem() : NULL;
}

void sg_cpu_set_rate(int hz) {
    if (!is_started)
        return;
    rate_hz = hz < 0 ? 0 : hz > SG_MAX_HZ ? SG_MAX_HZ : hz;
    go_on_starting();
    if (watch_problem)
        return;
    unsigned ticking_hz = tick_problem ? 0 : (unsigned)rate_hz;
    if (ticking_hz)
        sg_stack_cache_fit(ticking_hz);
    sg_threads_lock();
    sg_thread_timers_set_period(ticking_hz ? 1000000000u / ticking_hz : 0);
    sg_threads_unlock();
    sg_sampler_thread_want_scans(SG_SCANS_FOR_CPU, ticking_hz != 0);
    sg_sampler_thread_wake(); /* this thread may run the ticker, which needs the new period */
    sg_sample_scaling_set_ticking(ticking_hz != 0);
}

static bool is_scan_due(uint64_t now_ns) {
    uint32_t n_threads = sg_threads_count_all();
    uint64_t pause_ns = SCAN_EVERY_NS + (uint64_t)n_threads * SCAN_EVERY_NS_A_THREAD;
    if (n_threads == n_threads_seen && n_threads && now_ns - scanned_ns < pause_ns)
        return false;
    n_threads_seen = n_threads;
    scanned_ns = now_ns;
    return true;
}

void sg_cpu_maintain(void) {
    if (!is_watching())
        return;
    uint64_t now_ns = sg_time_clock_ns(CLOCK_MONOTONIC);
    sg_walk_new_epoch();
    sg_threads_lock();
    sg_threads_set_native(sg_unwind_is_ready());
    int signo_before = sg_thread_timers_signal();
    if (sg_thread_timers_signal() && !sg_signals_is_installed(sg_thread_timers_signal()))
        sg_thread_timers_move_signal();
    if (is_scan_due(now_ns))
        sg_thread_timers_scan();
    sg_thread_timers_continue();
    sg_thread_timers_vary();
    if (now_ns - watched_ns >= WATCH_EVERY_NS + sg_threads_count() * WATCH_EVERY_NS_A_THREAD) {
        sg_thread_timers_return();
        sg_thread_timers_watch();
        watched_ns = now_ns;
    }
    bool has_outside = sg_thread_timers_has_outside();
    bool has_work = sg_thread_timers_settle() != 0 || sg_thread_timers_signal() != signo_before;
    sg_threads_unlock();
    reader_problem = sg_outside_sampler_maintain(has_outside);
    sg_wall_sampler_maintain();
    if (has_work) /* for the sampler's thread: starting threads, or another signal */
        sg_sampler_thread_wake();
    sg_native_code_refresh();
}

static void stop_watching(void) {
    sg_sampler_thread_want_scans(SG_SCANS_FOR_CPU, false);
    sg_sampler_thread_stop();
    sg_wall_sampler_set_rate(0);
    sg_outside_sampler_stop();
    sg_threads_lock();
    sg_thread_timers_close();
    sg_threads_unlock();
    sg_sample_handler_close();
}

void sg_cpu_stop(void) {
    if (!is_started)
        return;
    if (is_watching())
        stop_watching();
    sg_sample_scaling_close();
    sg_threads_lock();
    sg_threads_close();
    sg_threads_unlock();
    is_started = false;
    rate_hz = 0;
}

void sg_cpu_drain(sg_sample_fn *deliver, void *context) {
    sg_sample_scaling_drain(deliver, context);
}

void sg_cpu_status(struct sg_cpu_status *status) {
    memset(status, 0, sizeof *status);
    status->hz = rate_hz;
    status->problem = rate_hz ? sg_cpu_problem() : "";
    status->clock = has_clock ? sg_thread_timers_clock() : wanted_clock;
    status->n_samples = sg_sample_scaling_samples();
    status->n_lost = sg_sample_log_lost(NULL);
    status->n_bad_walks = sg_signal_walk_bad_count();
    status->n_unknown_labels = sg_labels_n_unknown() + sg_running_tasks_n_unknown();
    status->process_cpu_ns = sg_sample_scaling_process_cpu_ns();
    status->engine_cpu_ns = sg_sample_scaling_engine_cpu_ns();
    status->share_error = (struct sg_share_error){0, ""};
    uint64_t least_ns = status->process_cpu_ns / LEAST_PART;
    const struct sg_error_causes causes = {
        .has_wall_timers = sg_clock_timer_wall_is_possible(),
        .has_outside = sg_outside_sampler_counts().booked_ns - outside_before_ns > least_ns,
        .has_long_calls = sg_clock_timer_uncounted_ns() - uncounted_before_ns > least_ns,
    };
    if (rate_hz && !*status->problem)
        status->share_error = sg_share_error_of(status->clock, causes);
    struct sg_native_walk_counts native = sg_native_walk_counts();
    status->native_problem = sg_unwind_problem();
    status->is_native_ready = sg_unwind_is_ready();
    status->wall_problem = sg_wall_sampler_problem();
    status->n_native_stacks = native.n_stacks;
    status->n_truncated_stacks = native.n_truncated;
    sg_threads_lock();
    status->n_unsampled_threads = sg_threads_count_unsampled();
    status->n_threads = sg_threads_count() + status->n_unsampled_threads;
    sg_threads_unlock();
}

void sg_cpu_after_fork_in_child(void) {
    sg_sample_handler_discard();
    sg_stack_cache_after_fork_in_child();
    sg_sample_log_after_fork_in_child();
    sg_sampler_thread_discard();
    sg_outside_sampler_discard();
    sg_wall_sampler_discard();
    sg_threads_reset_lock();
    sg_thread_timers_discard();
    sg_threads_discard();
    sg_code_ids_after_fork_in_child();
    sg_unwind_after_fork_in_child();
    sg_cpu_unprepare(true);
    is_started = false;
    rate_hz = 0;
}
