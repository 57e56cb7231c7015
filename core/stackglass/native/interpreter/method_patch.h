/* Method patch: replaces the C function of a built-in function or method for every caller.
 *
 * A call of a built-in function reads the function pointer from its PyMethodDef. Replacing the
 * pointer there reaches earlier `from x import f` as well, and changes no Python object. The same
 * holds for a type's methods, even if they were bound earlier or are called by specialised code.
 * (Machine code of 3.15's JIT holds the pointer: jit_traces.h.)
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_INTERPRETER_METHOD_PATCH_H
#define STACKGLASS_INTERPRETER_METHOD_PATCH_H

#include <Python.h>

struct sg_method_patch {
    PyMethodDef *definition; /* owner: the module's own static table; NULL = nothing patched */
    PyCFunction original;
    PyCFunction hook;
    int flags; /* METH_… that say how it is called */
};

/* Patch `module`.`name`, where `module` is loaded already, for the member of `by_convention` that
 * is called as it is. 0; 1 if there is no such function or it is called in another way; -1 if it
 * cannot be written. Never sets an exception. */
struct sg_by_convention {
    PyCFunction varargs;          /* METH_VARARGS */
    PyCFunction varargs_keywords; /* METH_VARARGS | METH_KEYWORDS */
    PyCFunction fast;             /* METH_FASTCALL */
    PyCFunction fast_keywords;    /* METH_FASTCALL | METH_KEYWORDS */
    PyCFunction no_arguments;     /* METH_NOARGS */
    PyCFunction one_argument;     /* METH_O */
    PyCFunction method;           /* METH_METHOD | METH_FASTCALL | METH_KEYWORDS */
};
int sg_method_patch_apply(struct sg_method_patch *patch, const char *module, const char *name,
                          const struct sg_by_convention *by_convention);

/* The same for a definition; NULL = there is none. */
int sg_method_patch_apply_definition(struct sg_method_patch *patch, PyMethodDef *definition,
                                     const struct sg_by_convention *by_convention);

/* The same for the method `name` of `type` itself. */
int sg_method_patch_apply_in(struct sg_method_patch *patch, PyObject *type, const char *name,
                             const struct sg_by_convention *by_convention);

/* The C function of the built-in method `name` of `type` itself, if its convention is `flags`; else
 * NULL. All interpreters share it. Never sets an exception. */
PyCFunction sg_method_patch_find(PyObject *type, const char *name, int flags);

/* Arguments of a call, in any convention; unused members are zero. */
struct sg_method_patch_call {
    PyObject *self;
    PyObject *args;  /* METH_VARARGS: the tuple; METH_O: the argument */
    PyObject *names; /* METH_KEYWORDS: a dict; with METH_FASTCALL a tuple of names; or NULL */
    PyTypeObject *defining; /* METH_METHOD */
    PyObject *const *fast;  /* METH_FASTCALL: `n_fast`, then those that are named */
    Py_ssize_t n_fast;
};
/* Call the original function. */
PyObject *sg_method_patch_call(const struct sg_method_patch *patch,
                               const struct sg_method_patch_call *call);

/* Restore it if the engine's function is still there. Otherwise another tool has wrapped that
 * function, which then passes every call through. */
void sg_method_patch_restore(struct sg_method_patch *patch);

#endif
