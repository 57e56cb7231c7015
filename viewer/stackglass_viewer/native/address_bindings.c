/* Python bindings that read rows of addresses and stacks of threads, number the addresses and find
 * the names of rows. */
#include "address_numbers.h"
#include "address_rows.h"
#include "bindings.h"
#include "row_names.h"
#include "thread_stacks.h"

static PyObject *export_rows(PyObject *module, struct sg_address_rows *rows) {
    struct sg_frame_comments *frames = &rows->frames;
    const struct {
        const char *name;
        struct sg_vector *column;
        enum sg_kind kind;
    } columns[] = {
        {"value", &rows->value, SG_I64},
        {"different", &rows->addresses.different, SG_U64},
        {"address", &rows->address, SG_I32},
        {"address_end", &rows->address_end, SG_I64},
        {"comment", &rows->comment, SG_I32},
        {"comment_end", &rows->comment_end, SG_I64},
        {"piece_start", &rows->pieces.start, SG_U32},
        {"piece_length", &rows->pieces.length, SG_I32},
        {"piece_address", &frames->address, SG_U64},
        {"piece_name", &frames->name, SG_I32},
        {"piece_file", &frames->file, SG_I32},
        {"piece_line", &frames->line, SG_I64},
        {"name_start", &frames->names.start, SG_U32},
        {"name_length", &frames->names.length, SG_I32},
        {"file_start", &frames->files.start, SG_U32},
        {"file_length", &frames->files.length, SG_I32},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof columns / sizeof *columns; i++)
        if (sg_export_into(module, dict, columns[i].name, columns[i].column, columns[i].kind) < 0)
            Py_CLEAR(dict);
    return dict ? Py_BuildValue("NnL", dict, (Py_ssize_t)rows->at, (long long)rows->number) : NULL;
}

static PyObject *read_rows(PyObject *module, PyObject *args) {
    PyObject *content, *callable;
    Py_ssize_t at;
    long long number;
    int form;
    struct sg_array array = {0};
    struct sg_python_progress progress;
    struct sg_address_rows rows;
    if (!PyArg_ParseTuple(args, "OnLiO:read_address_rows", &content, &at, &number, &form,
                          &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &array) < 0) {
        sg_drop(&array, 1);
        return NULL;
    }
    if (at < 0 || (size_t)at > array.n || form < 0 || form >= SG_ADDRESS_FORMS) {
        sg_drop(&array, 1);
        PyErr_SetString(PyExc_ValueError, "a place or form is out of range");
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result = sg_address_rows_read(&rows, (enum sg_address_form)form, array.buffer.buf, array.n,
                                      (size_t)at, number, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&array, 1);
    PyObject *found = NULL;
    if (result == 0)
        found = export_rows(module, &rows);
    else if (result == -1)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    sg_address_rows_free(&rows);
    return found;
}

static PyObject *export_threads(PyObject *module, struct sg_thread_stacks *stacks) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "different", &stacks->calls.different, SG_U64) < 0 ||
                 sg_export_into(module, dict, "call", &stacks->call, SG_I32) < 0 ||
                 sg_export_into(module, dict, "call_end", &stacks->call_end, SG_I64) < 0 ||
                 sg_export_into(module, dict, "count", &stacks->count, SG_I64) < 0))
        Py_CLEAR(dict);
    return dict ? Py_BuildValue("NnL", dict, (Py_ssize_t)stacks->at, (long long)stacks->number)
                : NULL;
}

static int run_threads(void *out, const unsigned char *text, size_t size, size_t at, int64_t number,
                       struct sg_progress *progress) {
    return sg_thread_stacks_read(out, text, size, at, number, progress);
}

static PyObject *read_threads(PyObject *module, PyObject *args) {
    struct sg_thread_stacks stacks = {0};
    PyObject *found = NULL;
    if (sg_read_from(args, "OnLO:read_thread_stacks", run_threads, &stacks) == 0)
        found = export_threads(module, &stacks);
    sg_thread_stacks_free(&stacks);
    return found;
}

