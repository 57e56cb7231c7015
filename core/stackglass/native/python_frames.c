/* Frames and their variables: see python_frames.h. */
#include "python_frames.h"

#include "layout.h"
#include "memory.h"

enum {
    FIRST_SHIM_OWNER = 3,    /* entry frames, which stand for C code that calls Python */
    STACK_REF_TAGS = 7,      /* 3.14 and later keep flags in the low bits of references */
    MOST_FRAME_BYTES = 88,   /* up to the first variable of a small function's frame */
    MOST_OBJECT_BYTES = 368, /* likewise where frames are objects */
};

/* In a frame; 0 = not known. Guarded by the GIL. */
static int32_t first_local, globals_at;

/* ---- From frame to frame ---- */

static uintptr_t skip_shims(uintptr_t frame) {
    while (frame && sg_layout.owner >= 0 &&
           *(const uint8_t *)(frame + (uintptr_t)sg_layout.owner) >= FIRST_SHIM_OWNER)
        frame = sg_load(frame + (uintptr_t)sg_layout.previous);
    return frame;
}

static uintptr_t untag(uintptr_t reference) {
    return sg_layout.minor >= 14 ? reference & ~(uintptr_t)STACK_REF_TAGS : reference;
}

uintptr_t sg_python_frame(const void *thread) {
    uintptr_t frame = sg_load((uintptr_t)thread + (uintptr_t)sg_layout.current_frame);
    if (frame && sg_layout.cframe_frame >= 0)
        frame = sg_load(frame + (uintptr_t)sg_layout.cframe_frame);
    return skip_shims(frame);
}

uintptr_t sg_python_frame_caller(uintptr_t frame) {
    return skip_shims(sg_load(frame + (uintptr_t)sg_layout.previous));
}

PyObject *sg_python_frame_code(uintptr_t frame) {
    return (PyObject *)untag(sg_load(frame + (uintptr_t)sg_layout.code));
}

int32_t sg_python_frame_lasti(uintptr_t frame) {
    const struct sg_layout *at = &sg_layout;
    if (at->minor <= 10) {
        int32_t lasti = sg_load_int(frame + (uintptr_t)at->instruction);
        return at->minor == 10 && lasti > 0 ? lasti * 2 : lasti; /* 3.10 counts instructions */
    }
    uintptr_t first = (uintptr_t)sg_python_frame_code(frame) + (uintptr_t)at->co_adaptive;
    intptr_t lasti = (intptr_t)(sg_load(frame + (uintptr_t)at->instruction) - first);
    return lasti < 0 ? -1 : (int32_t)lasti;
}

PyObject *sg_python_frame_module(uintptr_t frame) {
    PyObject *globals = globals_at ? (PyObject *)sg_load(frame + (uintptr_t)globals_at) : NULL;
    PyObject *name =
        globals && PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : NULL;
    return name && PyUnicode_Check(name) ? name : NULL;
}

PyObject *sg_python_frame_local(uintptr_t frame, Py_ssize_t at) {
    if (!first_local)
        return NULL;
    return (PyObject *)untag(sg_load(frame + (uintptr_t)first_local + (uintptr_t)at * 8));
}

/* ---- Learning ---- */

static const char SOURCE[] = "def look(object):\n"
                             "    check()\n"
                             "look(object)\n";

static PyObject *looked_for, *module_names; /* borrowed: prepare's */

static PyObject *check(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    uintptr_t frame = sg_python_frame(PyThreadState_Get());
    int32_t most = sg_layout.minor <= 10 ? MOST_OBJECT_BYTES : MOST_FRAME_BYTES;
    for (int32_t at = 0; frame && !first_local && at < most; at += 8) {
        if (untag(sg_load(frame + (uintptr_t)at)) == (uintptr_t)looked_for)
            first_local = at;
        if (!globals_at && sg_load(frame + (uintptr_t)at) == (uintptr_t)module_names)
            globals_at = at;
    }
    Py_RETURN_NONE;
}

static PyMethodDef CHECK = {"check", check, METH_NOARGS, NULL}; /* constant */

void sg_python_frames_prepare(void) {
    if (first_local)
        return;
    PyObject *globals = PyDict_New(), *function = PyCFunction_New(&CHECK, NULL);
    PyObject *code = Py_CompileString(SOURCE, "<stackglass>", Py_file_input);
    looked_for = PyDict_New();
    module_names = globals;
    if (globals && function && code && looked_for &&
        !PyDict_SetItemString(globals, "check", function) &&
        !PyDict_SetItemString(globals, "object", looked_for))
        Py_XDECREF(PyEval_EvalCode(code, globals, globals));
    PyErr_Clear();
    if (globals)
        PyDict_Clear(globals); /* the function refers to it */
    Py_CLEAR(looked_for);
    module_names = NULL;
    Py_XDECREF(code);
    Py_XDECREF(function);
    Py_XDECREF(globals);
}
