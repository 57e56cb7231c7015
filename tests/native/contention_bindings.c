/* Contention, for tests. The calling Python function is the one that has waited, or released. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include "contention/contention.h"
#include "contention/ledger.h"
#include "contention/reader.h"
#include "lock_names/best_names.h"
#include "lock_names/lock_names.h"
#include "platform/random_bits.h"
#include "values.h"

enum { MOST_WAITERS = 64 };

/* ---- The session ---- */

static PyObject *prepare(PyObject *self, PyObject *args) {
    long long start_mono_ns;
    unsigned depth = 0;
    if (!PyArg_ParseTuple(args, "L|I", &start_mono_ns, &depth))
        return NULL;
    return sg_values_text(sg_contention_prepare(start_mono_ns, depth));
}

static PyObject *unprepare(PyObject *self, PyObject *args) {
    sg_contention_unprepare();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_contention_after_fork_in_child();
    return sg_values_none();
}

static PyObject *learn(PyObject *self, PyObject *args) {
    sg_contention_learn();
    return sg_values_none();
}

static PyObject *set_rates(PyObject *self, PyObject *args) {
    unsigned long long block_ns, fraction, stall_ns = 0;
    unsigned int gil_hz;
    if (!PyArg_ParseTuple(args, "KKI|K", &block_ns, &fraction, &gil_hz, &stall_ns))
        return NULL;
    sg_contention_set_rates(block_ns, fraction, gil_hz, stall_ns);
    return sg_values_none();
}

static PyObject *seed(PyObject *self, PyObject *args) {
    unsigned long long bits;
    if (!PyArg_ParseTuple(args, "K", &bits))
        return NULL;
    sg_random_bits_seed(bits);
    return sg_values_none();
}

static PyObject *claim(PyObject *self, PyObject *args) {
    int is_claimed;
    if (!PyArg_ParseTuple(args, "p", &is_claimed))
        return NULL;
    if (is_claimed)
        sg_contention_ledger_claim();
    else
        sg_contention_ledger_release();
    return sg_values_none();
}

/* ---- Records ---- */

static PyObject *take_stack(PyObject *self, PyObject *args) {
    int primitive;
    if (!PyArg_ParseTuple(args, "i", &primitive))
        return NULL;
    return PyLong_FromUnsignedLong(sg_contention_take_stack(NULL, (enum sg_primitive)primitive));
}

static PyObject *note_wait(PyObject *self, PyObject *args) {
    int kind, primitive;
    unsigned long long lock;
    long long delay_ns;
    unsigned int stack = SG_CONTENTION_OWN_STACK, labels = 0;
    unsigned long long times = 1;
    if (!PyArg_ParseTuple(args, "iiKL|IKI", &kind, &primitive, &lock, &delay_ns, &stack, &times,
                          &labels))
        return NULL;
    while (times--)
        sg_contention_record_wait((enum sg_contention_kind)kind, (enum sg_primitive)primitive,
                                  (const void *)(uintptr_t)lock, stack, labels, delay_ns);
    return sg_values_none();
}

/* A list of (stack, delay_ns). False with the exception set. */
static int read_waiters(PyObject *list, struct sg_contention_waiter *waiters, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned int stack;
        long long delay_ns;
        PyObject *waiter = PyList_GetItem(list, i); /* borrowed: the list's */
        if (!waiter || !PyArg_ParseTuple(waiter, "IL", &stack, &delay_ns))
            return 0;
        waiters[i] = (struct sg_contention_waiter){.stack = stack, .delay_ns = delay_ns};
    }
    return 1;
}

static PyObject *note_mutex(PyObject *self, PyObject *args) {
    struct sg_contention_waiter waiters[MOST_WAITERS];
    int primitive;
    unsigned long long lock, times = 1;
    PyObject *list; /* borrowed: args' */
    if (!PyArg_ParseTuple(args, "iKO!|K", &primitive, &lock, &PyList_Type, &list, &times))
        return NULL;
    Py_ssize_t n = PyList_Size(list);
    n = n < MOST_WAITERS ? n : MOST_WAITERS;
    if (!read_waiters(list, waiters, n))
        return NULL;
    while (times--)
        sg_contention_record_release((enum sg_primitive)primitive, (const void *)(uintptr_t)lock,
                                     waiters, (uint32_t)n);
    return sg_values_none();
}

