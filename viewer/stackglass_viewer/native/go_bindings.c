/* Python bindings of the reader of Go's execution traces. */
#include "bindings.h"
#include "go_events.h"

static PyObject *read_go_batch(PyObject *module, PyObject *args) {
    PyObject *content, *n_arguments, *is_wanted;
    unsigned long long ticks;
    struct sg_array arrays[3] = {0};
    struct sg_go_events events = {0};
    if (!PyArg_ParseTuple(args, "OKOO:read_go_batch", &content, &ticks, &n_arguments, &is_wanted))
        return NULL;
    int result = -4; /* an error is set */
    if (sg_view(content, SG_BYTES, 0, "content", &arrays[0]) == 0 &&
        sg_view(n_arguments, SG_BYTES, 0, "n_arguments", &arrays[1]) == 0 &&
        sg_view(is_wanted, SG_BYTES, 0, "is_wanted", &arrays[2]) == 0) {
        if (arrays[1].n == 256 && arrays[2].n == 256) {
            const struct sg_go_spec spec = {arrays[1].buffer.buf, arrays[2].buffer.buf};
            PyThreadState *state = PyEval_SaveThread();
            result = sg_go_read_batch(arrays[0].buffer.buf, arrays[0].n, ticks, &spec, &events);
            PyEval_RestoreThread(state);
        } else {
            PyErr_SetString(PyExc_ValueError, "there are 256 codes of events");
        }
    }
    sg_drop(arrays, 3);
    PyObject *dict = NULL;
    if (result == -1)
        PyErr_NoMemory();
    else if (result == -2)
        PyErr_SetString(PyExc_ValueError, "a batch is cut off or has an unknown event");
    else if (result == -3)
        PyErr_SetString(PyExc_ValueError, "the time of an event has more than 64 bits");
    else if (result == 0)
        dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "kind", &events.kind, SG_BYTES) < 0 ||
                 sg_export_into(module, dict, "ticks", &events.ticks, SG_U64) < 0 ||
                 sg_export_into(module, dict, "first", &events.first, SG_U64) < 0 ||
                 sg_export_into(module, dict, "second", &events.second, SG_U64) < 0 ||
                 sg_export_into(module, dict, "third", &events.third, SG_U64) < 0))
        Py_CLEAR(dict);
    sg_go_free(&events);
    return dict;
}

/* View a table of pages, which is a tuple of keys, bases, slots, number of used keys, bytes of a
 * page, and seed. Returns 0, or -1 with an error set. */
static int view_pages(PyObject *tuple, struct sg_array *arrays, struct sg_go_pages *pages) {
    PyObject *columns[3];
    unsigned long long n_used, page_bytes, seed;
    if (!PyArg_ParseTuple(tuple, "OOOKKK", &columns[0], &columns[1], &columns[2], &n_used,
                          &page_bytes, &seed) ||
        sg_view(columns[0], SG_U64, 1, "keys", &arrays[0]) < 0 ||
        sg_view(columns[1], SG_U64, 1, "bases", &arrays[1]) < 0 ||
        sg_view(columns[2], SG_U64, 1, "slots", &arrays[2]) < 0)
        return -1;
    size_t n = arrays[0].n;
    if (n < 64 || n & (n - 1) || arrays[1].n != n || arrays[2].n != n || n_used > n / 2 ||
        !page_bytes) {
        PyErr_SetString(PyExc_ValueError, "the table of pages does not fit together");
        return -1;
    }
    *pages = (struct sg_go_pages){
        arrays[0].buffer.buf,
        arrays[1].buffer.buf,
        arrays[2].buffer.buf,
        n,
        n_used,
        page_bytes,
        seed,
    };
    return 0;
}

static PyObject *size_go_objects(PyObject *module, PyObject *args) {
    PyObject *table, *columns[4];
    unsigned long long first;
    struct sg_array arrays[7] = {0};
    struct sg_go_pages pages;
    if (!PyArg_ParseTuple(args, "O!OOOOK:size_go_objects", &PyTuple_Type, &table, &columns[0],
                          &columns[1], &columns[2], &columns[3], &first))
        return NULL;
    PyObject *result = NULL;
    if (view_pages(table, arrays, &pages) == 0 &&
        sg_view(columns[0], SG_BYTES, 1, "kind", &arrays[3]) == 0 &&
        sg_view(columns[1], SG_U64, 1, "address", &arrays[4]) == 0 &&
        sg_view(columns[2], SG_U64, 1, "size", &arrays[5]) == 0 &&
        sg_view(columns[3], SG_U32, 0, "slot", &arrays[6]) == 0) {
        size_t n = arrays[3].n;
        const struct sg_go_columns events = {
            arrays[3].buffer.buf,
            arrays[4].buffer.buf,
            arrays[5].buffer.buf,
            arrays[6].buffer.buf,
            n,
        };
        if (arrays[4].n != n || arrays[5].n != n || arrays[6].n != n || first > n) {
            PyErr_SetString(PyExc_ValueError, "columns differ in length");
        } else {
            size_t done = sg_go_size_objects(&pages, &events, (size_t)first);
            result =
                Py_BuildValue("KK", (unsigned long long)done, (unsigned long long)pages.n_used);
        }
    }
    sg_drop(arrays, 7);
    return result;
}

static PyObject *enter_go_pages(PyObject *module, PyObject *args) {
    PyObject *table, *wider;
    struct sg_array arrays[6] = {0};
    struct sg_go_pages from, to;
    if (!PyArg_ParseTuple(args, "O!O!:enter_go_pages", &PyTuple_Type, &table, &PyTuple_Type,
                          &wider))
        return NULL;
    int result = view_pages(table, arrays, &from);
    if (result == 0)
        result = view_pages(wider, arrays + 3, &to);
    if (result == 0 && (to.n_slots <= from.n_slots || to.n_used)) {
        PyErr_SetString(PyExc_ValueError, "the new table is no larger, or not empty");
        result = -1;
    }
    if (result == 0)
        sg_go_enter_pages(&from, &to);
    sg_drop(arrays, 6);
    if (result < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef sg_go_bindings[] = {
    {"read_go_batch", read_go_batch, METH_VARARGS, "Read the wanted events of a batch."},
    {"size_go_objects", size_go_objects, METH_VARARGS, "Set objects' sizes from their spans."},
    {"enter_go_pages", enter_go_pages, METH_VARARGS, "Copy a table of pages to a larger one."},
    {NULL, NULL, 0, NULL},
};
