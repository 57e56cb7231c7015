/* Columns as Python objects. An object owns the memory of a column and offers it over the buffer
 * protocol, so that numpy uses it as an array without a copy. */
#include <string.h>

#include "bindings.h"

enum { LARGE_BYTES = 1 << 20 }; /* columns from this size are freed without the GIL */

struct column_object {
    PyObject base;
    char *data;
    size_t mapped_bytes; /* as in struct sg_vector */
    Py_ssize_t shape;    /* items */
    Py_ssize_t width;    /* bytes an item */
    char format[2];
};

static const char *const FORMATS[] = {
    [SG_BYTES] = "B", [SG_I32] = "i", [SG_U32] = "I",  [SG_I64] = "q",
    [SG_U64] = "Q",   [SG_F64] = "d", [SG_BOOL] = "?",
};
static const Py_ssize_t WIDTHS[] = {
    [SG_BYTES] = 1, [SG_I32] = 4, [SG_U32] = 4,  [SG_I64] = 8,
    [SG_U64] = 8,   [SG_F64] = 8, [SG_BOOL] = 1,
};

static void column_dealloc(PyObject *self) {
    struct column_object *column = (struct column_object *)(void *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (column->shape * column->width >= LARGE_BYTES) {
        /* Freeing 100 MB takes 7 ms. Other threads may run: none has a reference to this memory. */
        char *data = column->data;
        size_t mapped_bytes = column->mapped_bytes;
        PyThreadState *saved = PyEval_SaveThread();
        sg_column_free(data, mapped_bytes);
        PyEval_RestoreThread(saved);
    } else {
        sg_column_free(column->data, column->mapped_bytes);
    }
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static int column_get_buffer(PyObject *self, Py_buffer *view, int flags) {
    struct column_object *column = (struct column_object *)(void *)self;
    static char empty; /* address of a column without items; never written, so it needs no lock */
    void *data = column->data ? column->data : &empty;
    if (PyBuffer_FillInfo(view, self, data, column->shape * column->width, 1, flags) < 0)
        return -1;
    view->itemsize = column->width;
    view->format = flags & PyBUF_FORMAT ? column->format : NULL;
    view->shape = flags & PyBUF_ND ? &column->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &column->width : NULL;
    return 0;
}

static PyType_Slot column_slots[] = {
    {Py_tp_dealloc, column_dealloc},
    {Py_bf_getbuffer, column_get_buffer},
    {0, NULL},
};

static PyType_Spec column_spec = {
    .name = "stackglass_viewer.native._loops.Column",
    .basicsize = sizeof(struct column_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = column_slots,
};

int sg_add_column_type(PyObject *module) {
    struct sg_module_state *state = PyModule_GetState(module);
    state->column_type =
        (PyTypeObject *)(void *)PyType_FromModuleAndSpec(module, &column_spec, NULL);
    if (!state->column_type)
        return -1;
    return PyModule_AddObjectRef(module, "Column", (PyObject *)(void *)state->column_type);
}

PyObject *sg_export(PyObject *module, struct sg_vector *column, enum sg_kind kind) {
    struct sg_module_state *state = PyModule_GetState(module);
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->column_type, Py_tp_alloc);
    struct column_object *object = (void *)allocate(state->column_type, 0);
    if (!object) {
        sg_release(column);
        return NULL;
    }
    if (column->capacity > column->n && column->n)
        /* On failure, the memory stays larger. */
        (void)sg_column_resize(column, column->n, (size_t)WIDTHS[kind]);
    object->data = column->data;
    object->mapped_bytes = column->mapped_bytes;
    object->shape = (Py_ssize_t)column->n;
    object->width = WIDTHS[kind];
    memcpy(object->format, FORMATS[kind], 2);
    memset(column, 0, sizeof *column);
    return (PyObject *)(void *)object;
}

int sg_export_into(PyObject *module, PyObject *dict, const char *name, struct sg_vector *column,
                   enum sg_kind kind) {
    PyObject *object = sg_export(module, column, kind);
    if (!object)
        return -1;
    int result = PyDict_SetItemString(dict, name, object);
    Py_DECREF(object);
    return result;
}
