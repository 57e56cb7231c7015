/* Library calls and collections, one step a call, for tests. */
#include "tables.h"

#include <string.h>

#include "heap/library_calls.h"
#include "heap/samples.h"
#include "interpreter/collector_callbacks.h"
#include "platform/gate.h"
#include "values.h"

/* ---- Library calls ---- */

enum { GROUP = 1, MOST_FRAMES = 64, REACH = 1 << 20 };

static PyObject *lose_call(PyObject *self, PyObject *args);

/* Let this file be a library whose calls are followed. */
static void follow(void) {
    uintptr_t here = (uintptr_t)lose_call;
    sg_library_calls_prepare();
    sg_library_calls_add(here - REACH, here + REACH, GROUP);
}

static PyThreadState *save_thread(void) {
    PyThreadState *(*save)(void);
    memcpy(&save, &sg_library_call_entries[0].wrapper, sizeof save);
    PyThreadState *volatile state =
        save(); /* no tail call: the wrapper reads where it returns to */
    return state;
}

static void restore_thread(PyThreadState *state) {
    void (*restore)(PyThreadState * state);
    memcpy(&restore, &sg_library_call_entries[1].wrapper, sizeof restore);
    restore(state);
}

/* The detach comes while the call is under way, so its end is not seen. */
static PyObject *lose_call(PyObject *self, PyObject *args) {
    follow();
    PyThreadState *state = save_thread();
    sg_library_calls_forget();
    PyEval_RestoreThread(state);
    return sg_values_none();
}

static PyObject *call_library(PyObject *self, PyObject *args) {
    struct sg_frame frames[MOST_FRAMES];
    uint32_t depth = 0;
    follow();
    PyThreadState *state = save_thread();
    if (sg_gate_enter(SG_GATE_HEAP)) {
        depth = sg_library_calls_find((uintptr_t)lose_call, frames, MOST_FRAMES);
        sg_gate_leave(SG_GATE_HEAP);
    }
    restore_thread(state);
    sg_library_calls_forget();
    return PyLong_FromUnsignedLong(depth);
}

/* ---- Collections ---- */

static void ignore(bool is_start, const struct sg_collection *collection) {
    (void)is_start;
    (void)collection;
}

static PyObject *watch_collections(PyObject *self, PyObject *is_wanted) {
    if (is_wanted == Py_True)
        return PyBool_FromLong(sg_collector_callbacks_listen(ignore));
    sg_collector_callbacks_stop(ignore);
    return PyBool_FromLong(true);
}

PyMethodDef sg_heap_step_bindings[] = {
    {"heap_lose_call", lose_call, METH_NOARGS, "A call during which the engine detaches."},
    {"heap_call_library", call_library, METH_NOARGS,
     "Number of frames that are found for a call under way."},
    {"heap_watch_collections", watch_collections, METH_O,
     "heap_watch_collections(is_wanted): another subscriber of collections."},
    {NULL, NULL, 0, NULL},
};
