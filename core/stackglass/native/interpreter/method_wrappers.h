/* Method wrappers: the hooks of a patched method, one for each calling convention.
 *
 *     passes(self)? ── yes ─────────────────────▶ the original, with the caller's own arguments
 *           └─ no ──▶ passes_yet(self)? ── yes ──▶ the original
 *                           └─ no ──▶ otherwise(row, call)
 *
 * `row` is the method's index in an array of patches. `passes`, `passes_yet` and `otherwise` are
 * functions that the user of the macros defines.
 *
 * Call sites cache a method's convention, so the patch keeps the method's flags and uses the
 * wrapper for that convention. `passes` is inlined and the rest is not, so that a call that passes
 * need not save registers. */
#ifndef STACKGLASS_INTERPRETER_METHOD_WRAPPERS_H
#define STACKGLASS_INTERPRETER_METHOD_WRAPPERS_H

#include <stdbool.h>

#include "interpreter/method_patch.h"

typedef PyObject *sg_plain_function(PyObject *, PyObject *);
typedef PyObject *sg_keywords_function(PyObject *, PyObject *, PyObject *);
typedef PyObject *sg_fast_function(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *sg_fast_keywords_function(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
typedef PyObject *sg_method_function(PyObject *, PyTypeObject *, PyObject *const *, Py_ssize_t,
                                     PyObject *);

/* A `passes` that always returns false. */
static inline bool sg_method_wrapper_never_passes(PyObject *self) { return false; }

/* Define the wrapper for one convention. The macro's last arguments initialise members of a struct
 * sg_method_patch_call. */
#define SG_METHOD_WRAPPER(way, row, patches, passes, passes_yet, otherwise, parameters, arguments, \
                          ...)                                                                     \
    __attribute__((noinline)) static PyObject *way##_behind_##row parameters {                     \
        if (passes_yet(self))                                                                      \
            return ((sg_##way##_function *)(void *)patches[row].original)arguments;                \
        return otherwise(row, &(struct sg_method_patch_call){.self = self, __VA_ARGS__});          \
    }                                                                                              \
    static PyObject *way##_##row parameters {                                                      \
        if (passes(self))                                                                          \
            return ((sg_##way##_function *)(void *)patches[row].original)arguments;                \
        return way##_behind_##row arguments;                                                       \
    }

/* Define the wrappers for all conventions. `patches[row]` is the method's patch. METH_NOARGS,
 * METH_O and METH_VARARGS have the same C signature, so one wrapper serves all three. */
#define SG_METHOD_WRAPPERS(row, patches, passes, passes_yet, otherwise)                            \
    SG_METHOD_WRAPPER(plain, row, patches, passes, passes_yet, otherwise,                          \
                      (PyObject * self, PyObject * args), (self, args), .args = args)              \
    SG_METHOD_WRAPPER(keywords, row, patches, passes, passes_yet, otherwise,                       \
                      (PyObject * self, PyObject * args, PyObject * names), (self, args, names),   \
                      .args = args, .names = names)                                                \
    SG_METHOD_WRAPPER(fast, row, patches, passes, passes_yet, otherwise,                           \
                      (PyObject * self, PyObject *const *fast, Py_ssize_t n), (self, fast, n),     \
                      .fast = fast, .n_fast = n)                                                   \
    SG_METHOD_WRAPPER(fast_keywords, row, patches, passes, passes_yet, otherwise,                  \
                      (PyObject * self, PyObject *const *fast, Py_ssize_t n, PyObject *names),     \
                      (self, fast, n, names), .fast = fast, .n_fast = n, .names = names)           \
    SG_METHOD_WRAPPER(method, row, patches, sg_method_wrapper_never_passes,                        \
                      sg_method_wrapper_never_passes, otherwise,                                   \
                      (PyObject * self, PyTypeObject * defining, PyObject *const *fast,            \
                       Py_ssize_t n, PyObject *names),                                             \
                      (self, defining, fast, n, names), .defining = defining, .fast = fast,        \
                      .n_fast = n, .names = names)

/* Initialiser of a struct sg_by_convention with these wrappers. */
#define SG_METHOD_CONVENTIONS(row)                                                                 \
    {                                                                                              \
        .varargs = plain_##row, .no_arguments = plain_##row, .one_argument = plain_##row,          \
        .varargs_keywords = (PyCFunction)(void *)keywords_##row,                                   \
        .fast = (PyCFunction)(void *)fast_##row,                                                   \
        .fast_keywords = (PyCFunction)(void *)fast_keywords_##row,                                 \
        .method = (PyCFunction)(void *)method_##row,                                               \
    }

#endif
