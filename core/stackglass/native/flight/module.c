/* The extension module `_flight`, for the process of a flight recorder: Python functions for a
 * fold, the state that a recording's window begins with. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "flight/fold.h"
#include "platform/export.h"

static const char NAME[] = "stackglass.fold";

static struct sg_fold *find_fold(PyObject *capsule) { return PyCapsule_GetPointer(capsule, NAME); }

static void free_fold(PyObject *capsule) { sg_fold_free(find_fold(capsule)); }

static PyObject *fold_new(PyObject *module, PyObject *none) {
    struct sg_fold *fold = sg_fold_new();
    PyObject *capsule = fold ? PyCapsule_New(fold, NAME, free_fold) : PyErr_NoMemory();
    if (fold && !capsule)
        sg_fold_free(fold);
    return capsule;
}

static PyObject *fold_add(PyObject *module, PyObject *arguments) {
    PyObject *capsule;
    const char *payload;
    Py_ssize_t size, raw_size;
    unsigned packing;
    if (!PyArg_ParseTuple(arguments, "Oy#In", &capsule, &payload, &size, &packing, &raw_size))
        return NULL;
    struct sg_fold *fold = find_fold(capsule);
    enum sg_block_decoder_result result;
    if (!fold)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        ;
        result = sg_fold_add(fold, (const uint8_t *)payload, (size_t)size, packing,
                             raw_size < 0 ? SIZE_MAX : (size_t)raw_size);
    Py_END_ALLOW_THREADS;
    if (result == SG_BLOCK_NO_MEMORY)
        return PyErr_NoMemory();
    if (result == SG_BLOCK_DAMAGED) {
        PyErr_SetString(PyExc_ValueError, "an event block is damaged");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *fold_count(PyObject *module, PyObject *capsule) {
    const struct sg_fold *fold = find_fold(capsule);
    return fold ? PyLong_FromUnsignedLongLong(sg_fold_count(fold)) : NULL;
}

static PyObject *fold_begin(PyObject *module, PyObject *capsule) {
    struct sg_fold *fold = find_fold(capsule);
    if (!fold)
        return NULL;
    if (!sg_fold_begin(fold))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *fold_take(PyObject *module, PyObject *arguments) {
    PyObject *capsule;
    long long time_ns;
    int n_events;
    const struct sg_trace_payload *payload = NULL;
    if (!PyArg_ParseTuple(arguments, "OL", &capsule, &time_ns))
        return NULL;
    struct sg_fold *fold = find_fold(capsule);
    if (!fold)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        ;
        n_events = sg_fold_take(fold, time_ns, &payload);
    Py_END_ALLOW_THREADS;
    if (n_events < 0)
        return PyErr_NoMemory();
    if (!n_events)
        Py_RETURN_NONE;
    return Py_BuildValue("iIIy#", n_events, payload->packing, payload->raw_bytes,
                         (const char *)payload->bytes.bytes, (Py_ssize_t)payload->bytes.size);
}

static PyObject *fold_end(PyObject *module, PyObject *capsule) {
    struct sg_fold *fold = find_fold(capsule);
    if (!fold)
        return NULL;
    sg_fold_end(fold);
    Py_RETURN_NONE;
}

/* Never changed; not const, because the API takes a pointer to a non-const table. */
static PyMethodDef functions[] = {
    {"fold_new", fold_new, METH_NOARGS, "fold_new(): return an empty fold."},
    {"fold_add", fold_add, METH_VARARGS,
     "fold_add(fold, payload, packing, raw_bytes): apply an event block."},
    {"fold_count", fold_count, METH_O, "fold_count(fold): return the number of live blocks."},
    {"fold_begin", fold_begin, METH_O, "fold_begin(fold): begin a snapshot."},
    {"fold_take", fold_take, METH_VARARGS,
     "fold_take(fold, time_ns): return the snapshot's next block, or None."},
    {"fold_end", fold_end, METH_O, "fold_end(fold): end the snapshot."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

/* Only the interpreter changes this structure, with the GIL held. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_flight",
    .m_doc = "The state that a flight recorder's window begins with; see _flight.pyi.",
    .m_methods = functions,
    .m_slots = slots,
};

SG_EXPORT PyObject *PyInit__flight(void);

PyObject *PyInit__flight(void) { return PyModuleDef_Init(&definition); }
