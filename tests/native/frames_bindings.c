/* Offsets of interpreters, code objects, names of functions and thread states, for tests. */
#define PY_SSIZE_T_CLEAN
#include "tables.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frames/code_ids.h"
#include "frames/code_info.h"
#include "frames/module_names.h"
#include "frames/pseudo_frames.h"
#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "values.h"

static PyObject *layout_as_dict(const struct sg_debug_offsets *at) {
    const struct {
        const char *name;
        int32_t offset;
    } fields[] = {
        {"minor", at->minor},
        {"current_frame", at->current_frame},
        {"cframe_frame", at->cframe_frame},
        {"thread_id", at->thread_id},
        {"native_thread_id", at->native_thread_id},
        {"thread_interp", at->thread_interp},
        {"thread_status", at->thread_status},
        {"base_frame", at->base_frame},
        {"thread_bytes", at->thread_bytes},
        {"datastack_chunk", at->datastack_chunk},
        {"previous", at->previous},
        {"code", at->code},
        {"instruction", at->instruction},
        {"owner", at->owner},
        {"frame_bytes", at->frame_bytes},
        {"co_filename", at->co_filename},
        {"co_name", at->co_name},
        {"co_qualname", at->co_qualname},
        {"co_firstlineno", at->co_firstlineno},
        {"co_linetable", at->co_linetable},
        {"co_firsttraceable", at->co_firsttraceable},
        {"co_adaptive", at->co_adaptive},
        {"gc_collecting", at->gc_collecting},
        {"interp_gil", at->interp_gil},
        {"gc_garbage", at->gc_garbage},
        {"interp_next", at->interp_next},
        {"interp_threads", at->interp_threads},
        {"ascii_data", at->ascii_data},
        {"compact_data", at->compact_data},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof fields / sizeof *fields; i++) {
        PyObject *offset = PyLong_FromLong(fields[i].offset);
        if (!offset || PyDict_SetItemString(dict, fields[i].name, offset))
            Py_CLEAR(dict);
        Py_XDECREF(offset);
    }
    return dict;
}

static PyObject *layout_for(PyObject *self, PyObject *args) {
    int minor;
    const char *bytes = NULL;
    Py_ssize_t n_bytes = 0;
    struct sg_debug_offsets layout;
    if (!PyArg_ParseTuple(args, "i|y#", &minor, &bytes, &n_bytes))
        return NULL;
    if (bytes && n_bytes < SG_DEBUG_OFFSETS_BYTES) {
        PyErr_SetString(PyExc_ValueError, "debug offsets are 888 bytes long");
        return NULL;
    }
    const char *problem = sg_debug_offsets_find(minor, (const uint8_t *)bytes, &layout);
    return problem ? PyUnicode_FromString(problem) : layout_as_dict(&layout);
}

static PyObject *own_layout(PyObject *self, PyObject *args) {
    return layout_as_dict(&sg_debug_offsets);
}

static PyObject *info_as_tuple(const struct sg_code_info *info) {
    return Py_BuildValue("(sssiy#)", info->name, info->qualname, info->filename,
                         (int)info->first_line, info->line_table,
                         (Py_ssize_t)info->line_table_size);
}

static PyObject *code_info(PyObject *self, PyObject *code) {
    struct sg_code_info info;
    if ((const void *)Py_TYPE(code) != sg_python_symbols.code_type) {
        PyErr_SetString(PyExc_TypeError, "not a code object, or not prepared");
        return NULL;
    }
    if (sg_code_info_copy(code, &info))
        return PyErr_NoMemory();
    PyObject *tuple = info_as_tuple(&info);
    sg_code_info_free(&info);
    return tuple;
}

static PyObject *code_lines(PyObject *self, PyObject *args) {
    PyObject *code;
    int step, end;
    struct sg_code_info info;
    if (!PyArg_ParseTuple(args, "Oii", &code, &step, &end))
        return NULL;
    if ((const void *)Py_TYPE(code) != sg_python_symbols.code_type || step < 1) {
        PyErr_SetString(PyExc_TypeError, "not a code object, or not prepared");
        return NULL;
    }
    if (sg_code_info_copy(code, &info))
        return PyErr_NoMemory();
    PyObject *lines = PyList_New(0);
    for (int lasti = 0; lines && lasti < end; lasti += step) {
        PyObject *line = PyLong_FromLong(sg_code_info_line(&info, lasti, sg_python_symbols.minor));
        if (!line || PyList_Append(lines, line))
            Py_CLEAR(lines);
        Py_XDECREF(line);
    }
    sg_code_info_free(&info);
    return lines;
}

