/* Python values of stacks and lists. */
#include "values.h"

PyObject *sg_values_frames(const struct sg_frame *frames, uint32_t depth) {
    PyObject *stack = PyTuple_New((Py_ssize_t)depth);
    for (uint32_t i = 0; stack && i < depth; i++) {
        PyObject *frame = Py_BuildValue("(Ii)", frames[i].code, (int)frames[i].lasti);
        if (!frame || PyTuple_SetItem(stack, (Py_ssize_t)i, frame))
            Py_CLEAR(stack);
    }
    return stack;
}

void sg_values_append(PyObject **list, PyObject *item) {
    if (*list && (!item || PyList_Append(*list, item)))
        Py_CLEAR(*list);
    Py_XDECREF(item);
}
