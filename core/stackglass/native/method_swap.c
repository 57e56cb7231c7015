/* Function pointers of built-in functions: see method_swap.h. */
#include "method_swap.h"

#include <string.h>

#include "memory.h"

enum {
    FUNCTION_DEFINITION = 16, /* PyCFunctionObject.m_ml, behind the object's head */
    /* Flags of a method's convention, which the 3.9 stable ABI does not name in full. */
    FASTCALL = 0x80,
    CONVENTION = METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | FASTCALL | 0x200,
};

/* The definition of a built-in function (borrowed), or NULL if it is none. */
static PyMethodDef *definition_of(PyObject *function, const char *name) {
    PyMethodDef *definition;
    PyMethodDef copy;
    if (!PyObject_TypeCheck(function, &PyCFunction_Type))
        return NULL;
    memcpy(&definition, (const char *)function + FUNCTION_DEFINITION, sizeof definition);
    PyCFunction known = PyCFunction_GetFunction(function);
    if (!known || !sg_memory_read((uintptr_t)definition, &copy, sizeof copy) ||
        copy.ml_meth != known || strcmp(copy.ml_name, name) != 0)
        return NULL;
    return definition;
}

static PyCFunction choose(int flags, const struct sg_by_convention *by_convention) {
    switch (flags & CONVENTION) {
    case METH_VARARGS:
        return by_convention->varargs;
    case METH_VARARGS | METH_KEYWORDS:
        return by_convention->varargs_keywords;
    case FASTCALL:
        return by_convention->fast;
    case FASTCALL | METH_KEYWORDS:
        return by_convention->fast_keywords;
    case METH_NOARGS:
        return by_convention->no_arguments;
    default:
        return NULL;
    }
}

int sg_method_swap(struct sg_method_swap *swap, const char *module, const char *name,
                   const struct sg_by_convention *by_convention) {
    PyObject *modules = PyImport_GetModuleDict();             /* borrowed: the interpreter's */
    PyObject *loaded = PyDict_GetItemString(modules, module); /* borrowed: sys.modules' */
    PyObject *names = loaded && PyModule_Check(loaded) ? PyModule_GetDict(loaded) : NULL;
    PyObject *function = names ? PyDict_GetItemString(names, name) : NULL; /* borrowed: names' */
    PyMethodDef *definition = function ? definition_of(function, name) : NULL;
    if (!definition)
        return 1;
    PyCFunction ours = choose(definition->ml_flags, by_convention);
    if (!ours)
        return 1;
    if (definition->ml_meth == ours) { /* left by a session that someone had covered */
        swap->definition = definition;
        return 0;
    }
    swap->original = definition->ml_meth;
    swap->ours = ours;
    swap->flags = definition->ml_flags;
    if (!sg_memory_store((void **)&definition->ml_meth, (void *)ours))
        return -1;
    swap->definition = definition;
    return 0;
}

void sg_method_restore(struct sg_method_swap *swap) {
    if (swap->definition && swap->definition->ml_meth == swap->ours)
        swap->definition->ml_meth = swap->original;
    swap->definition = NULL;
}
