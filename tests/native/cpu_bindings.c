/* The sampler, its stack cache and its log, for tests.
 *
 * A sample is (tid, labels, time, count, cpu_ns, ((code_id, lasti), …)), leaf first. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <string.h>
#include <unistd.h>

#include "cpu/clock_timer.h"
#include "cpu/cpu.h"
#include "cpu/sample_log.h"
#include "cpu/slot_timer.h"
#include "cpu/snapshot.h"
#include "cpu/stack_cache.h"
#include "cpu/tick_weight.h"
#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/machine.h"
#include "platform/time.h"
#include "values.h"

/* ---- The sampler ---- */

static PyObject *prepare(PyObject *self, PyObject *args) {
    sg_cpu_search_libraries();
    return sg_values_text(sg_cpu_prepare());
}

static PyObject *unprepare(PyObject *self, PyObject *args) {
    sg_cpu_unprepare(true);
    return sg_values_none();
}

static PyObject *self_check(PyObject *self, PyObject *args) {
    return sg_values_text(sg_snapshot_self_check());
}

static PyObject *start(PyObject *self, PyObject *args) {
    int hz, clock;
    long long start_mono_ns;
    if (!PyArg_ParseTuple(args, "iiL", &hz, &clock, &start_mono_ns))
        return NULL;
    const char *problem = sg_cpu_start(hz, (enum sg_clock)clock, start_mono_ns);
    if (*sg_cpu_problem())
        sg_cpu_stop();
    return sg_values_text(problem);
}

static PyObject *set_rate(PyObject *self, PyObject *args) {
    int hz;
    if (!PyArg_ParseTuple(args, "i", &hz))
        return NULL;
    sg_cpu_set_rate(hz);
    return sg_values_none();
}

static PyObject *maintain(PyObject *self, PyObject *args) {
    sg_cpu_maintain();
    return sg_values_none();
}

static PyObject *note_visited(PyObject *self, PyObject *args) {
    sg_cpu_note_visited();
    return sg_values_none();
}

static PyObject *stop(PyObject *self, PyObject *args) {
    sg_cpu_stop();
    return sg_values_none();
}

static PyObject *sample_as_tuple(const struct sg_sample *sample) {
    PyObject *stack = sg_values_frames(sample->frames, sample->depth);
    if (!stack)
        return NULL;
    return Py_BuildValue("(iIIIKN)", (int)sample->tid, sample->labels, sample->time, sample->count,
                         (unsigned long long)sample->cpu_ns, stack);
}

static void append_sample(void *context, const struct sg_sample *sample) {
    sg_values_append(context, sample_as_tuple(sample));
}

static PyObject *drain(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    sg_cpu_drain(append_sample, &list);
    return list;
}

static PyObject *snapshot(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    sg_snapshot_all(append_sample, &list);
    return list;
}

static PyObject *status(PyObject *self, PyObject *args) {
    struct sg_cpu_status now;
    sg_cpu_status(&now);
    return Py_BuildValue(
        "{s:i,s:s,s:K,s:K,s:K,s:K,s:K,s:I,s:I,s:I,s:s,s:K,s:K}", "hz", now.hz, "clock",
        sg_clock_name(now.clock), "n_samples", (unsigned long long)now.n_samples, "n_lost",
        (unsigned long long)now.n_lost, "n_bad_walks", (unsigned long long)now.n_bad_walks,
        "process_cpu_ns", (unsigned long long)now.process_cpu_ns, "engine_cpu_ns",
        (unsigned long long)now.engine_cpu_ns, "n_threads", now.n_threads, "n_unsampled_threads",
        now.n_unsampled_threads, "share_error_points", (unsigned)now.share_error.points,
        "share_error_cause", now.share_error.cause, "n_native_stacks",
        (unsigned long long)now.n_native_stacks, "n_truncated_stacks",
        (unsigned long long)now.n_truncated_stacks);
}

static PyObject *adopt(PyObject *self, PyObject *args) {
    sg_engine_threads_enter();
    return sg_values_none();
}

static PyObject *disown(PyObject *self, PyObject *args) {
    sg_engine_threads_leave();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_cpu_after_fork_in_child();
    return sg_values_none();
}

/* Does a wall tick count that comes `late_ns` after its time, to a thread that has slept for
 * `slept_ns` and then run for `ran_ns` since the tick before? And the CPU time that did not count.
 */
