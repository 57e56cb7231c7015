/* Functions to put in the place of a swapped one: one for each way that it may be called.
 *
 *     passes(self)? ── yes ──▶ the original, with the caller's own arguments
 *                   └─ no ───▶ otherwise(row, call)
 *
 * A method's convention is cached where it is called from, so its flags are kept, and only the
 * wrapper for that one is used. `passes` is inlined; it gets what the function belongs to. */
#ifndef STACKGLASS_METHOD_WRAPPERS_H
#define STACKGLASS_METHOD_WRAPPERS_H

#include <stdbool.h>

#include "method_swap.h"

typedef PyObject *sg_keywords_function(PyObject *, PyObject *, PyObject *);
typedef PyObject *sg_fast_function(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *sg_fast_keywords_function(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* For `passes`: no call is simply handed on. */
static inline bool sg_never_passes(PyObject *self) { return false; }

/* `swaps[row]` is what was swapped. METH_NOARGS, METH_O and METH_VARARGS look alike. */
#define SG_METHOD_WRAPPERS(row, swaps, passes, otherwise)                                          \
    static PyObject *plain_##row(PyObject *self, PyObject *args) {                                 \
        if (passes(self))                                                                          \
            return swaps[row].original(self, args);                                                \
        return otherwise(row, &(struct sg_method_call){.self = self, .args = args});               \
    }                                                                                              \
    static PyObject *keywords_##row(PyObject *self, PyObject *args, PyObject *names) {             \
        if (passes(self))                                                                          \
            return ((sg_keywords_function *)(void *)swaps[row].original)(self, args, names);       \
        return otherwise(row,                                                                      \
                         &(struct sg_method_call){.self = self, .args = args, .names = names});    \
    }                                                                                              \
    static PyObject *fast_##row(PyObject *self, PyObject *const *fast, Py_ssize_t n) {             \
        if (passes(self))                                                                          \
            return ((sg_fast_function *)(void *)swaps[row].original)(self, fast, n);               \
        return otherwise(row, &(struct sg_method_call){.self = self, .fast = fast, .n_fast = n});  \
    }                                                                                              \
    static PyObject *fast_keywords_##row(PyObject *self, PyObject *const *fast, Py_ssize_t n,      \
                                         PyObject *names) {                                        \
        if (passes(self))                                                                          \
            return ((sg_fast_keywords_function *)(void *)swaps[row].original)(self, fast, n,       \
                                                                              names);              \
        return otherwise(row, &(struct sg_method_call){                                            \
                                  .self = self, .fast = fast, .n_fast = n, .names = names});       \
    }                                                                                              \
    static PyObject *method_##row(PyObject *self, PyTypeObject *defining, PyObject *const *fast,   \
                                  Py_ssize_t n, PyObject *names) {                                 \
        return otherwise(                                                                          \
            row,                                                                                   \
            &(struct sg_method_call){                                                              \
                .self = self, .defining = defining, .fast = fast, .n_fast = n, .names = names});   \
    }

/* A struct sg_by_convention of them. */
#define SG_METHOD_CONVENTIONS(row)                                                                 \
    {                                                                                              \
        .varargs = plain_##row, .no_arguments = plain_##row, .one_argument = plain_##row,          \
        .varargs_keywords = (PyCFunction)(void *)keywords_##row,                                   \
        .fast = (PyCFunction)(void *)fast_##row,                                                   \
        .fast_keywords = (PyCFunction)(void *)fast_keywords_##row,                                 \
        .method = (PyCFunction)(void *)method_##row,                                               \
    }

#endif
