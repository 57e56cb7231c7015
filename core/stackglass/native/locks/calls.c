/* Decides by the arguments of a lock's method whether the call may wait.
 *
 *     acquire(blocking, timeout)   get(block, timeout)   join(timeout)   by position or by name
 *
 * Arguments come as an array, or as a tuple and a dict, depending on the method's calling
 * convention. Only plain numbers are read, because other objects may run code of the program; for
 * such arguments the answer is SG_LOCK_IS_UNCLEAR. */
#include "locks/calls.h"

#include <math.h>

struct sg_method_patch sg_lock_calls_patches[SG_N_LOCK_ROWS]; /* guarded by the GIL */

/* C functions of the types' methods, which all interpreters share. Guarded by the GIL; NULL = not
 * found. They are never reset, because a call may be under way under another GIL. */
static PyCFunction answers[SG_N_LOCK_QUESTIONS];
static PyObject *no_blocking; /* (False,), owned; never released, for the same reason */

static const double LONGEST_S = 9e9; /* the interpreter's limit, 2^63 ns, is slightly higher */

/* The names of two arguments that say how long to wait. */
struct signature {
    const char *is_blocking; /* NULL = there is no such argument */
    const char *timeout;
};
static const struct signature ACQUIRE = {"blocking", "timeout"};
static const struct signature GET = {"block", "timeout"};
static const struct signature JOIN = {NULL, "timeout"};

static const struct signature *signature_of(enum sg_lock_row row) {
    switch (row) {
    case SG_LOCK_ACQUIRE:
    case SG_LOCK_ACQUIRE_LOCK:
    case SG_RLOCK_ACQUIRE:
        return &ACQUIRE;
    case SG_SIMPLE_QUEUE_GET:
        return &GET;
    case SG_THREAD_JOIN:
        return &JOIN;
    default: /* __enter__ and others without such arguments */
        return NULL;
    }
}

/* The two arguments, borrowed from the call; NULL = not given. */
struct patience {
    PyObject *is_blocking;
    PyObject *timeout;
};

static bool put(struct patience *patience, const struct signature *signature, PyObject *name,
                PyObject *value) {
    PyObject **place = NULL;
    if (!PyUnicode_Check(name))
        return false;
    if (signature->is_blocking && !PyUnicode_CompareWithASCIIString(name, signature->is_blocking))
        place = &patience->is_blocking;
    else if (!PyUnicode_CompareWithASCIIString(name, signature->timeout))
        place = &patience->timeout;
    if (!place || *place)
        return false;
    *place = value;
    return true;
}

static bool read_arguments(const struct sg_method_patch_call *call,
                           const struct signature *signature, struct patience *patience) {
    bool is_fast = call->fast != NULL || !call->args;
    Py_ssize_t n = is_fast ? call->n_fast : PyTuple_Size(call->args);
    int first = signature->is_blocking ? 0 : 1; /* field of `patience` for the first argument */
    if (n > 2 - first)
        return false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *value = is_fast ? call->fast[i] : PyTuple_GetItem(call->args, i);
        *(i + first == 0 ? &patience->is_blocking : &patience->timeout) = value;
    }
    if (!call->names)
        return true;
    if (is_fast) {
        for (Py_ssize_t i = 0; i < PyTuple_Size(call->names); i++) {
            if (!put(patience, signature, PyTuple_GetItem(call->names, i), call->fast[n + i]))
                return false;
        }
        return true;
    }
    PyObject *name, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(call->names, &place, &name, &value)) {
        if (!put(patience, signature, name, value))
            return false;
    }
    return true;
}

/* Read `timeout` in seconds; -1 = no timeout. `is_none_endless`: None means no timeout, and
 * negative numbers are out of range; otherwise -1 means it. Returns false if `timeout` is not a
 * plain number in range. */
