/* The main thread's pending call and the waiter synchronise by three futexes: `gone` (the main
 * thread has released the GIL, or has answered), `taken` (the waiter has the GIL), `resumed` (the
 * stop is over).
 *
 *     waiter     want ──15 ms──▶ maintain: queue the call ………………………… has the GIL ─▶ end: taken
 *     main       … hand_over: releases the GIL, gone ─▶ sleeps until taken, 0.1 s ─▶ takes it again
 *
 * Each sleep has a limit, 0.1 s, or 2 s while a thread state is made, so that an error in the
 * engine never stops the program for ever. */
#include "worker/gil_handover.h"

#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "platform/futex.h"
#include "platform/time.h"

enum {
    ASK_AFTER_NS = 15 * 1000 * 1000, /* three times the interval of CPython's own request */
    /* longest wait of the main thread, if the waiter gets no processor */
    AWAY_NS = 100 * 1000 * 1000,
};
/* Longest stop of the main thread, while a thread state is created. */
#define STOPPED_NS (INT64_C(2) * 1000 * 1000 * 1000)

/* Lock-free. */
static _Atomic int64_t wanted_since_ns; /* 0 = no thread waits */
static _Atomic bool is_requested;       /* the pending call is queued or runs */
static _Atomic bool is_away;            /* the main thread waits in the pending call */
static sg_wakeup taken;
static sg_wakeup gone;
static _Atomic bool is_stay_long; /* see sg_gil_handover_ask */

/* State of the main thread's stop. The requester sets ASKED. From ASKED the main thread sets UNFIT
 * or HELD, or the requester withdraws (NONE). The requester ends HELD (NONE). */
enum stop { STOP_NONE, STOP_ASKED, STOP_UNFIT, STOP_HELD };
static _Atomic enum stop stop;
static sg_handover_test *_Atomic stop_test; /* set before STOP_ASKED */
static sg_wakeup resumed;                   /* STOP_HELD has ended */

void sg_gil_handover_want(void) { atomic_store(&wanted_since_ns, sg_time_mono_ns()); }

void sg_gil_handover_end(void) {
    atomic_store(&wanted_since_ns, 0);
    atomic_store(&is_stay_long, false);
    sg_futex_wake(&taken);
}

/* Stop the main thread, which calls this with the GIL, if the test allows it. Returns false if the
 * requester tries again or has stopped waiting. */
static bool stop_if_fit(void) {
    bool is_fit = atomic_load(&stop_test)();
    enum stop expected = STOP_ASKED;
    if (!atomic_compare_exchange_strong(&stop, &expected, is_fit ? STOP_HELD : STOP_UNFIT))
        return false;
    sg_futex_wake(&gone);
    int64_t now_ns = sg_time_mono_ns(), until_ns = now_ns + STOPPED_NS;
    for (;;) {
        uint32_t seen = atomic_load(&resumed);
        if (atomic_load(&stop) != STOP_HELD || now_ns >= until_ns)
            return is_fit;
        sg_futex_wait(&resumed, seen, until_ns - now_ns);
        now_ns = sg_time_mono_ns();
    }
}

static void wait_until_taken(void) {
    int64_t now_ns = sg_time_mono_ns();
    int64_t until_ns = now_ns + (atomic_load(&is_stay_long) ? STOPPED_NS : AWAY_NS);
    uint32_t seen = atomic_load(&taken);
    while (atomic_load(&wanted_since_ns) && now_ns < until_ns) {
        sg_futex_wait(&taken, seen, until_ns - now_ns);
        seen = atomic_load(&taken);
        now_ns = sg_time_mono_ns();
    }
}

/* The pending call, which the main thread runs between two bytecode instructions. It may run late,
 * when no thread waits any more or the engine has ended. */
static int hand_over(void *unused) {
    (void)unused;
    bool is_to_leave = atomic_load(&stop) != STOP_ASKED || stop_if_fit();
    if (is_to_leave && atomic_load(&wanted_since_ns)) {
        PyThreadState *own = PyEval_SaveThread();
        atomic_store(&is_away, true);
        sg_futex_wake(&gone);
        wait_until_taken();
        atomic_store(&is_away, false);
        PyEval_RestoreThread(own);
    }
    atomic_store(&is_requested, false);
    return 0;
}

void sg_gil_handover_maintain(void) {
    int64_t since_ns = atomic_load(&wanted_since_ns);
    if (!since_ns || sg_time_mono_ns() - since_ns < ASK_AFTER_NS ||
        atomic_exchange(&is_requested, true))
        return;
    if (Py_AddPendingCall(hand_over, NULL)) /* the queue is full: the next turn tries again */
        atomic_store(&is_requested, false);
}

bool sg_gil_handover_is_away(void) { return atomic_load(&is_away); }

bool sg_gil_handover_is_wanted(void) { return atomic_load(&wanted_since_ns) != 0; }

void sg_gil_handover_ask(int64_t most_ns) {
    int64_t now_ns = sg_time_mono_ns(), until_ns = now_ns + most_ns;
    atomic_store(&is_stay_long, true);
    if (!atomic_exchange(&is_requested, true) && Py_AddPendingCall(hand_over, NULL)) {
        atomic_store(&is_requested, false);
        return;
    }
    uint32_t seen = atomic_load(&gone);
    while (!atomic_load(&is_away) && now_ns < until_ns) {
        sg_futex_wait(&gone, seen, until_ns - now_ns);
        seen = atomic_load(&gone);
        now_ns = sg_time_mono_ns();
    }
}

enum sg_handover sg_gil_handover_hold(sg_handover_test *is_fit, int64_t most_ns) {
    int64_t now_ns = sg_time_mono_ns(), until_ns = now_ns + most_ns;
    atomic_store(&stop_test, is_fit);
    atomic_store(&stop, STOP_ASKED);
    if (!atomic_exchange(&is_requested, true) && Py_AddPendingCall(hand_over, NULL))
        atomic_store(&is_requested, false);
    uint32_t seen = atomic_load(&gone);
    while (atomic_load(&stop) == STOP_ASKED && now_ns < until_ns) {
        sg_futex_wait(&gone, seen, until_ns - now_ns);
        seen = atomic_load(&gone);
        now_ns = sg_time_mono_ns();
    }
    enum stop reached = STOP_ASKED;
    if (atomic_compare_exchange_strong(&stop, &reached, STOP_NONE))
        return SG_HANDOVER_ABSENT;
    return reached == STOP_HELD ? SG_HANDOVER_HELD : SG_HANDOVER_UNFIT;
}

void sg_gil_handover_resume(void) {
    atomic_store(&stop, STOP_NONE);
    sg_futex_wake(&resumed);
}

void sg_gil_handover_forget(void) {
    atomic_store(&is_away, false);
    atomic_store(&is_stay_long, false);
    atomic_store(&stop, STOP_NONE);
    atomic_store(&wanted_since_ns, 0);
    atomic_store(&is_requested, false);
}
