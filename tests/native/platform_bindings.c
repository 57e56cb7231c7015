/* Hash tables and files of /proc of the platform room, for tests. */
#include "tables.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "platform/futex_sleepers.h"
#include "platform/hash_index.h"
#include "platform/hash_table.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"
#include "platform/proc_files.h"
#include "platform/thread_ids.h"
#include "values.h"

struct counted {
    uint64_t key, n;
};

static PyObject *hash_table_count(PyObject *self, PyObject *keys) {
    struct sg_hash_table table = {.entry_bytes = sizeof(struct counted)};
    PyObject *rows = PyList_New(0);
    for (Py_ssize_t i = 0; rows && i < PyList_Size(keys); i++) {
        struct counted *counted =
            sg_hash_table_add(&table, PyLong_AsUnsignedLongLong(PyList_GetItem(keys, i)));
        if (counted)
            counted->n++;
    }
    const struct counted *counted;
    for (size_t place = 0; rows && (counted = sg_hash_table_next(&table, &place));)
        sg_values_append(&rows, Py_BuildValue("(KK)", (unsigned long long)counted->key,
                                              (unsigned long long)counted->n));
    sg_hash_table_free(&table);
    return rows;
}

/* Each item is its own hash; they are compared as Python compares them. */
static bool is_same(uint32_t number, const void *key) {
    PyObject *const *wanted = key; /* the list, the item */
    return PyObject_RichCompareBool(PyList_GetItem(wanted[0], number), wanted[1], Py_EQ) == 1;
}

static PyObject *hash_index_first(PyObject *self, PyObject *args) {
    PyObject *items, *positions = PyList_New(0);
    unsigned int mask;
    struct sg_hash_index index = {0};
    if (!positions || !PyArg_ParseTuple(args, "O!I:hash_index_first", &PyList_Type, &items, &mask))
        return positions;
    for (Py_ssize_t i = 0; positions && i < PyList_Size(items); i++) {
        PyObject *const wanted[] = {items, PyList_GetItem(items, i)};
        uint32_t hash = (uint32_t)PyLong_AsUnsignedLong(wanted[1]) & mask;
        uint32_t first = sg_hash_index_find(&index, hash, is_same, wanted);
        if (first == UINT32_MAX && sg_hash_index_reserve(&index))
            sg_hash_index_put(&index, hash, first = (uint32_t)i);
        sg_values_append(&positions, PyLong_FromUnsignedLong(first));
    }
    sg_hash_index_discard(&index);
    return positions;
}

/* An index that grows while a timer interrupts it anywhere: what would a child find that is forked
 * there? */
static struct {
    struct sg_hash_index index;
    int n, n_bad;
} interrupted;

static void look_at_index(int signo) {
    const struct sg_hash_index *index = &interrupted.index;
    uintptr_t start = (uintptr_t)index->entries;
    size_t size = index->capacity * sizeof *index->entries;
    char byte;
    interrupted.n++;
    interrupted.n_bad += start && size &&
                         !(sg_memory_read_probed(start, &byte, 1) &&
                           sg_memory_read_probed(start + size - 1, &byte, 1));
}

static PyObject *hash_index_interrupt(PyObject *self, PyObject *args) {
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    struct sigaction old, action = {.sa_handler = look_at_index, .sa_flags = SA_RESTART};
    int n_wanted;
    if (!PyArg_ParseTuple(args, "i:hash_index_interrupt", &n_wanted))
        return NULL;
    interrupted.n = interrupted.n_bad = 0;
    sigaction(SIGPROF, &action, &old);
    setitimer(ITIMER_PROF, &often, NULL);
    while (*(volatile int *)&interrupted.n < n_wanted) {
        for (uint32_t i = 0; i < 1 << 20 && sg_hash_index_reserve(&interrupted.index); i++)
            sg_hash_index_put(&interrupted.index, i * 0x9E3779B1u, i);
        sg_hash_index_discard(&interrupted.index);
    }
    setitimer(ITIMER_PROF, &never, NULL);
    sigaction(SIGPROF, &old, NULL);
    return Py_BuildValue("(ii)", interrupted.n, interrupted.n_bad);
}