static bool read_timeout(PyObject *timeout, bool is_none_endless, double *seconds) {
    *seconds = -1;
    if (!timeout || (timeout == Py_None && is_none_endless))
        return true;
    if (PyFloat_CheckExact(timeout)) {
        *seconds = PyFloat_AsDouble(timeout);
    } else if (PyLong_CheckExact(timeout)) {
        int is_over;
        *seconds = (double)PyLong_AsLongLongAndOverflow(timeout, &is_over);
        if (is_over)
            return false;
    } else {
        return false;
    }
    if (isnan(*seconds) || *seconds > LONGEST_S || (*seconds < 0 && is_none_endless))
        return false;
    return *seconds >= 0 || *seconds == -1;
}

enum sg_lock_patience sg_lock_calls_patience_of(enum sg_lock_row row,
                                                const struct sg_method_patch_call *call) {
    const struct signature *signature = signature_of(row);
    struct patience given = {NULL, NULL};
    double seconds;
    if (!signature)
        return SG_LOCK_MAY_WAIT;
    if (!read_arguments(call, signature, &given))
        return SG_LOCK_IS_UNCLEAR;
    PyObject *flag = given.is_blocking;
    if (flag && !PyBool_Check(flag) && !PyLong_CheckExact(flag) && flag != Py_None)
        return SG_LOCK_IS_UNCLEAR;
    bool is_blocking = !flag || PyObject_IsTrue(flag) == 1;
    if (!read_timeout(given.timeout, signature != &ACQUIRE, &seconds))
        return SG_LOCK_IS_UNCLEAR;
    return is_blocking && seconds != 0 ? SG_LOCK_MAY_WAIT : SG_LOCK_NEVER_WAITS;
}

PyObject *sg_lock_calls_try(PyObject *lock, bool is_rlock) {
    const struct sg_method_patch *patch =
        &sg_lock_calls_patches[is_rlock ? SG_RLOCK_ACQUIRE : SG_LOCK_ACQUIRE];
    PyObject *const fast[] = {Py_False};
    struct sg_method_patch_call call = {.self = lock, .fast = fast, .n_fast = 1};
    call.args = no_blocking;
    return sg_method_patch_call(patch, &call);
}

bool sg_lock_calls_prepare(void) {
    if (!no_blocking)
        no_blocking = PyTuple_Pack(1, Py_False);
    PyErr_Clear();
    return no_blocking != NULL;
}

void sg_lock_calls_learn_answer(enum sg_lock_question question, PyObject *type) {
    static const char *const NAMES[SG_N_LOCK_QUESTIONS] = {"_is_owned", "empty", "is_done"};
    answers[question] = sg_method_patch_find(type, NAMES[question], METH_NOARGS);
}

bool sg_lock_calls_ask(enum sg_lock_question question, PyObject *object) {
    PyCFunction method = answers[question];
    PyObject *answer = method ? method(object, NULL) : NULL;
    if (!answer)
        PyErr_Clear();
    Py_XDECREF(answer);
    return answer == Py_True;
}

unsigned long sg_lock_calls_rlock_times_of(const struct sg_method_patch_call *acquire_restore) {
    PyObject *state = acquire_restore->args; /* METH_O: the state; METH_VARARGS: (state,) */
    if (sg_lock_calls_patches[SG_RLOCK_ACQUIRE_RESTORE].flags & METH_VARARGS)
        state = PyTuple_Size(state) == 1 ? PyTuple_GetItem(state, 0) : NULL;
    if (!state || !PyTuple_Check(state) || PyTuple_Size(state) != 2)
        return 0;
    PyObject *times = PyTuple_GetItem(state, 0), *owner = PyTuple_GetItem(state, 1);
    if (!PyLong_CheckExact(times) || !PyLong_CheckExact(owner))
        return 0;
    unsigned long n = PyLong_AsUnsignedLong(times), ident = PyLong_AsUnsignedLong(owner);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return ident == PyThread_get_thread_ident() ? n : 0;
}
