/* Bindings of custom profiles: Python code adds and removes the stacks that `custom/` counts. */
#include "bindings/method_tables.h"

#include "custom/counted_stacks.h"
#include "interpreter/python_symbols.h"

/* Items of a stack's tuple for each frame: code object, instruction, and two that only the Python
 * side reads. */
enum { STRIDE = 4 };

/* PyCode_Type, which the limited API does not declare. Guarded by the GIL. */
static const void *code_type;

static PyObject *custom_profile(PyObject *module, PyObject *arguments) {
    const char *name;
    if (!PyArg_ParseTuple(arguments, "s", &name))
        return NULL;
    return PyLong_FromLong(sg_counted_stacks_profile(name));
}

static PyObject *count_stack(PyObject *module, PyObject *arguments) {
    PyObject *codes[SG_MOST_COUNTED_FRAMES], *stack;
    int32_t lasti[SG_MOST_COUNTED_FRAMES];
    uint32_t depth = 0;
    int profile;
    if (!code_type)
        code_type = sg_python_symbols_address("PyCode_Type");
    if (!PyArg_ParseTuple(arguments, "iO", &profile, &stack))
        return NULL;
    if (!PyTuple_Check(stack) || PyTuple_Size(stack) % STRIDE) {
        PyErr_SetString(PyExc_TypeError, "a stack is a tuple of four items for each frame");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < PyTuple_Size(stack) && depth < SG_MOST_COUNTED_FRAMES;
         at += STRIDE) {
        PyObject *code = PyTuple_GetItem(stack, at);
        if ((const void *)Py_TYPE(code) != code_type) {
            PyErr_SetString(PyExc_TypeError, "a frame of a stack begins with its code object");
            return NULL;
        }
        lasti[depth] = (int32_t)PyLong_AsLong(PyTuple_GetItem(stack, at + 1));
        codes[depth++] = code;
    }
    if (PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(sg_counted_stacks_add(profile, codes, lasti, depth));
}

static PyObject *uncount_stack(PyObject *module, PyObject *slot) {
    long number = PyLong_AsLong(slot);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    sg_counted_stacks_remove((int32_t)number);
    Py_RETURN_NONE;
}

PyMethodDef sg_custom_bindings[] = {
    {"custom_profile", custom_profile, METH_VARARGS,
     "custom_profile(name): return the profile's number; -1 = there are too many, or no memory."},
    {"count_stack", count_stack, METH_VARARGS,
     "count_stack(profile, stack): add a value with this stack. Returns its slot; -1 = the value\n"
     "is lost."},
    {"uncount_stack", uncount_stack, METH_O,
     "uncount_stack(slot): remove a value from a slot; -1 = do nothing."},
    {NULL, NULL, 0, NULL},
};