static PyObject *note_gil(PyObject *self, PyObject *args) {
    struct sg_frame frames[SG_STACK_DEPTH_MOST];
    int holder;
    unsigned long long n_waits;
    long long delay_ns;
    PyObject *codes; /* borrowed: args' */
    if (!PyArg_ParseTuple(args, "iO!KL", &holder, &PyList_Type, &codes, &n_waits, &delay_ns))
        return NULL;
    Py_ssize_t depth = PyList_Size(codes);
    depth = depth < SG_STACK_DEPTH_MOST ? depth : SG_STACK_DEPTH_MOST;
    for (Py_ssize_t i = 0; i < depth; i++)
        frames[i] = (struct sg_frame){(sg_code_id)PyLong_AsLong(PyList_GetItem(codes, i)), -1};
    if (PyErr_Occurred())
        return NULL;
    sg_contention_record_gil(holder, frames, (uint32_t)depth, 0, n_waits, delay_ns);
    return sg_values_none();
}

static PyObject *lock_number(PyObject *self, PyObject *args) {
    unsigned long long address;
    int primitive;
    if (!PyArg_ParseTuple(args, "Ki", &address, &primitive))
        return NULL;
    return PyLong_FromUnsignedLong(
        sg_contention_lock((const void *)(uintptr_t)address, (enum sg_primitive)primitive));
}

static PyObject *lock_died(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K", &address))
        return NULL;
    sg_contention_lock_died((const void *)(uintptr_t)address);
    return sg_values_none();
}

/* ---- Reading ---- */

static PyObject *delays_as_dict(const double *delays) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < SG_CONTENTION_DELAYS; i++) {
        PyObject *key = delays[i] > 0 ? PyLong_FromLong(i) : NULL;
        PyObject *count = key ? PyFloat_FromDouble(delays[i]) : NULL;
        if (key && (!count || PyDict_SetItem(dict, key, count)))
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(count);
    }
    return dict;
}

static void append_bucket(void *context, const struct sg_contention_bucket *bucket) {
    sg_values_append(
        context,
        Py_BuildValue("(IiiINNddKNII)", bucket->id, (int)bucket->kind, (int)bucket->primitive,
                      bucket->lock, sg_values_frames(bucket->frames, bucket->depth),
                      sg_values_frames(bucket->other_frames, bucket->other_depth), bucket->count,
                      bucket->total_ns, (unsigned long long)bucket->max_ns,
                      delays_as_dict(bucket->delays), bucket->labels, bucket->other_labels));
}

static PyObject *read_buckets(PyObject *self, PyObject *args) {
    int only_changed = 0;
    if (!PyArg_ParseTuple(args, "|p", &only_changed))
        return NULL;
    PyObject *list = PyList_New(0);
    sg_contention_reader_read(only_changed, append_bucket, &list);
    return list;
}

static void append_event(void *context, const struct sg_contention_event *event) {
    sg_values_append(context, Py_BuildValue("(IiIdd)", event->time, (int)event->tid, event->bucket,
                                            event->count, event->ns));
}

static PyObject *events(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    sg_contention_reader_drain_events(append_event, &list);
    return list;
}

static void append_lock(void *context, const struct sg_contention_lock *lock) {
    sg_values_append(context, Py_BuildValue("(IiKi)", lock->number, (int)lock->primitive,
                                            (unsigned long long)lock->address, (int)lock->is_dead));
}

static PyObject *locks(PyObject *self, PyObject *args) {
    unsigned int first = 1;
    if (!PyArg_ParseTuple(args, "|I", &first))
        return NULL;
    PyObject *list = PyList_New(0);
    sg_contention_reader_read_locks(first, append_lock, &list);
    return list;
}

static PyObject *status(PyObject *self, PyObject *args) {
    struct sg_contention_status now;
    sg_contention_status(&now);
    return Py_BuildValue(
        "{s:i,s:K,s:K,s:I,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "is_prepared", (int)now.is_prepared,
        "block_rate_ns", (unsigned long long)now.block_rate_ns, "mutex_fraction",
        (unsigned long long)now.mutex_fraction, "gil_hz", (unsigned int)now.gil_hz, "n_events",
        (unsigned long long)now.n_events, "n_lost", (unsigned long long)now.n_lost, "n_lost_events",
        (unsigned long long)now.n_lost_events, "n_bad_walks", (unsigned long long)now.n_bad_walks,
        "n_locks", (unsigned long long)now.n_locks, "n_buckets", (unsigned long long)now.n_buckets,
        "n_stack_nodes", (unsigned long long)now.n_stack_nodes, "table_bytes",
        (unsigned long long)now.table_bytes);
}

