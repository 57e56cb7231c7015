/* How the interpreter's reference to its list of callbacks, `place`, is replaced and restored.
 *
 *     find      by its neighbour: gc.garbage and gc.callbacks lie side by side, and both are lists
 *     patch     *place = the engine's list; `programs` keeps the program's list
 *     restore   *place = the program's list, if *place is still the engine's list
 *               If `gc` was imported meanwhile and has adopted the engine's list as gc.callbacks,
 *               that list stays, without the engine's callback.
 *
 * At the end of a collection the engine records before the program's callbacks run, and at the
 * start after they have run, so that the measured pause does not include them. */
#include "interpreter/collector_callbacks.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/time.h"

/* Guarded by the GIL. */
static sg_collection_fn *subscribers[SG_MOST_SUBSCRIBERS]; /* NULL = a free place */
static bool have_begun[SG_MOST_SUBSCRIBERS]; /* of the collection under way, they saw the start */
static PyObject **place;                     /* the interpreter's reference; NULL = not listening */
static PyObject *own_list; /* the engine's list; owned here while listening, and by *place */
static PyObject *function; /* the list's one item, the callback; also owned here: see put_back */
static PyObject *programs; /* gc.callbacks, with the reference that *place had. NULL = there was no
                            * list yet (up to 3.10, before `gc` is imported) */
static int64_t started_ns; /* start of the collection under way, if it was seen */
static _Atomic bool is_listening; /* read by any thread */

static uint64_t number_in(PyObject *info, const char *key) {
    PyObject *number = PyDict_GetItemString(info, key); /* borrowed from `info` */
    unsigned long long value = number ? PyLong_AsUnsignedLongLong(number) : 0;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return value;
}

static void publish(bool is_start, const struct sg_collection *collection) {
    for (int i = 0; i < SG_MOST_SUBSCRIBERS; i++) {
        bool is_wanted = subscribers[i] && (is_start || have_begun[i]);
        have_begun[i] = is_start;
        if (is_wanted)
            subscribers[i](is_start, collection);
    }
}

static void record_start(PyObject *info) {
    struct sg_collection collection = {
        .generation = (uint32_t)number_in(info, "generation"),
        .start_mono_ns = started_ns = sg_time_mono_ns(),
    };
    publish(true, &collection);
}

static void record_stop(PyObject *info) {
    struct sg_collection collection = {
        .generation = (uint32_t)number_in(info, "generation"),
        .start_mono_ns = started_ns,
        .end_mono_ns = sg_time_mono_ns(),
        .collected = number_in(info, "collected"),
        .uncollectable = number_in(info, "uncollectable"),
    };
    publish(false, &collection);
}

static PyObject *on_collection(PyObject *self, PyObject *args);

static bool is_own_callback(PyObject *callback) {
    return PyObject_TypeCheck(callback, &PyCFunction_Type) &&
           PyCFunction_GetFunction(callback) == on_collection;
}

/* Call the program's callbacks as the interpreter does: by index, because the list may change. */
static void call_programs(PyObject *phase, PyObject *info) {
    PyObject *list = programs;
    if (!list)
        return;
    Py_INCREF(list);
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *callback = PyList_GetItem(list, i); /* borrowed from the list */
        if (is_own_callback(callback))
            continue; /* in a forked child, the callback of the parent's engine */
        Py_INCREF(callback);
        PyObject *result = PyObject_CallFunctionObjArgs(callback, phase, info, NULL);
        if (result)
            Py_DECREF(result);
        else
            PyErr_WriteUnraisable(callback);
        Py_DECREF(callback);
    }
    Py_DECREF(list);
}

/* Call `record`, with its allocations exempt from the program's profiles. */
static void as_engine(void (*record)(PyObject *info), PyObject *info) {
    if (!atomic_load(&is_listening))
        return;
    bool is_begun = sg_engine_threads_begin_exempt();
    record(info);
    if (is_begun)
        sg_engine_threads_end_exempt();
}

static PyObject *on_collection(PyObject *self, PyObject *args) {
    PyObject *phase = PyTuple_GetItem(args, 0); /* borrowed from `args` */
    PyObject *info = PyTuple_GetItem(args, 1);  /* borrowed from `args` */
    if (!phase || !info)
        return NULL;
    bool is_start = PyUnicode_CompareWithASCIIString(phase, "start") == 0;
    if (!is_start)
        as_engine(record_stop, info);
    call_programs(phase, info);
    if (is_start)
        as_engine(record_start, info);
    Py_RETURN_NONE;
}

static PyMethodDef DEFINITION = {"stackglass_gc", on_collection, METH_VARARGS, NULL}; /* constant */

