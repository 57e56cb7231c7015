/* How the offsets of a frame's variables and globals are learned. Probe code calls a function with
 * an argument that occurs nowhere else. The offset at which the function's frame has that argument
 * is the offset of the first variable; the offset at which it has the probe's globals is the offset
 * of the globals. */
#include "frames/python_frames.h"

#include "interpreter/probe_code.h"

enum {
    /* Bytes of a frame to search. In every version the first variable lies before this offset. */
    MOST_FRAME_BYTES = 88,   /* of a frame struct, 3.11 on */
    MOST_OBJECT_BYTES = 368, /* of a frame object, 3.9 and 3.10 */
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

/* The argument of the probe's function, and the probe's globals. Owned, and not NULL, while
 * sg_python_frames_prepare runs; guarded by the GIL. */
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
