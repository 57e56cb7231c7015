/* Method patch: replaces the C function of a built-in function or method for every caller.
 *
 * A call of a built-in function reads the function pointer from the function's PyMethodDef. A new
 * pointer there is also used after an earlier `from x import f`, and no Python object changes. The
 * same holds for a type's methods, even if they were bound earlier or are called by specialised
 * code. (Machine code of 3.15's JIT holds a copy of the pointer: jit_traces.h.)
 *
 * The caller of each function holds the GIL. */
#ifndef STACKGLASS_INTERPRETER_METHOD_PATCH_H
#define STACKGLASS_INTERPRETER_METHOD_PATCH_H

#include <Python.h>

struct sg_method_patch {
    PyMethodDef *definition; /* in a static table of the module; NULL = nothing is patched */
    PyCFunction original;
    PyCFunction hook;
    int flags; /* METH_…: the calling convention */
};

/* Hooks for one function, by calling convention; NULL = the convention is not supported. */
struct sg_by_convention {
    PyCFunction varargs;          /* METH_VARARGS */
    PyCFunction varargs_keywords; /* METH_VARARGS | METH_KEYWORDS */
    PyCFunction fast;             /* METH_FASTCALL */
    PyCFunction fast_keywords;    /* METH_FASTCALL | METH_KEYWORDS */
    PyCFunction no_arguments;     /* METH_NOARGS */
    PyCFunction one_argument;     /* METH_O */
    PyCFunction method;           /* METH_METHOD | METH_FASTCALL | METH_KEYWORDS */
};
/* Replace the function `module`.`name`, where `module` is loaded already, by the hook for the
 * function's calling convention. Returns 0; 1 if there is no such function, or no hook for its
 * convention; -1 if the pointer cannot be written. Never sets an exception. */
int sg_method_patch_apply(struct sg_method_patch *patch, const char *module, const char *name,
                          const struct sg_by_convention *by_convention);

/* As sg_method_patch_apply, for the function of `definition`; NULL = there is none. */
int sg_method_patch_apply_definition(struct sg_method_patch *patch, PyMethodDef *definition,
                                     const struct sg_by_convention *by_convention);

/* As sg_method_patch_apply, for the built-in method `name` of `type`. */
int sg_method_patch_apply_in(struct sg_method_patch *patch, PyObject *type, const char *name,
                             const struct sg_by_convention *by_convention);

/* Return the C function of the built-in method `name` of `type`, if its calling convention is
 * `flags`; otherwise NULL. All interpreters share the function. Never sets an exception. */
PyCFunction sg_method_patch_find(PyObject *type, const char *name, int flags);

/* Arguments of a call in any convention. Members that the convention does not use are zero. */
struct sg_method_patch_call {
    PyObject *self;
    PyObject *args;  /* METH_VARARGS: the tuple; METH_O: the argument */
    PyObject *names; /* METH_KEYWORDS: a dict; with METH_FASTCALL a tuple of names; or NULL */
    PyTypeObject *defining; /* METH_METHOD */
    PyObject *const *fast;  /* METH_FASTCALL: `n_fast` arguments, then the values of `names` */
    Py_ssize_t n_fast;
};
/* Call the original function, and return its result. */
PyObject *sg_method_patch_call(const struct sg_method_patch *patch,
                               const struct sg_method_patch_call *call);

/* Restore the original if the hook is still in place. Otherwise another tool has wrapped the hook,
 * which stays. */
void sg_method_patch_restore(struct sg_method_patch *patch);

#endif
