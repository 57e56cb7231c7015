/* Reads the values of a dict from memory, by the offsets of CPython's PyDictObject and
 * PyDictKeysObject:
 *
 *     dict ─▶ keys: header │ index │ entries in order of insertion; a deleted entry has no value
 *
 * The newest entries come first, because the loop that runs now was entered last. The offsets are
 * checked on a dict of the engine's own, which grows and shrinks.
 *
 * `noted` is an open-addressing set of thread states without removal. Once it is full, every thread
 * may run tasks. */
#include "tasks/current_tasks.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    DICT_KEYS = 32,           /* PyDictObject.ma_keys; the other offsets are in PyDictKeysObject */
    LAST_MINOR_OF_SIZES = 10, /* up to 3.10 dk_size; later the logarithms */
    OLD_SIZE = 8,             /* dk_size */
    OLD_ENTRIES_USED = 32,    /* dk_nentries */
    OLD_INDICES = 40,         /* dk_indices */
    LOG_INDEX_BYTES = 9,      /* dk_log2_index_bytes */
    KIND = 10,                /* dk_kind: 0 = DICT_KEYS_GENERAL, keys of any type */
    ENTRIES_USED = 24,        /* dk_nentries */
    INDICES = 32,             /* dk_indices */
    ENTRY_BYTES = 24,         /* hash, key, value */
    ENTRY_VALUE = 16,         /* me_value */
    MOST_ENTRIES = 64,        /* entries that are read, from the newest on */
    LARGEST = 1 << 16,        /* more entries than this are taken for a misread dict */
    N_PLACES = 256,           /* threads that can be noted */
};

/* Written under the GIL, while no handler reads. */
static PyObject *dictionary; /* owned */

/* Lock-free set of thread states; 0 = free place. */
static _Atomic uintptr_t noted[N_PLACES];

/* Find the address of the entry array of `dict`, and the number `n` of its used entries. Returns
 * false if the dict cannot be read or its sizes are implausible. */
static bool find_entries(uintptr_t dict, sg_read_fn *read, uintptr_t *entries, uint64_t *n) {
    uintptr_t keys;
    uint64_t size;
    uint8_t bytes[2]; /* dk_log2_index_bytes, dk_kind */
    if (!read(dict + DICT_KEYS, &keys, sizeof keys) || !keys)
        return false;
    if (sg_debug_offsets.minor <= LAST_MINOR_OF_SIZES) {
        if (!read(keys + OLD_SIZE, &size, sizeof size) ||
            !read(keys + OLD_ENTRIES_USED, n, sizeof *n) || size > LARGEST || *n > size)
            return false;
        *entries = keys + OLD_INDICES + size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
        return true;
    }
    if (!read(keys + LOG_INDEX_BYTES, bytes, sizeof bytes) ||
        !read(keys + ENTRIES_USED, n, sizeof *n) || bytes[0] > 20 || *n > LARGEST)
        return false;
    /* keys of another kind: here this is the empty dict, as str keys are no event loops */
    if (bytes[KIND - LOG_INDEX_BYTES])
        *n = 0;
    *entries = keys + INDICES + (UINT64_C(1) << bytes[0]);
    return true;
}

static uint32_t read_values(uintptr_t dict, sg_read_fn *read, uintptr_t *values,
                            uint32_t capacity) {
    uintptr_t entries, value;
    uint64_t n;
    uint32_t n_values = 0;
    if (!find_entries(dict, read, &entries, &n))
        return 0;
    for (int i = 0; i < MOST_ENTRIES && n && n_values < capacity; i++) {
        n--;
        if (read(entries + n * ENTRY_BYTES + ENTRY_VALUE, &value, sizeof value) && value)
            values[n_values++] = value;
    }
    return n_values;
}

uint32_t sg_current_tasks_read(sg_read_fn *read, uintptr_t *tasks, uint32_t capacity) {
    return dictionary ? read_values((uintptr_t)dictionary, read, tasks, capacity) : 0;
}

/* ---- Learning ---- */

enum { N_PROBES = 12 }; /* enough for the dict to grow more than once */

static bool holds(PyObject *dict, PyObject *const *objects, int from, int to) {
    uintptr_t values[N_PROBES + 1];
    uint32_t n = read_values((uintptr_t)dict, sg_memory_read, values, N_PROBES + 1);
    if (n != (uint32_t)(to - from))
        return false;
    for (int i = from; i < to; i++)
        if (values[to - 1 - i] != (uintptr_t)objects[i])
            return false;
    return true;
}

/* Add objects, then remove half of them; after each step the remaining ones must be read, the
 * newest first. */
static bool prove(PyObject *dict, PyObject *const *objects) {
    for (int n = 0; n < N_PROBES; n++)
        if (PyDict_SetItem(dict, objects[n], objects[n]) || !holds(dict, objects, 0, n + 1))
            return false;
    for (int n = 0; n < N_PROBES / 2; n++)
        if (PyDict_DelItem(dict, objects[n]) || !holds(dict, objects, n + 1, N_PROBES))
            return false;
    return true;
}

static bool is_proven(void) {
    PyObject *dict = PyDict_New(), *objects[N_PROBES];
    bool is_made = dict != NULL;
    for (int i = 0; i < N_PROBES; i++) {
        objects[i] = PyFloat_FromDouble(i);
        is_made = is_made && objects[i];
    }
    bool is_good = is_made && prove(dict, objects);
    for (int i = 0; i < N_PROBES; i++)
        Py_XDECREF(objects[i]);
    Py_XDECREF(dict);
    PyErr_Clear();
    return is_good;
}

bool sg_current_tasks_learn(void) {
    PyObject *found = sg_python_text_global("asyncio.tasks", "_current_tasks"); /* borrowed */
    if (!found || !PyDict_CheckExact(found) || !is_proven())
        return false;
    Py_INCREF(found);
    Py_XDECREF(dictionary);
    dictionary = found;
    return true;
}

void sg_current_tasks_forget(void) {
    Py_CLEAR(dictionary);
    for (int i = 0; i < N_PLACES; i++)
        atomic_store(&noted[i], 0);
}

void sg_current_tasks_abandon(void) {
    dictionary = NULL;
    for (int i = 0; i < N_PLACES; i++)
        atomic_store(&noted[i], 0);
}

/* ---- Threads that run tasks ---- */

static bool find_place(uintptr_t thread, bool is_added) {
    for (uintptr_t i = 0; i < N_PLACES; i++) {
        _Atomic uintptr_t *place = &noted[((thread >> 6) + i) % N_PLACES];
        uintptr_t there = atomic_load_explicit(place, memory_order_relaxed);
        if (!there && (!is_added || atomic_compare_exchange_strong(place, &there, thread)))
            return is_added;
        if (there == thread)
            return true;
    }
    return true;
}

void sg_current_tasks_note(const void *thread) { find_place((uintptr_t)thread, true); }

bool sg_current_tasks_may_run(const void *thread) { return find_place((uintptr_t)thread, false); }
