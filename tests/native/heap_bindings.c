/* The heap profiler, for tests. What these functions allocate is not sampled. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include "heap/capture.h"
#include "heap/heap.h"
#include "heap/ledger.h"
#include "heap/native_blocks.h"
#include "heap/reader.h"
#include "heap/sampling.h"
#include "platform/engine_threads.h"
#include "values.h"

/* ---- The session ---- */

static PyObject *prepare(PyObject *self, PyObject *args) {
    long long start_mono_ns;
    unsigned depth = 0;
    if (!PyArg_ParseTuple(args, "L|I", &start_mono_ns, &depth))
        return NULL;
    return sg_values_text(sg_heap_prepare(start_mono_ns, depth));
}

static PyObject *unprepare(PyObject *self, PyObject *args) {
    sg_heap_unprepare();
    return sg_values_none();
}

static PyObject *set_rate(PyObject *self, PyObject *args) {
    unsigned long long rate;
    if (!PyArg_ParseTuple(args, "K", &rate))
        return NULL;
    sg_heap_set_rate(rate);
    return sg_values_none();
}

static PyObject *maintain(PyObject *self, PyObject *args) {
    sg_heap_maintain();
    return sg_values_none();
}

static PyObject *check_hooks(PyObject *self, PyObject *args) {
    return PyBool_FromLong(sg_heap_check_hooks());
}

static PyObject *adopt(PyObject *self, PyObject *args) {
    sg_engine_threads_begin_exempt();
    return sg_values_none();
}

static PyObject *disown(PyObject *self, PyObject *args) {
    sg_engine_threads_end_exempt();
    return sg_values_none();
}

static PyObject *after_fork(PyObject *self, PyObject *args) {
    sg_engine_threads_forget();
    sg_heap_after_fork_in_child();
    return sg_values_none();
}

/* ---- Reading ---- */

/* `read` fills the list of its context. */
static PyObject *collect(void (*read)(PyObject **list)) {
    bool is_begun = sg_engine_threads_begin_exempt();
    PyObject *list = PyList_New(0);
    read(&list);
    if (is_begun)
        sg_engine_threads_end_exempt();
    return list;
}

static PyObject *sums_as_tuple(const struct sg_heap_sums *sums) {
    return Py_BuildValue("(KKKK)", (unsigned long long)sums->allocs,
                         (unsigned long long)sums->alloc_bytes, (unsigned long long)sums->frees,
                         (unsigned long long)sums->free_bytes);
}

static void append_bucket(void *context, const struct sg_heap_bucket *bucket) {
    PyObject *stack = sg_values_frames(bucket->frames, bucket->depth);
    sg_values_append(context,
                     stack ? Py_BuildValue("(IiKKNNNI)", bucket->id, (int)bucket->kind,
                                           (unsigned long long)bucket->rate,
                                           (unsigned long long)bucket->size, stack,
                                           sums_as_tuple(&bucket->live),
                                           sums_as_tuple(&bucket->as_of_full), bucket->labels)
                           : NULL);
}

/* Record so many blocks of 64 bytes at one stack, each under a label set of its own, from 1 on. */
static PyObject *fill_labels(PyObject *self, PyObject *args) {
    const struct sg_frame frame = {SG_NATIVE, -1};
    unsigned int n;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    struct sg_heap_moment moment = sg_heap_capture_moment();
    for (uint32_t i = 1; i <= n; i++) {
        struct sg_heap_alloc alloc = {
            .address = UINT64_C(0x100000000) + 64 * (uint64_t)i,
            .size = 64,
            .rate = 1,
            .kind = SG_HEAP_NATIVE,
            .labels = i,
        };
        sg_heap_ledger_alloc_at(&moment, &alloc, &frame, 1);
    }
    return sg_values_none();
}

static void read_all(PyObject **list) { sg_heap_reader_read(false, append_bucket, list); }
static void read_changed(PyObject **list) { sg_heap_reader_read(true, append_bucket, list); }

static PyObject *read_buckets(PyObject *self, PyObject *args) {
    int only_changed = 0;
    if (!PyArg_ParseTuple(args, "|p", &only_changed))
        return NULL;
    return collect(only_changed ? read_changed : read_all);
}

static void append_block(void *context, const struct sg_heap_block *block) {
    sg_values_append(context, Py_BuildValue("(KKI)", (unsigned long long)block->address,
                                            (unsigned long long)block->size, block->bucket));
}

static void read_live(PyObject **list) { sg_heap_reader_read_blocks(append_block, list); }

static PyObject *blocks(PyObject *self, PyObject *args) { return collect(read_live); }

static void append_event(void *context, const struct sg_heap_event *event) {
    sg_values_append(context, Py_BuildValue("(IiIIKi)", event->time, (int)event->tid, event->bucket,
                                            event->count, (unsigned long long)event->bytes,
                                            (int)event->is_free));
}

static void drain_events(PyObject **list) { sg_heap_reader_drain_events(append_event, list); }

static PyObject *events(PyObject *self, PyObject *args) { return collect(drain_events); }

static void append_collection(void *context, const struct sg_heap_collection *collection) {
    sg_values_append(context,
                     Py_BuildValue("(LKIiKK)", (long long)collection->start_mono_ns,
                                   (unsigned long long)collection->pause_ns, collection->generation,
                                   (int)collection->tid, (unsigned long long)collection->collected,
                                   (unsigned long long)collection->uncollectable));
}

static void drain_collections(PyObject **list) {
    sg_heap_reader_drain_collections(append_collection, list);
}

static PyObject *collections(PyObject *self, PyObject *args) { return collect(drain_collections); }

