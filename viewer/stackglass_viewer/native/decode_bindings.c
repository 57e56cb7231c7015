/* Python bindings of the pprof decoder. */
#include <sys/mman.h>

#include "bindings.h"
#include "pprof_decoder.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

#define SG_KIND_i SG_I32
#define SG_KIND_q SG_I64
#define SG_KIND_u SG_U64

static int export_columns(PyObject *module, PyObject *dict, struct sg_profile *profile) {
#define SG_EXPORT(name, kind)                                                                      \
    if (sg_export_into(module, dict, #name, &profile->name, SG_KIND_##kind) < 0)                   \
        return -1;
    SG_PROFILE_COLUMNS(SG_EXPORT)
#undef SG_EXPORT
    return 0;
}

static int export_numbers(PyObject *dict, const struct sg_profile *profile) {
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"drop_frames", profile->drop_frames},
        {"keep_frames", profile->keep_frames},
        {"default_type", profile->default_type},
        {"doc_url", profile->doc_url},
        {"period_name", profile->period_name},
        {"period_unit", profile->period_unit},
        {"time_ns", profile->time_ns},
        {"duration_ns", profile->duration_ns},
        {"period", profile->period},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        PyObject *value = PyLong_FromLongLong(numbers[i].value);
        int result = value ? PyDict_SetItemString(dict, numbers[i].name, value) : -1;
        Py_XDECREF(value);
        if (result < 0)
            return -1;
    }
    return 0;
}

static PyObject *raise(int result, const struct sg_profile *profile) {
    if (result == -1)
        PyErr_SetString(PyExc_ValueError, profile->error);
    else if (result == -2)
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_InterruptedError);
    return NULL;
}

static PyObject *decode_pprof(PyObject *module, PyObject *args) {
    PyObject *content, *callable;
    struct sg_array message = {0};
    struct sg_python_progress progress;
    struct sg_profile profile;
    if (!PyArg_ParseTuple(args, "OO:decode_pprof", &content, &callable))
        return NULL;
    if (sg_view(content, SG_BYTES, 0, "content", &message) < 0) {
        sg_drop(&message, 1);
        return NULL;
    }
    sg_init_progress(&progress, callable);
    sg_release_gil(&progress);
    int result =
        sg_pprof_decoder_decode(message.buffer.buf, message.n, &profile, &progress.progress);
    sg_take_gil(&progress);
    sg_drop(&message, 1);
    PyObject *dict = NULL;
    if (result < 0)
        raise(result, &profile);
    else if ((dict = PyDict_New()) &&
             (export_columns(module, dict, &profile) < 0 || export_numbers(dict, &profile) < 0))
        Py_CLEAR(dict);
    sg_release_profile(&profile);
    return dict;
}

/* Ask for huge pages in a range that will be written. A page fault for each 4 KiB takes a tenth of
 * the time of a reader of text. The kernel may refuse. */
static void use_huge_pages(char *begin, size_t size) {
    uintptr_t first = ((uintptr_t)begin + HUGE_PAGE_BYTES - 1) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)begin + size) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
    if (first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* Return a bytearray of `size` bytes that are not cleared; Python's bytearray(size) would write
 * zeros first. It is made empty and then resized, because PyByteArray_FromStringAndSize with a
 * size, if memory is short, frees an object that is only half initialized. */
static PyObject *allocate_content(PyObject *module, PyObject *size) {
    (void)module;
    Py_ssize_t n_bytes = PyLong_AsSsize_t(size);
    if (n_bytes == -1 && PyErr_Occurred())
        return NULL;
    PyObject *content = PyByteArray_FromStringAndSize(NULL, 0);
    if (content && PyByteArray_Resize(content, n_bytes) < 0)
        Py_CLEAR(content);
    if (content)
        use_huge_pages(PyByteArray_AsString(content), (size_t)n_bytes);
    return content;
}

PyMethodDef sg_decode_bindings[] = {
    {"allocate_content", allocate_content, METH_O, "Make a bytearray to read a file into."},
    {"decode_pprof", decode_pprof, METH_VARARGS, "Decode a pprof message into columns, by name."},
    {NULL, NULL, 0, NULL},
};