static PyObject *wall_tick_counts(PyObject *self, PyObject *args) {
    static struct sg_slot slot; /* too large for a stack; guarded by the GIL */
    siginfo_t info = {0};
    long long late_ns, slept_ns, ran_ns = 0;
    if (!PyArg_ParseTuple(args, "LL|L", &late_ns, &slept_ns, &ran_ns))
        return NULL;
    memset(&slot, 0, sizeof slot);
    sg_clock_timer_found_it_running(&slot, &info, true); /* the tick before */
    if (slept_ns)
        sg_futex_sleep_ns(slept_ns);
    uint64_t until_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ran_ns;
    while (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
        ;
    atomic_store(&slot.wall_period_ns, UINT64_C(1) << 62);
    atomic_store(&slot.wall_base_ns, (uint64_t)(sg_time_mono_ns() - late_ns));
    uint64_t before_ns = sg_clock_timer_uncounted_ns();
    bool counts = sg_clock_timer_found_it_running(&slot, &info, false);
    return Py_BuildValue("(NK)", PyBool_FromLong(counts),
                         (unsigned long long)(sg_clock_timer_uncounted_ns() - before_ns));
}

/* Weights of three timer ticks, in ns, of a thread that is armed with perf+timer again, and was in
 * a system call each time; at the third, its event is closed, as in the middle of disarming. */
static PyObject *kernel_ticks_after_arming(PyObject *self, PyObject *args) {
    static struct sg_slot slot; /* too large for a stack; guarded by the GIL */
    enum sg_clock before = atomic_load(&sg_slot_timer.clock);
    uintptr_t pc = (uintptr_t)syscall;
    while (!sg_machine_is_syscall((const uint8_t *)pc))
        pc++;
    memset(&slot, 0, sizeof slot);
    slot.last_cpu_ns = 1; /* of a tick long ago */
    atomic_store(&slot.is_fresh, true);
    atomic_store(&slot.period_ns, 10 * 1000 * 1000);
    atomic_store(&sg_slot_timer.clock, SG_CLOCK_PERF_TIMER);
    uint64_t first_ns = sg_tick_weight_take(&slot, true, pc + SG_SYSCALL_BYTES);
    uint64_t second_ns = sg_tick_weight_take(&slot, true, pc + SG_SYSCALL_BYTES);
    slot.perf_fd = SG_NO_FD;
    uint64_t third_ns = sg_tick_weight_take(&slot, true, pc + SG_SYSCALL_BYTES);
    atomic_store(&sg_slot_timer.clock, before);
    return Py_BuildValue("(KKK)", (unsigned long long)first_ns, (unsigned long long)second_ns,
                         (unsigned long long)third_ns);
}

/* ---- The table of recent stacks and the log, one sample at a time ---- */

static struct sg_frame test_frames[SG_MAX_DEPTH]; /* guarded by the GIL */

static int parse_sample(PyObject *args, struct sg_sample *sample) {
    PyObject *stack;
    int tid;
    unsigned long long cpu_ns;
    memset(sample, 0, sizeof *sample);
    if (!PyArg_ParseTuple(args, "iIIIKO!", &tid, &sample->labels, &sample->time, &sample->count,
                          &cpu_ns, &PyTuple_Type, &stack))
        return -1;
    sample->tid = tid;
    sample->cpu_ns = cpu_ns;
    sample->depth = (uint32_t)PyTuple_Size(stack);
    sample->frames = test_frames;
    if (sample->depth > SG_MAX_DEPTH) {
        PyErr_SetString(PyExc_ValueError, "a stack has 512 frames at most");
        return -1;
    }
    for (uint32_t i = 0; i < sample->depth; i++) {
        int lasti;
        PyObject *frame = PyTuple_GetItem(stack, (Py_ssize_t)i); /* borrowed: the stack's */
        if (!PyArg_ParseTuple(frame, "Ii", &test_frames[i].code, &lasti))
            return -1;
        test_frames[i].lasti = lasti;
    }
    return 0;
}

static PyObject *recent_add(PyObject *self, PyObject *args) {
    struct sg_sample sample;
    if (parse_sample(args, &sample))
        return NULL;
    sg_stack_cache_add(&sample);
    return sg_values_none();
}

static PyObject *recent_fit(PyObject *self, PyObject *args) {
    unsigned int hz;
    if (!PyArg_ParseTuple(args, "I", &hz))
        return NULL;
    sg_stack_cache_fit(hz);
    return sg_values_none();
}

static PyObject *recent_set_of(PyObject *self, PyObject *args) {
    struct sg_sample sample;
    if (parse_sample(args, &sample))
        return NULL;
    return PyLong_FromUnsignedLong(sg_stack_cache_set_of(&sample));
}

static PyObject *recent_claim(PyObject *self, PyObject *args) {
    unsigned int set;
    int is_claimed;
    if (!PyArg_ParseTuple(args, "Ip", &set, &is_claimed))
        return NULL;
    if (is_claimed)
        sg_stack_cache_claim(set % SG_RECENT_SETS);
    else
        sg_stack_cache_release(set % SG_RECENT_SETS);
    return sg_values_none();
}

static PyObject *recent_drain(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    sg_stack_cache_drain(append_sample, &list);
    return list;
}

/* As at the begin of a session. */
static PyObject *recent_and_log_clear(PyObject *self, PyObject *args) {
    sg_stack_cache_clear();
    sg_sample_log_clear();
    return sg_values_none();
}

static PyObject *log_limit(PyObject *self, PyObject *args) {
    unsigned int n_words;
    if (!PyArg_ParseTuple(args, "I", &n_words))
        return NULL;
    sg_sample_log_limit(n_words);
    return sg_values_none();
}

static PyObject *log_lose(PyObject *self, PyObject *args) {
    unsigned int count;
    unsigned long long cpu_ns;
    if (!PyArg_ParseTuple(args, "IK", &count, &cpu_ns))
        return NULL;
    sg_sample_log_lose(count, cpu_ns);
    return sg_values_none();
}

static PyObject *log_drain(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    if (sg_sample_log_turn())
        sg_sample_log_read(append_sample, &list);
    return list;
}

PyMethodDef sg_cpu_bindings[] = {
    {"cpu_prepare", prepare, METH_NOARGS, "None, or why not."},
    {"cpu_unprepare", unprepare, METH_NOARGS, "Undo cpu_prepare."},
    {"cpu_self_check", self_check, METH_NOARGS, "None, or what a native walk got wrong."},
    {"cpu_start", start, METH_VARARGS, "cpu_start(hz, clock, start_mono_ns): None, or why not."},
    {"cpu_note_visited", note_visited, METH_NOARGS, "The caller's signals are blocked for it."},
    {"cpu_set_rate", set_rate, METH_VARARGS, "cpu_set_rate(hz)"},
    {"cpu_maintain", maintain, METH_NOARGS, "New and ended threads."},
    {"cpu_stop", stop, METH_NOARGS, "Disarm."},
    {"cpu_drain", drain, METH_NOARGS, "[sample]"},
    {"cpu_snapshot", snapshot, METH_NOARGS, "[sample] of every Python thread."},
    {"cpu_status", status, METH_NOARGS, "A dict of sg_cpu_status."},
    {"cpu_adopt", adopt, METH_NOARGS, "The calling thread is the engine's."},
    {"cpu_disown", disown, METH_NOARGS, "No longer."},
    {"cpu_after_fork", after_fork, METH_NOARGS, "In a forked child."},
    {"cpu_wall_tick_counts", wall_tick_counts, METH_VARARGS, "Whether a late tick gives a sample."},
    {"cpu_kernel_ticks_after_arming", kernel_ticks_after_arming, METH_NOARGS,
     "Weights of timer ticks beside perf."},
    {"recent_add", recent_add, METH_VARARGS, "Count a sample."},
    {"recent_fit", recent_fit, METH_VARARGS, "recent_fit(hz): use as many sets as that needs."},
    {"recent_set_of", recent_set_of, METH_VARARGS, "In which set a sample belongs."},
    {"recent_claim", recent_claim, METH_VARARGS, "recent_claim(set, is_claimed)"},
    {"recent_drain", recent_drain, METH_NOARGS, "[sample]"},
    {"recent_and_log_clear", recent_and_log_clear, METH_NOARGS, "As at the begin of a session."},
    {"log_limit", log_limit, METH_VARARGS, "log_limit(n_words): make a half shorter."},
    {"log_lose", log_lose, METH_VARARGS, "log_lose(count, cpu_ns)"},
    {"log_drain", log_drain, METH_NOARGS, "[sample]"},
    {NULL, NULL, 0, NULL},
};
