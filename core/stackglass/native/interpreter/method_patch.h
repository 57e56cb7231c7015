/* Swap the C function behind a built-in Python function or method, for every caller there is.
 *
 * A built-in function reads its function pointer from its PyMethodDef at each call, so exchanging
 * the pointer there reaches `from x import f` of long ago as well, and no Python object changes.
 * So do a type's methods, also when they were bound long ago or called by specialised code. (Not by
 * machine code that 3.15's JIT has made: that keeps the pointer.)
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_INTERPRETER_METHOD_PATCH_H
#define STACKGLASS_INTERPRETER_METHOD_PATCH_H

#include <Python.h>

struct sg_method_patch {
    PyMethodDef *definition; /* owner: the module's own static table; NULL = nothing swapped */
    PyCFunction original;
    PyCFunction ours;
    int flags; /* METH_… that say how it is called */
};

/* Swap `module`.`name`, where `module` is loaded already, for the member of `by_convention` that
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
int sg_method_patch_apply(struct sg_method_patch *swap, const char *module, const char *name,
                          const struct sg_by_convention *by_convention);

/* The same for a module's own definition, as sg_lock_types_module_definition gives it; NULL = there
 * is none.
 */
int sg_method_patch_apply_definition(struct sg_method_patch *swap, PyMethodDef *definition,
                                     const struct sg_by_convention *by_convention);

/* The same for the method `name` that `type` itself has. */
int sg_method_patch_apply_in(struct sg_method_patch *swap, PyObject *type, const char *name,
                             const struct sg_by_convention *by_convention);

/* The function behind the built-in method `name` of `type` itself, if it is called as `flags` say;
 * else NULL. It belongs to the type's module, and to all interpreters. Never sets an exception. */
PyCFunction sg_method_patch_find(PyObject *type, const char *name, int flags);

/* A call as it came in, in whichever convention: the members that this one has. */
struct sg_method_patch_call {
    PyObject *self;
    PyObject *args;  /* METH_VARARGS: the tuple; METH_O: the argument */
    PyObject *names; /* METH_KEYWORDS: a dict; with METH_FASTCALL a tuple of names; or NULL */
    PyTypeObject *defining; /* METH_METHOD */
    PyObject *const *fast;  /* METH_FASTCALL: `n_fast`, then those that are named */
    Py_ssize_t n_fast;
};
/* Hand it on to the function that was swapped. */
PyObject *sg_method_patch_call(const struct sg_method_patch *swap,
                               const struct sg_method_patch_call *call);

/* Put it back if it is still ours; else someone has covered it, and ours keeps passing through. */
void sg_method_patch_restore(struct sg_method_patch *swap);

#endif