static PyObject *status(PyObject *self, PyObject *args) {
    struct sg_heap_status now;
    sg_heap_status(&now);
    const struct {
        const char *name;
        unsigned long long value;
    } fields[] = {
        {"is_hooked", now.is_hooked},
        {"rate", now.rate},
        {"n_samples", now.n_samples},
        {"n_lost", now.n_lost},
        {"n_lost_frees", now.n_lost_frees},
        {"n_lost_events", now.n_lost_events},
        {"n_bad_walks", now.n_bad_walks},
        {"n_displaced", now.n_displaced},
        {"n_blocks", now.n_blocks},
        {"n_buckets", now.n_buckets},
        {"n_stack_nodes", now.n_stack_nodes},
        {"table_bytes", now.table_bytes},
        {"n_full", now.n_full},
        {"full_mono_ns", (unsigned long long)now.full_mono_ns},
        {"is_listening_to_gc", now.is_listening_to_gc},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof fields / sizeof *fields; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(fields[i].value);
        if (!value || PyDict_SetItemString(dict, fields[i].name, value))
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* ---- Its parts ---- */

static PyObject *draw(PyObject *self, PyObject *args) {
    unsigned long long rate;
    if (!PyArg_ParseTuple(args, "K", &rate))
        return NULL;
    return PyLong_FromUnsignedLongLong(sg_heap_sampling_draw(rate));
}

static PyObject *size_class(PyObject *self, PyObject *args) {
    unsigned long long size;
    if (!PyArg_ParseTuple(args, "K", &size))
        return NULL;
    uint32_t found = sg_heap_sampling_size_class(size);
    return Py_BuildValue("(IK)", found, (unsigned long long)sg_heap_sampling_class_size(found));
}

static PyObject *note_malloc(PyObject *self, PyObject *args) {
    unsigned long long address, size;
    if (!PyArg_ParseTuple(args, "KK", &address, &size))
        return NULL;
    sg_native_blocks_malloc((const void *)(uintptr_t)address, size);
    return sg_values_none();
}

static PyObject *note_free(PyObject *self, PyObject *args) {
    unsigned long long address;
    if (!PyArg_ParseTuple(args, "K", &address))
        return NULL;
    sg_native_blocks_free((const void *)(uintptr_t)address);
    return sg_values_none();
}

static PyObject *note_realloc(PyObject *self, PyObject *args) {
    unsigned long long old, new, size;
    if (!PyArg_ParseTuple(args, "KKK", &old, &new, &size))
        return NULL;
    struct sg_heap_taken taken = sg_native_blocks_realloc((const void *)(uintptr_t)old);
    sg_native_blocks_realloced(&taken, (const void *)(uintptr_t) new, size);
    return sg_values_none();
}

static PyObject *entries(PyObject *self, PyObject *args) {
    return Py_BuildValue("(KK)", (unsigned long long)(uintptr_t)sg_native_blocks_malloc,
                         (unsigned long long)(uintptr_t)sg_native_blocks_free);
}

static PyObject *claim(PyObject *self, PyObject *args) {
    int is_claimed;
    if (!PyArg_ParseTuple(args, "p", &is_claimed))
        return NULL;
    if (is_claimed)
        sg_heap_ledger_claim();
    else
        sg_heap_ledger_release();
    return sg_values_none();
}

PyMethodDef sg_heap_bindings[] = {
    {"heap_fill_labels", fill_labels, METH_VARARGS,
     "heap_fill_labels(n): records n blocks, each under another label set."},
    {"heap_prepare", prepare, METH_VARARGS,
     "heap_prepare(start_mono_ns, depth=0): None, or why not."},
    {"heap_unprepare", unprepare, METH_NOARGS, "Undo heap_prepare."},
    {"heap_set_rate", set_rate, METH_VARARGS, "heap_set_rate(bytes)"},
    {"heap_maintain", maintain, METH_NOARGS, "Call sg_heap_maintain."},
    {"heap_check_hooks", check_hooks, METH_NOARGS,
     "False if the hooks had been removed; then hooks again."},
    {"heap_adopt", adopt, METH_NOARGS, "Do not sample allocations of the calling thread."},
    {"heap_disown", disown, METH_NOARGS, "Sample the calling thread's allocations again."},
    {"heap_after_fork", after_fork, METH_NOARGS, "Call sg_heap_after_fork_in_child."},
    {"heap_read", read_buckets, METH_VARARGS, "heap_read(only_changed=False) -> [bucket]"},
    {"heap_blocks", blocks, METH_NOARGS, "[(address, size, bucket)] of live samples."},
    {"heap_events", events, METH_NOARGS, "[(time, tid, bucket, count, bytes, is_free)]"},
    {"heap_collections", collections, METH_NOARGS, "[collection]"},
    {"heap_status", status, METH_NOARGS, "A dict of sg_heap_status."},
    {"heap_draw", draw, METH_VARARGS, "heap_draw(rate): bytes to the next sample."},
    {"heap_size_class", size_class, METH_VARARGS, "(class, largest size of the class) of a size."},
    {"heap_note_malloc", note_malloc, METH_VARARGS, "heap_note_malloc(address, size)"},
    {"heap_note_free", note_free, METH_VARARGS, "heap_note_free(address)"},
    {"heap_note_realloc", note_realloc, METH_VARARGS, "heap_note_realloc(old, new, size)"},
    {"heap_entries", entries, METH_NOARGS, "Addresses of sg_native_blocks_malloc and _free."},
    {"heap_claim", claim, METH_VARARGS, "heap_claim(is_claimed): take or release the claim."},
    {NULL, NULL, 0, NULL},
};
