/* How the worker's thread state is made and used:
 *
 *     first take    find a moment without tracemalloc ─▶ PyThreadState_New ─▶ PyGILState_Ensure
 *     between jobs  PyEval_SaveThread keeps it, PyEval_RestoreThread takes the GIL with it
 *     last release  PyGILState_Release, twice if make_state made the state, which frees it
 *
 * To find the moment, the engine asks the main thread to stop in a pending call while tracemalloc
 * is off, again and again within limits (is_to_go_on). If the main thread never answers, the engine
 * waits for a moment without tracemalloc. */
#include "worker/gil_access.h"

#include <Python.h>

#include <string.h>

#include "interpreter/python_symbols.h"
#include "interpreter/raw_allocator.h"
#include "platform/fork_gate.h"
#include "platform/futex.h"
#include "platform/time.h"
#include "worker/gil_handover.h"

enum {
    ANSWER_NS = 1 * 1000 * 1000, /* limit of one request to the main thread */
    /* limit of all requests if tracemalloc is never seen on; else TRACED_NS */
    UNTRACED_NS = 25 * 1000 * 1000,
    /* least number of requests, as they take longer on a busy machine */
    LEAST_ASKED = 25,
    MOMENT_NS = 100 * 1000 * 1000, /* limit of the wait for tracemalloc, without the main thread */
    /* the interpreter locks the list of thread states before a fork */
    FIRST_MINOR_THAT_LOCKS = 13,
    /* after so many answers with tracemalloc on, it counts as permanent */
    MOST_UNFIT = 100,
    POLL_NS = 50 * 1000, /* interval of checks during the wait of MOMENT_NS */
};
#define TRACED_NS (INT64_C(2) * 1000 * 1000 * 1000)

typedef PyInterpreterState *main_fn(void);

/* Return PyInterpreterState_Main, which is not in the stable ABI; NULL = not exported. */
static main_fn *find_main(void) {
    main_fn *found;
    sg_python_symbols_look_up("PyInterpreterState_Main", &found);
    return found;
}

static bool is_guarded_by_interpreter(void) {
    return sg_python_symbols_running_minor() >= FIRST_MINOR_THAT_LOCKS;
}

/* Create a thread state without the GIL. PyGILState_Ensure finds it, since a new state belongs to
 * the calling thread at once. */
static bool make_state(main_fn *main_interpreter) {
    if (is_guarded_by_interpreter())
        return PyThreadState_New(main_interpreter()) != NULL;
    sg_fork_gate_enter();
    bool is_made = PyThreadState_New(main_interpreter()) != NULL;
    sg_fork_gate_leave();
    return is_made;
}

/* Return whether to ask the main thread once more. */
static bool is_to_go_on(int n_requests, int64_t passed_ns, bool is_ever_on) {
    return n_requests < LEAST_ASKED || passed_ns < (is_ever_on ? TRACED_NS : UNTRACED_NS);
}

/* Return whether to wait for a moment without tracemalloc. If it was never loaded there is no need:
 * the program would have to import, start and stop it within the microseconds of the state's
 * creation. */
static bool may_stop(void) {
    return sg_raw_allocator_is_traced() || sg_raw_allocator_may_be_traced();
}

/* Wait until tracemalloc cannot stop while a thread state is created. Returns true if the main
 * thread holds the GIL, with tracemalloc off, until sg_gil_handover_resume. Returns false if
 * tracemalloc stays on and the main thread waits without the GIL, or if the main thread did not run
 * the pending call. */
static bool wait_for_moment(void) {
    int64_t began_ns = sg_time_mono_ns(), passed_ns = 0;
    bool is_ever_on = false;
    int n_requests = 0, n_unfit = 0;
    while (is_to_go_on(n_requests, passed_ns, is_ever_on) && n_unfit < MOST_UNFIT) {
        enum sg_handover answer = sg_gil_handover_hold(sg_raw_allocator_is_own, ANSWER_NS);
        if (answer == SG_HANDOVER_HELD)
            return true;
        n_requests++;
        n_unfit += answer == SG_HANDOVER_UNFIT;
        is_ever_on |= answer == SG_HANDOVER_UNFIT || sg_raw_allocator_is_traced();
        passed_ns = sg_time_mono_ns() - began_ns;
    }
    if (n_unfit == MOST_UNFIT)
        sg_gil_handover_ask(UNTRACED_NS);
    else if (is_ever_on) /* threads other than the main one may start and stop it */
        for (began_ns = sg_time_mono_ns();
             sg_raw_allocator_is_traced() && sg_time_mono_ns() - began_ns < MOMENT_NS;)
            sg_futex_sleep_ns(POLL_NS);
    return false;
}

/* The thread state between two jobs; NULL = there is none. Used only by the thread that takes the
 * GIL. */
static PyThreadState *kept;
static PyGILState_STATE first_taken; /* what PyGILState_Ensure returned when it made the state */
/* make_state made the state, so PyGILState counts one more Ensure */
static bool is_made_here;

void sg_gil_access_take(void) {
    if (kept) {
        PyEval_RestoreThread(kept);
        kept = NULL;
        return;
    }
    main_fn *main_interpreter = find_main();
    if (main_interpreter) {
        sg_raw_allocator_find();
        bool is_held = may_stop() && wait_for_moment();
        is_made_here = make_state(main_interpreter);
        if (is_held)
            sg_gil_handover_resume();
    }
    first_taken = PyGILState_Ensure();
}

void sg_gil_access_release(bool is_last) {
    if (!is_last) {
        kept = PyEval_SaveThread();
        return;
    }
    if (is_made_here)
        PyGILState_Release(PyGILState_LOCKED);
    is_made_here = false;
    PyGILState_Release(first_taken);
}

void sg_gil_access_forget(void) { kept = NULL; }
