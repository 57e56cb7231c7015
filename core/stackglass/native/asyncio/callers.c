/* A table of asyncio's functions, compared by code object with the frames that called the hook.
 *
 *     innermost frame of role WAITS ─▶ outward while callers wait through it ─▶ the outermost waits
 *     innermost frame of role RELEASES, or WAKES called by RELEASES          ─▶ a release
 *
 * The rows of role WAITS come first, because every await of a future compares with them. */
#include "asyncio/callers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/python_frames.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

enum {
    MOST_CALLERS = 8,  /* primitives that wait through each other */
    MOST_WRAPPERS = 8, /* of one function, by functools.wraps */
};

enum role {
    WAITS,    /* awaits the future itself */
    WAITS_BY, /* awaits by calling a function that does */
    WAKES,    /* sets the future's result, for its caller */
    RELEASES, /* releases a lock, itself or by calling WAKES */
    RUNS,     /* calls the event loop's callbacks */
};

/* Never changed. The rows of role WAITS come first, N_WAITS of them; HANDLE_RUN is the last row. */
static const struct function {
    const char *module, *type, *name;
    enum role role;
    enum sg_primitive primitive;
} FUNCTIONS[] = {
    {"asyncio.locks", "Lock", "acquire", WAITS, SG_PRIMITIVE_ASYNCIO_LOCK},
    {"asyncio.locks", "Event", "wait", WAITS, SG_PRIMITIVE_ASYNCIO_EVENT},
    {"asyncio.locks", "Condition", "wait", WAITS, SG_PRIMITIVE_ASYNCIO_CONDITION},
    {"asyncio.locks", "Semaphore", "acquire", WAITS, SG_PRIMITIVE_ASYNCIO_SEMAPHORE},
    {"asyncio.queues", "Queue", "get", WAITS, SG_PRIMITIVE_ASYNCIO_QUEUE_GET},
    {"asyncio.queues", "Queue", "put", WAITS, SG_PRIMITIVE_ASYNCIO_QUEUE_PUT},
    {"asyncio.queues", "Queue", "join", WAITS_BY, SG_PRIMITIVE_ASYNCIO_QUEUE_JOIN},
    {"asyncio.locks", "Condition", "wait_for", WAITS_BY, SG_PRIMITIVE_ASYNCIO_CONDITION},
    {"asyncio.locks", "Barrier", "wait", WAITS_BY, SG_PRIMITIVE_ASYNCIO_BARRIER},
    {"asyncio.locks", "Barrier", "_block", WAITS_BY, SG_PRIMITIVE_ASYNCIO_BARRIER},
    {"asyncio.locks", "Barrier", "_wait", WAITS_BY, SG_PRIMITIVE_ASYNCIO_BARRIER},
    {"asyncio.locks", "Lock", "_wake_up_first", WAKES, SG_PRIMITIVE_ASYNCIO_LOCK_RELEASE},
    {"asyncio.locks", "Semaphore", "_wake_up_next", WAKES, SG_PRIMITIVE_ASYNCIO_SEMAPHORE_RELEASE},
    {"asyncio.locks", "Lock", "release", RELEASES, SG_PRIMITIVE_ASYNCIO_LOCK_RELEASE},
    {"asyncio.locks", "Semaphore", "release", RELEASES, SG_PRIMITIVE_ASYNCIO_SEMAPHORE_RELEASE},
    {"asyncio.events", "Handle", "_run", RUNS, SG_PRIMITIVE_EVENT_LOOP},
};
enum {
    N_FUNCTIONS = sizeof FUNCTIONS / sizeof *FUNCTIONS,
    N_WAITS = 6,
    HANDLE_RUN = N_FUNCTIONS - 1,
    FUTURES = N_FUNCTIONS, /* bit of futures that are Python's own */
};

/* Owned references, guarded by the GIL. */
static PyObject *codes[N_FUNCTIONS]; /* NULL = not found */
static PyObject *types[N_FUNCTIONS];
/* Bitmap of rows, and of FUTURES: replaced when they were learned, or since. Written with the GIL
 * held. */
static _Atomic uint32_t replaced;

