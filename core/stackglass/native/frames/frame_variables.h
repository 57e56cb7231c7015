/* Frame variables: visits the local variables of running functions, thread by thread, from the
 * outermost frame inwards. The caller holds the GIL; no code of the program runs. */
#ifndef STACKGLASS_FRAMES_FRAME_VARIABLES_H
#define STACKGLASS_FRAMES_FRAME_VARIABLES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Receives the `value` of variable number `at` of `frame` (python_frames.h), borrowed from the
 * frame. */
typedef void sg_variable_fn(void *context, uintptr_t frame, Py_ssize_t at, PyObject *value);

/* Visit the variables of the SG_MOST_FRAMES innermost frames of thread number `thread`, 0 = the
 * oldest: of each frame the first 200, without those that belong to closures. Returns false if
 * there is no such thread. */
enum { SG_MOST_FRAMES = 100 };
bool sg_frame_variables_visit(uint32_t thread, sg_variable_fn *visit, void *context);

/* Return the name of variable number `at` of `frame`, such as "app.main.<locals>.lock", malloc'ed.
 * Returns NULL for a variable called `self`, for a module for which `is_left_out` is true, or if
 * the name is not known. */
char *sg_frame_variable_text(uintptr_t frame, Py_ssize_t at,
                             bool (*is_left_out)(const char *module));

#endif
