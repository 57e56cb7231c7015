/* Reading a thread's stack without a signal, for tests. */
#include "tables.h"

#include <sys/mman.h>
#include <unistd.h>

#include "cpu/cpu.h"
#include "cpu/outside_sampler.h"
#include "cpu/thread_timers.h"
#include "cpu/threads.h"
#include "frames/outside_walk.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "values.h"

static const char *name_of(enum sg_outside_result result) {
    static const char *const NAMES[] = {
        [SG_OUTSIDE_STACK] = "stack",
        [SG_OUTSIDE_NO_PYTHON] = "no Python",
        [SG_OUTSIDE_MOVED] = "moved",
        [SG_OUTSIDE_UNREADABLE] = "unreadable",
    };
    return NAMES[result];
}

static PyObject *walk(PyObject *self, PyObject *args) {
    static struct sg_frame
        frames[SG_MAX_DEPTH]; /* guarded by the GIL, but for the walk: one user */
    int tid;
    struct sg_outside_walk walk = {.frames = frames, .capacity = SG_MAX_DEPTH};
    if (!PyArg_ParseTuple(args, "i", &tid))
        return NULL;
    walk.tid = tid;
    PyThreadState *saved = PyEval_SaveThread();
    enum sg_outside_result result = sg_outside_walk(&walk);
    PyEval_RestoreThread(saved);
    PyObject *stack = sg_values_frames(frames, walk.depth);
    return stack ? Py_BuildValue("(sKN)", name_of(result), (unsigned long long)walk.cpu_ns, stack)
                 : NULL;
}

/* Two pages, of which the second one cannot be read, and a thread state whose base frame begins
 * with that page: as if the state was freed after its first fields were read. */
static PyObject *walk_freed_state(PyObject *self, PyObject *args) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sg_frame frames[2];
    if (at->base_frame < 0)
        return sg_values_none();
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
        return PyErr_SetFromErrno(PyExc_OSError);
    char *base = pages + page, *thread = base - at->base_frame;
    *(char **)(thread + at->current_frame) = base;
    struct sg_walk walk = {.thread = thread, .is_foreign = true, .frames = frames, .capacity = 2};
    sg_frames_walk(&walk);
    munmap(pages, 2 * page);
    return Py_BuildValue("(Ni)", PyBool_FromLong(walk.is_bad), (int)walk.depth);
}

/* Time that the calling thread's next tick of a perf event would add, once the thread is armed. */
static PyObject *owed_after_arming(PyObject *self, PyObject *args) {
    pid_t tid = sg_thread_ids_own();
    sg_threads_lock();
    struct sg_slot *slot = sg_threads_find(tid);
    sg_thread_timers_take_outside(tid);
    atomic_store(&slot->owed_ns, UINT64_C(1) << 40);
    sg_thread_timers_take_back(tid);
    bool is_armed = !slot->is_outside;
    uint64_t owed_ns = atomic_load(&slot->owed_ns);
    sg_threads_unlock();
    return is_armed ? PyLong_FromUnsignedLongLong(owed_ns) : sg_values_none();
}

static PyObject *counts(PyObject *self, PyObject *args) {
    struct sg_outside_counts now = sg_outside_sampler_counts();
    return Py_BuildValue("{s:K,s:K,s:K}", "n_stacks", (unsigned long long)now.n_stacks, "n_blocked",
                         (unsigned long long)now.n_blocked, "booked_ns",
                         (unsigned long long)now.booked_ns);
}

/* A round of the outside sampler, during which the calling thread is armed, runs, and is put
 * outside again. The CPU clock up to which its time is booked, less the same before the end of the
 * round; None if it was not armed. The reader must not run. */
static PyObject *armed_in_round(PyObject *self, PyObject *args) {
    pid_t tid = sg_thread_ids_own();
    sg_threads_lock();
    sg_thread_timers_take_outside(tid);
    sg_threads_unlock();
    sg_outside_sampler_begin_round();
    sg_threads_lock();
    sg_thread_timers_take_back(tid);
    const struct sg_slot *slot = sg_threads_find(tid);
    bool is_armed = slot && !slot->is_outside;
    sg_threads_unlock();
    uint64_t until_ns = sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) + 1000 * 1000;
    while (sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
        continue;
    sg_threads_lock();
    sg_thread_timers_take_outside(tid);
    uint64_t before_ns = slot ? slot->outside.booked_ns : 0;
    sg_threads_unlock();
    sg_outside_sampler_end_round();
    return is_armed ? PyLong_FromLongLong((long long)(slot->outside.booked_ns - before_ns))
                    : sg_values_none();
}

PyMethodDef sg_outside_bindings[] = {
    {"outside_walk", walk, METH_VARARGS, "outside_walk(tid): (result, cpu_ns, frames)"},
    {"outside_walk_freed_state", walk_freed_state, METH_NOARGS,
     "Walk a state that ends where its base frame begins: (is_bad, depth); None: there is none."},
    {"outside_armed_in_round", armed_in_round, METH_NOARGS, "see _core_testing.pyi"},
    {"outside_owed_after_arming", owed_after_arming, METH_NOARGS, "see _core_testing.pyi"},
    {"outside_counts", counts, METH_NOARGS, "A dict of sg_outside_counts."},
    {NULL, NULL, 0, NULL},
};
