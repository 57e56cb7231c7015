/* Frame variables: the local variables of running functions, by thread, from the outermost frame
 * inwards. Caller holds the GIL; no code of the program runs. */
#ifndef STACKGLASS_FRAMES_FRAME_VARIABLES_H
#define STACKGLASS_FRAMES_FRAME_VARIABLES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Gets variable `at` of `frame` (python_frames.h); `value` is borrowed from the frame. */
typedef void sg_variable_fn(void *context, uintptr_t frame, Py_ssize_t at, PyObject *value);

/* Visit the variables of thread number `thread`, 0 = the oldest, in its SG_MOST_FRAMES innermost
 * frames. False if there is no such thread. */
enum { SG_MOST_FRAMES = 100 };
bool sg_frame_variables_visit(uint32_t thread, sg_variable_fn *visit, void *context);

/* "app.main.<locals>.lock"; malloc'ed. NULL for a `self`, for a module for which `is_left_out` is
 * true, or if the name is not known. */
char *sg_frame_variable_text(uintptr_t frame, Py_ssize_t at,
                             bool (*is_left_out)(const char *module));

#endif