static bool is_list(uint64_t address) {
    uint64_t head[2];
    return sg_memory_read(address, head, sizeof head) && head[1] == (uintptr_t)&PyList_Type;
}

/* The interpreter's references to gc.garbage and gc.callbacks lie side by side. Up to 3.10 the
 * second is NULL before `gc` is imported. */
static PyObject **find_place(void) {
    enum { N_PLACES = 4 }; /* words to try: 3.15 has one more word in front of the two */
    uintptr_t thread = (uintptr_t)PyThreadState_Get();
    uintptr_t interpreter = sg_memory_load(thread + sg_debug_offsets.thread_interp);
    uintptr_t lists = interpreter + (uintptr_t)sg_debug_offsets.gc_garbage;
    uint64_t words[N_PLACES + 1];
    if (!sg_memory_read(lists, words, sizeof words))
        return NULL;
    for (int i = 0; i < N_PLACES; i++) {
        bool may_be_none = sg_debug_offsets.minor <= 10 && i == 0 && !words[1];
        if (is_list(words[i]) && (is_list(words[i + 1]) || may_be_none))
            return (PyObject **)lists + i + 1;
    }
    return NULL;
}

static bool patch(void) {
    if (place)
        return true;
    PyObject **found = find_place();
    function = found ? PyCFunction_New(&DEFINITION, NULL) : NULL;
    PyObject *list = function ? PyList_New(1) : NULL;
    if (!list) {
        PyErr_Clear();
        Py_CLEAR(function);
        return false;
    }
    Py_INCREF(function);
    PyList_SetItem(list, 0, function); /* steals that reference; cannot fail */
    PyObject_GC_UnTrack(list);         /* untracked, so that gc.get_objects() does not list it */
    PyObject_GC_UnTrack(function);
    programs = *found;
    own_list = list;
    Py_INCREF(own_list); /* one reference for *place */
    *found = own_list;
    place = found;
    atomic_store(&is_listening, true);
    return true;
}

/* Track the object again, and release a reference. (Builtin functions of 3.9.2 crash when they are
 * freed while untracked.) */
static void put_back(PyObject *object) {
    if (!PyObject_GC_IsTracked(object))
        PyObject_GC_Track(object);
    Py_DECREF(object);
}

static void restore(void) {
    if (!place)
        return;
    atomic_store(&is_listening, false);
    bool is_adopted = !programs && Py_REFCNT(own_list) > 2;
    if (*place == own_list && !is_adopted) {
        *place = programs; /* gives the reference back to the interpreter */
        programs = NULL;
        Py_DECREF(own_list); /* the reference that *place had */
    } else if (*place == own_list) {
        /* `gc` was imported meanwhile and uses this list as gc.callbacks: it stays, without the
         * engine's callback. */
        for (Py_ssize_t i = PyList_Size(own_list) - 1; i >= 0; i--) {
            PyObject *callback = PyList_GetItem(own_list, i); /* borrowed from the list */
            if (is_own_callback(callback))
                PyList_SetSlice(own_list, i, i + 1, NULL);
        }
    }
    Py_CLEAR(programs);
    put_back(own_list);
    put_back(function);
    own_list = function = NULL;
    place = NULL;
}

/* Return the place of the subscriber `wanted`, or, if `wanted` is NULL, a free place; -1 = none. */
static int find_subscriber(sg_collection_fn *wanted) {
    for (int i = 0; i < SG_MOST_SUBSCRIBERS; i++)
        if (subscribers[i] == wanted)
            return i;
    return -1;
}

bool sg_collector_callbacks_listen(sg_collection_fn *subscriber) {
    int at = find_subscriber(subscriber);
    if (at >= 0)
        return true;
    at = find_subscriber(NULL);
    if (at < 0 || !patch())
        return false;
    have_begun[at] = false; /* a finalizer may have given the GIL away: perhaps a collection runs */
    subscribers[at] = subscriber;
    return true;
}

void sg_collector_callbacks_stop(sg_collection_fn *subscriber) {
    int at = find_subscriber(subscriber);
    if (at < 0)
        return;
    subscribers[at] = NULL;
    for (int i = 0; i < SG_MOST_SUBSCRIBERS; i++)
        if (subscribers[i])
            return;
    restore();
}

void sg_collector_callbacks_discard(void) {
    memset(subscribers, 0, sizeof subscribers);
    atomic_store(&is_listening, false);
    if (place && *place == own_list && programs)
        *place = programs;
    /* If there was no list before, the engine's list stays; its callback records nothing. */
    place = NULL;
    own_list = function = NULL;
    programs = NULL;
}

bool sg_collector_callbacks_are_seen(void) { return atomic_load(&is_listening); }
