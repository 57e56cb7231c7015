/* The collector's callbacks: see gc.h. */
#include "heap/gc.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "heap/capture.h"
#include "heap/events.h"
#include "heap/ledger.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/time.h"

enum { FULL_GENERATION = 2 };

/* Guarded by the GIL. */
static PyObject **place;   /* the interpreter's reference; NULL = not listening */
static PyObject *ours;     /* our list; owned here while listening, and by the interpreter */
static PyObject *function; /* our callback, owned here, too: see put_back */
static PyObject *programs; /* its list; owned: the interpreter's reference, which we hold for it.
                            * NULL = it had none yet (up to 3.11, before `gc` is imported) */
static int64_t started_ns; /* of the collection that goes on */
static _Atomic bool is_listening; /* for anyone */

static uint64_t number_in(PyObject *info, const char *key) {
    PyObject *number = PyDict_GetItemString(info, key); /* borrowed: info's */
    unsigned long long value = number ? PyLong_AsUnsignedLongLong(number) : 0;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return value;
}

static void hear_start(PyObject *info) {
    if (number_in(info, "generation") == FULL_GENERATION)
        sg_heap_ledger_begin_full();
    started_ns = sg_time_mono_ns();
    sg_heap_capture_set_collector(true);
}

static void hear_stop(PyObject *info) {
    sg_heap_capture_set_collector(false);
    if (!started_ns)
        return; /* it began before we listened */
    int64_t ended_ns = sg_time_mono_ns();
    struct sg_heap_collection collection = {
        .start_mono_ns = started_ns,
        .pause_ns = (uint64_t)(ended_ns - started_ns),
        .generation = (uint32_t)number_in(info, "generation"),
        .tid = sg_heap_capture_moment().tid,
        .collected = number_in(info, "collected"),
        .uncollectable = number_in(info, "uncollectable"),
    };
    started_ns = 0;
    if (collection.generation == FULL_GENERATION)
        sg_heap_ledger_end_full(ended_ns);
    sg_heap_events_collections_add(&collection);
}

static PyObject *hear(PyObject *self, PyObject *args);

static bool is_hear(PyObject *callback) {
    return PyObject_TypeCheck(callback, &PyCFunction_Type) &&
           PyCFunction_GetFunction(callback) == hear;
}

/* As the interpreter does: each in turn, however the list changes meanwhile. */
static void pass_on(PyObject *phase, PyObject *info) {
    PyObject *list = programs;
    if (!list)
        return;
    Py_INCREF(list);
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *callback = PyList_GetItem(list, i); /* borrowed: the list's */
        if (is_hear(callback))
            continue; /* left by the parent of a forked child */
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

/* What this allocates is ours, not the program's. */
static void listen_as_engine(void (*listen)(PyObject *info), PyObject *info) {
    if (!atomic_load(&is_listening))
        return;
    bool is_begun = sg_engine_threads_begin_exempt();
    listen(info);
    if (is_begun)
        sg_engine_threads_end_exempt();
}

static PyObject *hear(PyObject *self, PyObject *args) {
    PyObject *phase = PyTuple_GetItem(args, 0); /* borrowed: args' */
    PyObject *info = PyTuple_GetItem(args, 1);  /* likewise */
    if (!phase || !info)
        return NULL;
    bool is_start = PyUnicode_CompareWithASCIIString(phase, "start") == 0;
    if (!is_start)
        listen_as_engine(hear_stop, info);
    pass_on(phase, info);
    if (is_start)
        listen_as_engine(hear_start, info);
    Py_RETURN_NONE;
}

static PyMethodDef HEAR = {"stackglass_gc", hear, METH_VARARGS, NULL}; /* constant */

static bool is_list(uint64_t address) {
    uint64_t head[2];
    return sg_memory_read(address, head, sizeof head) && head[1] == (uintptr_t)&PyList_Type;
}

/* Two lists, one behind the other. Up to 3.10 there is no second one before `gc` is imported. */
static PyObject **find_place(void) {
    enum { N_LOOKED_AT = 4 }; /* 3.15 keeps one more word in front */
    uintptr_t thread = (uintptr_t)PyThreadState_Get();
    uintptr_t interpreter = sg_load(thread + sg_debug_offsets.thread_interp);
    uintptr_t lists = interpreter + (uintptr_t)sg_debug_offsets.gc_garbage;
    uint64_t words[N_LOOKED_AT + 1];
    if (!sg_memory_read(lists, words, sizeof words))
        return NULL;
    for (int i = 0; i < N_LOOKED_AT; i++) {
        bool may_be_none = sg_debug_offsets.minor <= 10 && i == 0 && !words[1];
        if (is_list(words[i]) && (is_list(words[i + 1]) || may_be_none))
            return (PyObject **)lists + i + 1;
    }
    return NULL;
}

bool sg_heap_gc_listen(void) {
    if (place)
        return true;
    PyObject **found = find_place();
    function = found ? PyCFunction_New(&HEAR, NULL) : NULL;
    PyObject *list = function ? PyList_New(1) : NULL;
    if (!list) {
        PyErr_Clear();
        Py_CLEAR(function);
        return false;
    }
    Py_INCREF(function);
    PyList_SetItem(list, 0, function); /* steals that reference; an empty place cannot fail */
    PyObject_GC_UnTrack(list);         /* the program does not find them among its objects */
    PyObject_GC_UnTrack(function);
    started_ns = 0;
    programs = *found;
    ours = list;
    Py_INCREF(ours); /* the interpreter's and our own */
    *found = ours;
    place = found;
    atomic_store(&is_listening, true);
    return true;
}

/* Give a reference of ours away. An object that the collector tracks may be freed in every release;
 * builtin functions of 3.9.2 crash if it does not. */
static void put_back(PyObject *object) {
    if (!PyObject_GC_IsTracked(object))
        PyObject_GC_Track(object);
    Py_DECREF(object);
}

void sg_heap_gc_deafen(void) {
    if (!place)
        return;
    atomic_store(&is_listening, false);
    sg_heap_capture_set_collector(false);
    bool is_adopted = !programs && Py_REFCNT(ours) > 2;
    if (*place == ours && !is_adopted) {
        *place = programs; /* our reference becomes the interpreter's again */
        programs = NULL;
        Py_DECREF(ours); /* the one that was the interpreter's */
    } else if (*place == ours) {
        /* `gc` was imported meanwhile, and took our list for its own: it stays, without us. */
        for (Py_ssize_t i = PyList_Size(ours) - 1; i >= 0; i--) {
            PyObject *callback = PyList_GetItem(ours, i); /* borrowed: the list's */
            if (is_hear(callback))
                PyList_SetSlice(ours, i, i + 1, NULL);
        }
    }
    Py_CLEAR(programs);
    put_back(ours);
    put_back(function);
    ours = function = NULL;
    place = NULL;
}

void sg_heap_gc_discard(void) {
    atomic_store(&is_listening, false);
    started_ns = 0;
    if (place && *place == ours && programs)
        *place = programs;
    /* What had no list before keeps ours, which hears nothing. */
    place = NULL;
    ours = function = NULL;
    programs = NULL;
}

bool sg_heap_gc_is_listening(void) { return atomic_load(&is_listening); }
