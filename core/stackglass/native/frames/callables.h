/* Callables: finds the machine code behind Python functions of Cython, pybind11 and nanobind, and
 * the names that Python has for it.
 *
 *     Cython     the function object: PyMethodDef ─▶ code; __qualname__, __code__ ─▶ file, line
 *     pybind11   PyCFunction ─▶ self: record ─▶ name, code of each overload
 *     nanobind   nb_func: a record for each overload ─▶ name, code
 *
 * pybind11 and nanobind call every function through one dispatcher, so the dispatcher's symbol does
 * not say which function runs. The code that a record refers to belongs to one function only. The
 * dispatcher itself is reported as "pybind11 dispatcher" or "nanobind dispatcher". No code of the
 * program runs. The caller holds the GIL. */
#ifndef STACKGLASS_FRAMES_CALLABLES_H
#define STACKGLASS_FRAMES_CALLABLES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Does the caller look for the function that starts at the address `code`? */
typedef bool sg_callable_wanted_fn(void *context, uintptr_t code);
/* Receives a wanted function: its `name`, such as "Vec.norm", and where it is defined (`file` ""
 * and `line` 0 = not known). The texts are borrowed for the call. */
typedef void sg_callable_found_fn(void *context, uintptr_t code, const char *name, const char *file,
                                  int32_t line);

struct sg_callable_search {
    sg_callable_wanted_fn *wanted;
    sg_callable_found_fn *found;
    void *context;
};

/* Report the functions behind `value`, which is the attribute `name` of the class `owner`, or of a
 * module if `owner` is "". */
void sg_callables_see(const struct sg_callable_search *search, PyObject *value, const char *owner,
                      const char *name);

#endif