static int number_all(struct sg_address_numbers *numbers, const uint64_t *address, size_t n,
                      struct sg_vector *number) {
    if (sg_address_numbers_init(numbers) < 0 || sg_reserve(number, n, sizeof(int32_t)) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if ((sg_i32(number)[i] = sg_address_numbers_number(numbers, address[i])) < 0)
            return -1;
    number->n = n;
    return 0;
}

static PyObject *number_addresses(PyObject *module, PyObject *object) {
    struct sg_array array = {0};
    struct sg_address_numbers addresses;
    struct sg_vector number = {0};
    if (sg_view(object, SG_U64, 0, "addresses", &array) < 0) {
        sg_drop(&array, 1);
        return NULL;
    }
    PyThreadState *saved = PyEval_SaveThread();
    int result = number_all(&addresses, array.buffer.buf, array.n, &number);
    PyEval_RestoreThread(saved);
    sg_drop(&array, 1);
    PyObject *numbers = result < 0 ? PyErr_NoMemory() : sg_export(module, &number, SG_I32);
    PyObject *all = numbers ? sg_export(module, &addresses.different, SG_U64) : NULL;
    sg_release(&number);
    sg_address_numbers_free(&addresses);
    if (!all) {
        Py_XDECREF(numbers);
        return NULL;
    }
    return Py_BuildValue("NN", all, numbers);
}

static PyObject *export_names(PyObject *module, struct sg_row_names *names) {
    PyObject *dict = PyDict_New();
    if (dict && (sg_export_into(module, dict, "call", &names->call, SG_I32) < 0 ||
                 sg_export_into(module, dict, "comment", &names->comment, SG_I32) < 0 ||
                 sg_export_into(module, dict, "n_times", &names->n_times, SG_I32) < 0 ||
                 sg_export_into(module, dict, "is_hidden", &names->is_hidden, SG_I32) < 0 ||
                 sg_export_into(module, dict, "is_kept", &names->is_kept, SG_BOOL) < 0))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *name_rows(PyObject *module, PyObject *args) {
    enum { CALL, CALL_END, COMMENT, COMMENT_END, OWN, BEFORE, N_COLUMNS };
    static const struct {
        const char *name;
        enum sg_kind kind;
    } columns[N_COLUMNS] = {
        [CALL] = {"call", SG_I32},       [CALL_END] = {"call_end", SG_I64},
        [COMMENT] = {"comment", SG_I32}, [COMMENT_END] = {"comment_end", SG_I64},
        [OWN] = {"own", SG_I32},         [BEFORE] = {"before", SG_I32},
    };
    PyObject *objects[N_COLUMNS], *found = NULL;
    Py_ssize_t n_calls;
    struct sg_array arrays[N_COLUMNS] = {0};
    if (!PyArg_ParseTuple(args, "nOOOOOO:name_rows", &n_calls, &objects[CALL], &objects[CALL_END],
                          &objects[COMMENT], &objects[COMMENT_END], &objects[OWN],
                          &objects[BEFORE]))
        return NULL;
    int is_fitting = 1;
    for (size_t i = 0; i < N_COLUMNS && is_fitting; i++)
        is_fitting = sg_view(objects[i], columns[i].kind, 0, columns[i].name, &arrays[i]) == 0;
    if (!is_fitting) {
        sg_drop(arrays, N_COLUMNS);
        return NULL;
    }
    const struct sg_named_rows rows = {
        .n_rows = arrays[CALL_END].n,
        .n_calls = n_calls < 0 ? 0 : (size_t)n_calls,
        .n_comments = arrays[OWN].n,
        .call = arrays[CALL].buffer.buf,
        .call_end = arrays[CALL_END].buffer.buf,
        .comment = arrays[COMMENT].buffer.buf,
        .comment_end = arrays[COMMENT_END].buffer.buf,
        .own = arrays[OWN].buffer.buf,
        .before = arrays[BEFORE].buffer.buf,
    };
    struct sg_row_names names = {0};
    int result = -2;
    PyThreadState *saved = PyEval_SaveThread();
    if (arrays[CALL_END].n == arrays[COMMENT_END].n && arrays[OWN].n == arrays[BEFORE].n &&
        sg_row_names_check(&rows, arrays[CALL].n, arrays[COMMENT].n) == 0)
        result = sg_row_names_find(&rows, &names);
    PyEval_RestoreThread(saved);
    sg_drop(arrays, N_COLUMNS);
    if (result == 0)
        found = export_names(module, &names);
    else if (result == -1)
        PyErr_NoMemory();
    else
        PyErr_SetString(PyExc_ValueError, "rows do not fit together");
    sg_row_names_free(&names);
    return found;
}

PyMethodDef sg_address_bindings[] = {
    {"read_address_rows", read_rows, METH_VARARGS, "Read rows of pprof's old text formats."},
    {"read_thread_stacks", read_threads, METH_VARARGS, "Read the threads of threadz."},
    {"number_addresses", number_addresses, METH_O, "Number addresses by their first use."},
    {"name_rows", name_rows, METH_VARARGS, "Find which comments name which calls."},
    {NULL, NULL, 0, NULL},
};