static PyObject *code_id(PyObject *self, PyObject *code) {
    if (!sg_code_ids_is_alive(code)) {
        PyErr_SetString(PyExc_TypeError, "not a code object");
        return NULL;
    }
    return PyLong_FromUnsignedLong(sg_code_ids_intern(code));
}

static PyObject *code_alive(PyObject *self, PyObject *args) {
    unsigned int id;
    if (!PyArg_ParseTuple(args, "I", &id))
        return NULL;
    PyObject *code = sg_code_ids_alive(id); /* borrowed from the program */
    if (!code)
        return sg_values_none();
    Py_INCREF(code);
    return code;
}

static PyObject *code_tombstones(PyObject *self, PyObject *args) {
    PyObject *list = PyList_New(0);
    for (struct sg_tombstone *tombstone = sg_code_ids_take_tombstones(); tombstone;) {
        struct sg_tombstone *next = tombstone->next;
        PyObject *info = list ? info_as_tuple(&tombstone->info) : NULL;
        PyObject *pair = info ? Py_BuildValue("(IN)", tombstone->id, info) : NULL;
        if (list && (!pair || PyList_Append(list, pair)))
            Py_CLEAR(list);
        Py_XDECREF(pair);
        sg_code_ids_free_tombstone(tombstone);
        tombstone = next;
    }
    return list;
}

static PyObject *pseudo_name(PyObject *self, PyObject *args) {
    unsigned int id;
    if (!PyArg_ParseTuple(args, "I", &id))
        return NULL;
    return sg_values_text(sg_pseudo_frames_name(id));
}

static PyObject *full_name(PyObject *self, PyObject *args) {
    struct sg_paths paths = {0};
    PyObject *list;
    const char *main_file, *filename, *qualname;
    if (!PyArg_ParseTuple(args, "O!zss", &PyTuple_Type, &list, &main_file, &filename, &qualname))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(list); i++) {
        char *path = sg_python_text_copy(PyTuple_GetItem(list, i));
        if (path)
            sg_module_names_add_path(&paths, path);
        free(path);
    }
    paths.main_file = main_file ? strdup(main_file) : NULL;
    char *name = sg_module_names_full_name(&paths, filename, qualname);
    PyObject *result = name ? PyUnicode_FromString(name) : PyErr_NoMemory();
    free(name);
    sg_module_names_free(&paths);
    return result;
}

static PyObject *read_attribute(PyObject *self, PyObject *args) {
    PyObject *object, *(*read)(PyObject *, const char *);
    const char *name, *how;
    if (!PyArg_ParseTuple(args, "Oss", &object, &name, &how))
        return NULL;
    read = !strcmp(how, "plain")  ? sg_python_text_plain_attribute
           : !strcmp(how, "call") ? sg_python_text_call
                                  : sg_python_text_attribute;
    PyObject *value = read(object, name);
    return value ? value : sg_values_text(NULL);
}

static void *freed_state;

static void *get_freed_state(void) { return freed_state; }

/* Up to 3.11, another thread has the GIL, and frees its state before that can be looked at. */
static PyObject *gil_holder_frees_its_state(PyObject *self, PyObject *args) {
    enum { SIZE = 1 << 16 };
    void *(*current)(void) = sg_calling_thread_current;
    freed_state = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (freed_state == MAP_FAILED)
        return PyErr_NoMemory();
    sg_calling_thread_current = get_freed_state;
    bool has_gil = sg_calling_thread_with_gil() != NULL;
    sg_calling_thread_current = current;
    munmap(freed_state, SIZE);
    return PyBool_FromLong(has_gil);
}

PyMethodDef sg_frames_bindings[] = {
    {"layout_for", layout_for, METH_VARARGS, "layout_for(minor, debug_offsets=None) -> dict | str"},
    {"cpu_layout", own_layout, METH_NOARGS, "The layout in use, once prepared."},
    {"code_info", code_info, METH_O, "(name, qualname, filename, first_line, line_table)"},
    {"code_lines", code_lines, METH_VARARGS,
     "code_lines(code, step, end): lines of lasti 0, step …"},
    {"code_id", code_id, METH_O, "The number of a code object."},
    {"code_alive", code_alive, METH_VARARGS, "The code object of a number, or None."},
    {"code_tombstones", code_tombstones, METH_NOARGS, "[(id, info)] of the dead, newest first."},
    {"pseudo_name", pseudo_name, METH_VARARGS, "The name of a frame that is no code, or None."},
    {"full_name", full_name, METH_VARARGS, "full_name(paths, main_file, filename, qualname)"},
    {"gil_holder_frees_its_state", gil_holder_frees_its_state, METH_NOARGS,
     "see _core_testing.pyi"},
    {"read_attribute", read_attribute, METH_VARARGS, "read_attribute(object, name, how)"},
    {NULL, NULL, 0, NULL},
};
