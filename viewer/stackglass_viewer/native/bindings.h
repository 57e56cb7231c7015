/* What the bindings of the loops share: views of arrays, columns as objects, progress. */
#ifndef SG_BINDINGS_H
#define SG_BINDINGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "column.h"
#include "progress.h"

/* What the items of an array are, by the letters of the struct module that numpy may use. */
enum sg_kind { SG_BYTES, SG_I32, SG_U32, SG_I64, SG_U64, SG_F64, SG_BOOL };

/* An array of the caller's for the time of a call. The buffer holds a reference to its owner. */
struct sg_array {
    Py_buffer buffer;
    size_t n; /* items */
};

/* View `object` as a contiguous array. 0, or -1 with a TypeError or ValueError naming `name`. */
int sg_view(PyObject *object, enum sg_kind kind, int is_writable, const char *name,
            struct sg_array *array);

/* Release `n` arrays; those never viewed are zeroed and left alone. */
void sg_drop(struct sg_array *arrays, size_t n);

/* A new object with a column's items, read-only, over the buffer protocol. The column is empty
 * afterwards, even if this fails with NULL. */
PyObject *sg_export(PyObject *module, struct sg_vector *column, enum sg_kind kind);

/* Put a column into a dict under a name. 0, or -1 with an error set. */
int sg_export_into(PyObject *module, PyObject *dict, const char *name, struct sg_vector *column,
                   enum sg_kind kind);

/* Progress reported to a Python callable of one float: falsy = stop. Made with the GIL held; runs
 * between sg_release_gil and sg_take_gil. */
struct sg_python_progress {
    struct sg_progress progress; /* first: the loops see only this */
    PyObject *callable;          /* borrowed from the call's arguments */
    PyThreadState *state;        /* this thread's, saved while the GIL is released */
    int is_stopped;              /* the callable said so, or raised */
};

void sg_init_progress(struct sg_python_progress *progress, PyObject *callable);
void sg_release_gil(struct sg_python_progress *progress);
void sg_take_gil(struct sg_python_progress *progress);

struct sg_module_state {
    PyTypeObject *column_type; /* owned by the module; set once as it is made */
};

/* Make the type of columns and keep it in the module's state. */
int sg_add_column_type(PyObject *module);

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

#endif
