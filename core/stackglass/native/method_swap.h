/* Swap the C function behind a built-in Python function, for every caller there is.
 *
 * A built-in function reads its function pointer from its PyMethodDef at each call, so exchanging
 * the pointer there reaches `from x import f` of long ago as well, and no Python object changes.
 *
 * All calls need the GIL. */
#ifndef STACKGLASS_METHOD_SWAP_H
#define STACKGLASS_METHOD_SWAP_H

#include <Python.h>

struct sg_method_swap {
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
};
int sg_method_swap(struct sg_method_swap *swap, const char *module, const char *name,
                   const struct sg_by_convention *by_convention);

/* Put it back if it is still ours; else someone has covered it, and ours keeps passing through. */
void sg_method_restore(struct sg_method_swap *swap);

#endif
