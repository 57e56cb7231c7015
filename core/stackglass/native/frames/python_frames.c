/* Python frames: how the offsets of a frame's variables and globals are learned.
 *
 * Probe code calls a function with an object that only this file knows. Where the function's frame
 * has that object is the first variable; where it has the probe's globals are the globals. */
#include "frames/python_frames.h"

#include "interpreter/probe_code.h"

enum {
    /* How far to search a frame: the first variable lies before this in every version. */
    MOST_FRAME_BYTES = 88,
    MOST_OBJECT_BYTES = 368, /* 3.9 and 3.10, where frames are objects */
};

/* Offsets in a frame; 0 = not learned. Guarded by the GIL. */
static int32_t first_local, globals_at;

int32_t sg_python_frame_lasti(uintptr_t frame) {
    uintptr_t instruction = frame + (uintptr_t)sg_debug_offsets.instruction;
    if (sg_debug_offsets.minor <= 10)
        return sg_frame_fields_object_lasti(sg_memory_load_int(instruction));
    intptr_t lasti = sg_frame_fields_struct_lasti(sg_memory_load(instruction),
                                                  (uintptr_t)sg_python_frame_code(frame));
    return lasti < 0 ? -1 : (int32_t)lasti;
}

PyObject *sg_python_frame_module(uintptr_t frame) {
    PyObject *globals =
        globals_at ? (PyObject *)sg_memory_load(frame + (uintptr_t)globals_at) : NULL;
    PyObject *name =
        globals && PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
    return name && PyUnicode_Check(name) ? name : NULL;
}

const uint64_t *sg_python_frame_locals(uintptr_t frame) {
    return first_local ? (const uint64_t *)(frame + (uintptr_t)first_local) : NULL;
}

PyObject *sg_python_frame_local(uintptr_t frame, Py_ssize_t at) {
    const uint64_t *locals = sg_python_frame_locals(frame);
    return locals ? (PyObject *)sg_frame_fields_value(locals[at]) : NULL;
}

/* ---- Learning ---- */

static const char SOURCE[] = "def look(object):\n"
                             "    check()\n"
                             "look(object)\n";

/* The argument of the probe's function, and the probe's globals. Owned while prepare runs; guarded
 * by the GIL. */
static PyObject *argument, *globals_of_probe;

static PyObject *check(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    uintptr_t frame = sg_python_frame(PyThreadState_Get());
    int32_t most = sg_debug_offsets.minor <= 10 ? MOST_OBJECT_BYTES : MOST_FRAME_BYTES;
    for (int32_t at = 0; frame && !first_local && at < most; at += 8) {
        if (sg_frame_fields_value(sg_memory_load(frame + (uintptr_t)at)) == (uintptr_t)argument)
            first_local = at;
        if (!globals_at && sg_memory_load(frame + (uintptr_t)at) == (uintptr_t)globals_of_probe)
            globals_at = at;
    }
    Py_RETURN_NONE;
}

static PyMethodDef CHECK = {"check", check, METH_NOARGS, NULL}; /* constant */

void sg_python_frames_prepare(void) {
    if (first_local)
        return;
    argument = PyDict_New();
    globals_of_probe = PyDict_New();
    if (argument && globals_of_probe && !PyDict_SetItemString(globals_of_probe, "object", argument))
        sg_probe_code_run(SOURCE, &CHECK, globals_of_probe);
    sg_probe_code_forget(globals_of_probe);
    globals_of_probe = NULL;
    Py_CLEAR(argument);
}