/* ---- Frames of the calling thread, which stands in a call that its Python code made ---- */

/* Return the object whose method the frame runs, borrowed: `self` is its first local. Returns NULL
 * if that local was deleted, or is not of the row's type. */
static PyObject *self_of(uintptr_t frame, int row) {
    PyObject *object = sg_python_frame_local(frame, 0);
    return object && PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)types[row]) ? object : NULL;
}

static int find_row(uintptr_t frame) {
    const PyObject *code = frame ? sg_python_frame_code(frame) : NULL;
    for (int row = 0; code && row < N_FUNCTIONS; row++) {
        if (codes[row] == code)
            return row;
    }
    return -1;
}

/* ---- Questions ---- */

bool sg_asyncio_callers_is_wait(struct sg_asyncio_call *call) {
    uintptr_t frame = sg_python_frames_calling();
    const PyObject *code = frame ? sg_python_frame_code(frame) : NULL;
    int row = 0;
    while (row < N_WAITS && codes[row] != code)
        row++;
    if (row == N_WAITS || !code)
        return false;
    bool is_held = FUNCTIONS[row].primitive == SG_PRIMITIVE_ASYNCIO_LOCK ||
                   FUNCTIONS[row].primitive == SG_PRIMITIVE_ASYNCIO_SEMAPHORE;
    PyObject *held = is_held ? self_of(frame, row) : NULL;
    for (int i = 0; i < MOST_CALLERS; i++) {
        uintptr_t outer = sg_python_frame_caller(frame);
        int outer_row = find_row(outer);
        if (outer_row < 0 || FUNCTIONS[outer_row].role > WAITS_BY)
            break;
        frame = outer;
        row = outer_row;
    }
    *call = (struct sg_asyncio_call){FUNCTIONS[row].primitive, self_of(frame, row), held};
    return true;
}

bool sg_asyncio_callers_is_release(struct sg_asyncio_call *call) {
    uintptr_t frame = sg_python_frames_calling();
    int row = find_row(frame);
    if (row >= 0 && FUNCTIONS[row].role == WAKES) {
        frame = sg_python_frame_caller(frame);
        row = find_row(frame);
    }
    if (row < 0 || FUNCTIONS[row].role != RELEASES)
        return false;
    PyObject *object = self_of(frame, row);
    *call = (struct sg_asyncio_call){FUNCTIONS[row].primitive, object, object};
    return true;
}

bool sg_asyncio_callers_is_handle(void) {
    uintptr_t frame = sg_python_frames_calling();
    return frame && codes[HANDLE_RUN] == sg_python_frame_code(frame);
}

/* ---- Learning ---- */

/* Is the code object from the file of `module`, "asyncio.locks" from ".../asyncio/locks.py"? */
static bool is_of_module(PyObject *code, const char *module) {
    char file[64];
    int size = snprintf(file, sizeof file, "%s.py", module);
    *strchr(file, '.') = '/';
    PyObject *name = sg_python_text_attribute(code, "co_filename");
    char *path = sg_python_text_copy(name);
    size_t length = path ? strlen(path) : 0;
    bool is_it = length >= (size_t)size && !strcmp(path + length - (size_t)size, file);
    free(path);
    Py_XDECREF(name);
    return is_it;
}

/* Return the code object of asyncio's own function: that of `method`, or of the function that it
 * wraps. If there is none, return that of `method`, and set *is_replaced: it may do all itself, or
 * call asyncio's function in a way that does not show. A new reference; NULL if `method` is no
 * Python function. */
static PyObject *find_code(PyObject *method, const char *module, bool *is_replaced) {
    PyObject *first = NULL;
    *is_replaced = true;
    Py_XINCREF(method);
    for (int i = 0; method && i < MOST_WRAPPERS && *is_replaced; i++) {
        PyObject *code = sg_python_text_function_code(method);
        if (!code || Py_TYPE(code) != (const PyTypeObject *)sg_python_symbols.code_type) {
            Py_XDECREF(code);
            break;
        }
        *is_replaced = !is_of_module(code, module);
        PyObject *inner =
            *is_replaced ? sg_python_text_plain_attribute(method, "__wrapped__") : NULL;
        Py_DECREF(method);
        method = inner;
        if (!first || !*is_replaced) {
            Py_XDECREF(first);
            first = code;
        } else {
            Py_DECREF(code);
        }
    }
    Py_XDECREF(method);
    PyErr_Clear();
    return first;
}

