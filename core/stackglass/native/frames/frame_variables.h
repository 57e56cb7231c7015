/* The variables of functions that run: of every thread, oldest first, from the outermost frame in.
 * Caller holds the GIL; nothing of the program's runs. */
#ifndef STACKGLASS_FRAMES_FRAME_VARIABLES_H
#define STACKGLASS_FRAMES_FRAME_VARIABLES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Variable `at` of `frame`, see python_frames.h; `value` is borrowed from it. */
typedef void sg_variable_fn(void *context, uintptr_t frame, Py_ssize_t at, PyObject *value);

/* Those of thread number `thread`, 0 = the oldest. False if there is none. Looked at are
 * SG_MOST_FRAMES, the innermost ones. */
enum { SG_MOST_FRAMES = 100 };
bool sg_frame_variables_visit(uint32_t thread, sg_variable_fn *visit, void *context);

/* "app.main.<locals>.lock"; malloc'ed. NULL = it is a `self`, a function of a module for which
 * `is_left_out` is true, or it cannot be told. */
char *sg_frame_variable_text(uintptr_t frame, Py_ssize_t at,
                             bool (*is_left_out)(const char *module));

#endif
