/* Callables with machine code of their own: functions of Cython, pybind11 and nanobind.
 *
 *     Cython     the function object: PyMethodDef ─▶ code; __qualname__, __code__ ─▶ file, line
 *     pybind11   PyCFunction ─▶ self: record ─▶ name, code of each overload
 *     nanobind   nb_func: a record for each overload ─▶ name, code
 *
 * pybind11 and nanobind call every function through one dispatcher, so that its symbol says
 * nothing; the code that a record refers to belongs to that function. The dispatcher itself is
 * reported as "pybind11 dispatcher" or "nanobind dispatcher". No code of the program runs. Caller
 * holds the GIL. */
#ifndef STACKGLASS_FRAMES_CALLABLES_H
#define STACKGLASS_FRAMES_CALLABLES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Is this address, where a function starts, asked for? */
typedef bool sg_callable_wanted_fn(void *context, uintptr_t code);
/* A wanted function: "Vec.norm"; `file` "" = not known, `line` 0 = not known. The texts are
 * borrowed for the call. */
typedef void sg_callable_found_fn(void *context, uintptr_t code, const char *name, const char *file,
                                  int32_t line);

struct sg_callable_search {
    sg_callable_wanted_fn *wanted;
    sg_callable_found_fn *found;
    void *context;
};

/* Report the functions behind `value`, which is the attribute `name` of the class `owner`; "" = of
 * a module. */
void sg_callables_see(const struct sg_callable_search *search, PyObject *value, const char *owner,
                      const char *name);

#endif
