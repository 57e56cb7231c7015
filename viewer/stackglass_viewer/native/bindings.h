/* What all bindings share: views of Python's arrays, columns as Python objects, and progress. */
#ifndef SG_BINDINGS_H
#define SG_BINDINGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "column.h"
#include "progress.h"

/* Headers of 3.12 and newer do not raise the count of None, which 3.11 needs: a library that they
 * build runs there, too. */
#undef Py_RETURN_NONE
#define Py_RETURN_NONE return Py_IncRef(Py_None), Py_None

/* Type of an array's items. Views are checked against the buffer's struct format letter. */
enum sg_kind { SG_BYTES, SG_I32, SG_U32, SG_I64, SG_U64, SG_F64, SG_BOOL };

/* View of an array that the caller passed, for the time of one call. The buffer keeps a reference
 * to the array. */
struct sg_array {
    Py_buffer buffer;
    size_t n; /* items */
};

/* View `object` as a contiguous array of `kind`. Returns 0, or -1 with an error set; the TypeError
 * for items of another kind names `name`. Drop `array` in either case. */
int sg_view(PyObject *object, enum sg_kind kind, int is_writable, const char *name,
            struct sg_array *array);

/* Release `n` views. An array that was never viewed must be zeroed and is skipped. */
void sg_drop(struct sg_array *arrays, size_t n);

/* Return a new object that offers a column's items, read-only, over the buffer protocol, or NULL
 * with an error set. The column is empty afterwards in either case. */
PyObject *sg_export(PyObject *module, struct sg_vector *column, enum sg_kind kind);

/* Export a column into `dict` under `name`. Returns 0, or -1 with an error set. */
int sg_export_into(PyObject *module, PyObject *dict, const char *name, struct sg_vector *column,
                   enum sg_kind kind);

/* Progress that calls a Python callable with a float from 0 to 1; a falsy answer stops the loop.
 * Initialize it with the GIL held. The loop runs between sg_release_gil and sg_take_gil. */
struct sg_python_progress {
    struct sg_progress progress; /* first: the loops see only this */
    PyObject *callable;          /* borrowed from the call's arguments */
    PyThreadState *state;        /* of the calling thread, saved while the GIL is released */
    int is_stopped;              /* the callable returned a falsy value or raised */
};

void sg_init_progress(struct sg_python_progress *progress, PyObject *callable);
void sg_release_gil(struct sg_python_progress *progress);
void sg_take_gil(struct sg_python_progress *progress);

/* A loop that reads `size` bytes of text from the place `at`, behind line `number`. Returns 0, -1
 * if memory is short, or another number if it was stopped. */
typedef int sg_read_from_fn(void *out, const unsigned char *text, size_t size, size_t at,
                            int64_t number, struct sg_progress *progress);
/* Run such a loop with the arguments (content, at, number, progress) of a binding; `format` is for
 * PyArg_ParseTuple. `out` is zeroed, and stays so if the loop is not run. Returns 0, or -1 with an
 * error set. */
int sg_read_from(PyObject *args, const char *format, sg_read_from_fn *read, void *out);

struct sg_module_state {
    PyTypeObject *column_type; /* strong reference; set once, when the module is created */
};

/* Make the type of columns and keep it in the module's state. Returns 0, or -1 with an error. */
int sg_add_column_type(PyObject *module);

/* Make the type of texts. Returns 0, or -1 with an error. */
int sg_add_texts_type(PyObject *module);

extern PyMethodDef sg_decode_bindings[];
extern PyMethodDef sg_tree_bindings[];
extern PyMethodDef sg_flame_bindings[];
extern PyMethodDef sg_heap_bindings[];
extern PyMethodDef sg_time_bindings[];
extern PyMethodDef sg_event_bindings[];
extern PyMethodDef sg_memory_bindings[];
extern PyMethodDef sg_go_bindings[];
extern PyMethodDef sg_perf_bindings[];
extern PyMethodDef sg_json_bindings[];
extern PyMethodDef sg_text_bindings[];
extern PyMethodDef sg_callgrind_bindings[];
extern PyMethodDef sg_address_bindings[];
extern PyMethodDef sg_dump_bindings[];
extern PyMethodDef sg_massif_bindings[];

#endif
