/* Python values that several bindings return. All calls need the GIL and return new references, or
 * NULL with the exception set. */
#ifndef STACKGLASS_TESTS_NATIVE_VALUES_H
#define STACKGLASS_TESTS_NATIVE_VALUES_H

#include <Python.h>

#include <stdint.h>

#include "frames/code_ids.h"

static inline PyObject *sg_values_none(void) { return Py_BuildValue(""); }

/* str; None for NULL. */
static inline PyObject *sg_values_text(const char *text) {
    return text ? PyUnicode_FromString(text) : sg_values_none();
}

/* ((code id, lasti), …), leaf first. */
PyObject *sg_values_frames(const struct sg_frame *frames, uint32_t depth);

/* `item` to the end of `list`, which turns NULL when something fails; takes `item` over. */
void sg_values_append(PyObject **list, PyObject *item);

#endif