static PyObject *primitives(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    for (int i = 0; i < SG_N_PRIMITIVES; i++) {
        enum sg_primitive primitive = (enum sg_primitive)i;
        sg_values_append(&list, Py_BuildValue("(sssI)", sg_primitive_name(primitive),
                                              sg_primitive_owner(primitive),
                                              sg_primitive_frame_name(primitive),
                                              (unsigned int)sg_primitive_frame(primitive)));
    }
    return list;
}

static PyObject *whole(PyObject *self, PyObject *args) {
    double sum;
    if (!PyArg_ParseTuple(args, "d", &sum))
        return NULL;
    return PyLong_FromUnsignedLongLong(sg_contention_reader_whole(sum));
}

static PyObject *look_for_names(PyObject *self, PyObject *args) {
    long long budget_ns;
    unsigned long long max_steps;
    if (!PyArg_ParseTuple(args, "LK", &budget_ns, &max_steps))
        return NULL;
    sg_lock_names_prepare();
    sg_lock_names_go_on(budget_ns, max_steps);
    return PyBool_FromLong(sg_lock_names_are_wanted());
}

static PyObject *lock_name(PyObject *self, PyObject *args) {
    unsigned int lock;
    if (!PyArg_ParseTuple(args, "I", &lock))
        return NULL;
    return PyUnicode_FromString(sg_best_names_get(lock));
}

static PyObject *forget_names(PyObject *self, PyObject *args) {
    sg_lock_names_abandon();
    sg_lock_names_forget();
    return sg_values_none();
}

PyMethodDef sg_contention_bindings[] = {
    {"contention_prepare", prepare, METH_VARARGS,
     "contention_prepare(start_mono_ns, depth=0): None, or why not."},
    {"contention_unprepare", unprepare, METH_NOARGS, "Undo contention_prepare."},
    {"contention_after_fork", after_fork, METH_NOARGS, "Call sg_contention_after_fork_in_child."},
    {"contention_learn", learn, METH_NOARGS, "Look for primitives of new modules."},
    {"contention_set_rates", set_rates, METH_VARARGS,
     "(block_ns, mutex_fraction, gil_hz, stall_ns=0)"},
    {"contention_seed", seed, METH_VARARGS, "contention_seed(bits): seeds the sampling."},
    {"contention_claim", claim, METH_VARARGS,
     "contention_claim(is_claimed): take or release the claim."},
    {"contention_take_stack", take_stack, METH_VARARGS, "contention_take_stack(primitive)"},
    {"contention_note_wait", note_wait, METH_VARARGS,
     "(kind, primitive, lock, delay_ns, stack=0, times=1, labels=0)"},
    {"contention_note_mutex", note_mutex, METH_VARARGS,
     "(primitive, lock, [(stack, delay_ns)], times=1)"},
    {"contention_note_gil", note_gil, METH_VARARGS, "(holder, [code id], n_waits, delay_ns)"},
    {"contention_lock", lock_number, METH_VARARGS, "contention_lock(address, primitive)"},
    {"contention_lock_died", lock_died, METH_VARARGS, "contention_lock_died(address)"},
    {"contention_read", read_buckets, METH_VARARGS, "contention_read(only_changed=False)"},
    {"contention_events", events, METH_NOARGS, "[(time, tid, bucket, count, ns)]"},
    {"contention_locks", locks, METH_VARARGS, "[(number, primitive, address, is_dead)]"},
    {"contention_status", status, METH_NOARGS, "A dict of sg_contention_status."},
    {"contention_primitives", primitives, METH_NOARGS, "[(name, owner, frame's name, code id)]"},
    {"contention_whole", whole, METH_VARARGS, "A sum as it is sent."},
    {"lock_names_go_on", look_for_names, METH_VARARGS, "(budget_ns, max_steps): is there more?"},
    {"lock_name", lock_name, METH_VARARGS, "lock_name(number): '' = none."},
    {"lock_names_forget", forget_names, METH_NOARGS, "Forget names and the search for them."},
    {NULL, NULL, 0, NULL},
};
