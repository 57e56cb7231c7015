/* Asking for the GIL by a pending call: see gil_handover.h. */
#include "gil_handover.h"

#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "wakeup.h"

enum {
    ASK_AFTER_NS = 15 * 1000 * 1000, /* thrice what CPython itself takes to ask */
    AWAY_NS = 100 * 1000 * 1000,     /* at most, where the one who waits gets no processor */
};

/* Lock-free. */
static _Atomic int64_t wanted_since_ns; /* 0 = nobody waits */
static _Atomic bool is_asked;           /* the pending call is queued or runs */
static _Atomic bool is_away;            /* the main thread waits in the pending call */
static sg_wakeup taken;
static sg_wakeup gone;

void sg_gil_handover_want(void) { atomic_store(&wanted_since_ns, sg_mono_ns()); }

void sg_gil_handover_end(void) {
    atomic_store(&wanted_since_ns, 0);
    sg_wakeup_raise(&taken);
}

static void wait_until_taken(void) {
    int64_t now_ns = sg_mono_ns(), until_ns = now_ns + AWAY_NS;
    uint32_t seen = atomic_load(&taken);
    while (atomic_load(&wanted_since_ns) && now_ns < until_ns) {
        sg_wakeup_wait(&taken, seen, until_ns - now_ns);
        seen = atomic_load(&taken);
        now_ns = sg_mono_ns();
    }
}

/* On the main thread, between two of its instructions. It may come late, when nobody waits any
 * more, or the engine has long left. */
static int let_go(void *unused) {
    (void)unused;
    if (atomic_load(&wanted_since_ns)) {
        PyThreadState *own = PyEval_SaveThread();
        atomic_store(&is_away, true);
        sg_wakeup_raise(&gone);
        wait_until_taken();
        atomic_store(&is_away, false);
        PyEval_RestoreThread(own);
    }
    atomic_store(&is_asked, false);
    return 0;
}

void sg_gil_handover_tend(void) {
    int64_t since_ns = atomic_load(&wanted_since_ns);
    if (!since_ns || sg_mono_ns() - since_ns < ASK_AFTER_NS || atomic_exchange(&is_asked, true))
        return;
    if (Py_AddPendingCall(let_go, NULL)) /* the queue is full: there will be another turn */
        atomic_store(&is_asked, false);
}

void sg_gil_handover_ask(int64_t most_ns) {
    int64_t now_ns = sg_mono_ns(), until_ns = now_ns + most_ns;
    if (!atomic_exchange(&is_asked, true) && Py_AddPendingCall(let_go, NULL)) {
        atomic_store(&is_asked, false);
        return;
    }
    uint32_t seen = atomic_load(&gone);
    while (!atomic_load(&is_away) && now_ns < until_ns) {
        sg_wakeup_wait(&gone, seen, until_ns - now_ns);
        seen = atomic_load(&gone);
        now_ns = sg_mono_ns();
    }
}

void sg_gil_handover_forget(void) {
    atomic_store(&is_away, false);
    atomic_store(&wanted_since_ns, 0);
    atomic_store(&is_asked, false);
}