static PyObject *status_number(PyObject *self, PyObject *args) {
    char status[SG_STATUS_BYTES];
    const char *label;
    if (!PyArg_ParseTuple(args, "s:status_number", &label))
        return NULL;
    sg_proc_files_read_status(0, status);
    return PyLong_FromUnsignedLongLong(sg_proc_files_number(status, label));
}

static PyObject *memory_read_fleeting(PyObject *self, PyObject *args) {
    unsigned long long address;
    uint32_t value;
    if (!PyArg_ParseTuple(args, "K:memory_read_fleeting", &address))
        return NULL;
    return sg_memory_read_fleeting((uintptr_t)address, &value) ? PyLong_FromUnsignedLong(value)
                                                               : sg_values_none();
}

static PyObject *memory_read_foreign(PyObject *self, PyObject *args) {
    unsigned long long address;
    uint64_t value;
    if (!PyArg_ParseTuple(args, "K:memory_read_foreign", &address))
        return NULL;
    return sg_memory_read_foreign((uintptr_t)address, &value, sizeof value)
               ? PyLong_FromUnsignedLongLong(value)
               : sg_values_none();
}

static PyObject *thread_ids_of(PyObject *self, PyObject *args) {
    unsigned long long pthread;
    if (!PyArg_ParseTuple(args, "K:thread_ids_of", &pthread) || !sg_thread_ids_prepare())
        return NULL;
    return Py_BuildValue("(iii)", sg_thread_ids_of((uintptr_t)pthread),
                         sg_thread_ids_of_living((uintptr_t)pthread),
                         sg_thread_ids_of_fleeting((uintptr_t)pthread));
}

static PyObject *calls_begin(PyObject *self, PyObject *args) {
    int given;
    if (!PyArg_ParseTuple(args, "i:calls_begin", &given))
        return NULL;
    sg_permitted_calls_begin(given);
    return sg_values_none();
}

static PyObject *calls_check(PyObject *self, PyObject *args) {
    sg_permitted_calls_check();
    return sg_values_none();
}

static PyObject *calls_check_at(PyObject *self, PyObject *args) {
    long long now_ns;
    if (!PyArg_ParseTuple(args, "L:calls_check_at", &now_ns))
        return NULL;
    sg_permitted_calls_check_at(now_ns);
    return sg_values_none();
}

static PyObject *calls_permitted(PyObject *self, PyObject *args) {
    int calls = 0;
    for (int call = 1; call & SG_CALLS_ALL; call <<= 1)
        if (sg_permitted_calls_may((enum sg_call)call))
            calls |= call;
    return PyLong_FromLong(calls);
}

static PyObject *sleepers_list(PyObject *self, PyObject *args) {
    size_t n;
    struct sg_sleeper *sleepers = sg_futex_sleepers_list(&n);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        sg_values_append(&list, PyLong_FromLong(sleepers[i].tid));
    free(sleepers);
    return list;
}

/* Constant; not const for the API's sake. */
PyMethodDef sg_platform_bindings[] = {
    {"hash_table_count", hash_table_count, METH_O, NULL},
    {"status_number", status_number, METH_VARARGS,
     "status_number(label) -> the number after a label in the thread's status"},
    {"memory_read_foreign", memory_read_foreign, METH_VARARGS,
     "(address): 8 bytes, as of another thread; None if they cannot be read."},
    {"memory_read_fleeting", memory_read_fleeting, METH_VARARGS,
     "(address): 4 bytes as a number, or None"},
    {"thread_ids_of", thread_ids_of, METH_VARARGS,
     "(pthread): its tid, as each of the three functions reads it"},
    {"sleepers_list", sleepers_list, METH_NOARGS, "The tids of all threads but the engine's."},
    {"calls_begin", calls_begin, METH_VARARGS, "(given): the attacher's mask, or -1"},
    {"calls_check", calls_check, METH_NOARGS, NULL},
    {"calls_check_at", calls_check_at, METH_VARARGS,
     "(now_ns): the check counts for 0.2 ms after that moment, which may be a later one"},
    {"calls_permitted", calls_permitted, METH_NOARGS, "The mask of the permitted calls."},
    {"hash_index_first", hash_index_first, METH_VARARGS, NULL},
    {"hash_index_interrupt", hash_index_interrupt, METH_VARARGS,
     "(n): interruptions of a growing index; of these, with memory that is not mapped."},
    {NULL, NULL, 0, NULL},
};