static void note_replaced(int row, bool is_replaced) {
    uint32_t others = atomic_load(&replaced) & ~(UINT32_C(1) << row);
    atomic_store(&replaced, others | (uint32_t)is_replaced << row);
}

static void learn_function(int row) {
    const struct function *function = &FUNCTIONS[row];
    PyObject *type = sg_python_text_global_type(function->module, function->type); /* borrowed */
    if (!type)
        return;
    bool is_replaced;
    PyObject *method = sg_python_text_class_attribute((PyTypeObject *)type, function->name);
    PyObject *code = find_code(method, function->module, &is_replaced);
    note_replaced(row, is_replaced);
    Py_INCREF(type);
    codes[row] = code; /* owned from here on; NULL = no Python function */
    types[row] = type;
}

/* Whether the class has another function than the one that was learned, and one that does not wrap
 * it. */
static bool is_other_function(int row, PyObject *type) {
    const struct function *function = &FUNCTIONS[row];
    bool is_replaced;
    PyObject *method = sg_python_text_class_attribute((PyTypeObject *)type, function->name);
    PyObject *code = method ? sg_python_text_function_code(method) : NULL;
    if (code != codes[row]) {
        Py_XDECREF(code);
        code = find_code(method, function->module, &is_replaced);
    }
    bool is_other = code != codes[row];
    Py_XDECREF(code);
    return is_other;
}

static bool are_futures_pythons_own(void) {
    return sg_python_text_global_type("asyncio.futures", "Future") !=
           sg_python_text_global_type("_asyncio", "Future");
}

void sg_asyncio_callers_check(void) {
    uint32_t found = 0, known = atomic_load(&replaced);
    for (int row = 0; row < N_FUNCTIONS; row++) {
        const struct function *function = &FUNCTIONS[row];
        PyObject *type = codes[row] && !(known >> row & 1)
                             ? sg_python_text_global_type(function->module, function->type)
                             : NULL; /* borrowed */
        if (type && is_other_function(row, type))
            found |= UINT32_C(1) << row;
    }
    if (are_futures_pythons_own())
        found |= UINT32_C(1) << FUTURES;
    atomic_store(&replaced, known | found);
}

void sg_asyncio_callers_describe_replaced(char *text, size_t size) {
    uint32_t rows = atomic_load(&replaced);
    int n = 0, first = 0;
    for (int row = N_FUNCTIONS - 1; row >= 0; row--) {
        if (rows >> row & 1) {
            n++;
            first = row;
        }
    }
    const struct function *function = &FUNCTIONS[first];
    const char *more = n > 1 ? " (and others of asyncio)" : "";
    if (rows >> FUTURES & 1)
        snprintf(text, size, "asyncio's futures are not the interpreter's own");
    else if (n)
        snprintf(text, size, "the program has replaced %s.%s.%s%s", function->module,
                 function->type, function->name, more);
    else
        *text = 0;
}

bool sg_asyncio_callers_learn(void) {
    bool is_whole = true;
    for (int row = 0; row < N_FUNCTIONS; row++) {
        if (!types[row])
            learn_function(row);
        bool is_barrier = FUNCTIONS[row].primitive == SG_PRIMITIVE_ASYNCIO_BARRIER; /* 3.11 */
        is_whole = is_whole && (types[row] || is_barrier);
    }
    if (is_whole)
        note_replaced(FUTURES, are_futures_pythons_own());
    return is_whole;
}

void sg_asyncio_callers_abandon(void) {
    memset(codes, 0, sizeof codes);
    memset(types, 0, sizeof types);
}

void sg_asyncio_callers_forget(void) {
    for (int row = 0; row < N_FUNCTIONS; row++) {
        Py_XDECREF(codes[row]);
        Py_XDECREF(types[row]);
    }
    sg_asyncio_callers_abandon();
}
