/* Where the function pointer is:
 *
 *     function ──m_ml──▶      │ name │ function pointer │ flags │ …     PyMethodDef, static data
 *     descriptor ──d_method──▶             ▲ replaced       └─ the calling convention: it stays, so
 *                                                              the hook must have the same one
 *
 * The stable ABI does not define the offsets of m_ml and d_method. So the definition is read by a
 * call that cannot fault, and used only if it has the wanted name and, for a function, the pointer
 * that PyCFunction_GetFunction returns. */
#include "interpreter/method_patch.h"

#include <string.h>

#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    METHOD_DEFINITION = 40, /* PyMethodDescrObject.d_method, behind type, name and qualname */
    /* Flags of calling conventions; the 3.9 stable ABI does not name all of them. */
    FASTCALL = 0x80,
    METHOD = 0x200,
    CONVENTION = METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | FASTCALL | METHOD,
};

/* Return the definition of `function` (borrowed), or NULL if it is no built-in function. */
static PyMethodDef *definition_of(PyObject *function, const char *name) {
    PyMethodDef *definition;
    PyMethodDef copy;
    if (!PyObject_TypeCheck(function, &PyCFunction_Type))
        return NULL;
    memcpy(&definition, (const char *)function + SG_C_FUNCTION_DEFINITION, sizeof definition);
    PyCFunction known = PyCFunction_GetFunction(function);
    if (!known || !sg_memory_read_probed((uintptr_t)definition, &copy, sizeof copy) ||
        copy.ml_meth != known || strcmp(copy.ml_name, name) != 0)
        return NULL;
    return definition;
}

/* Return the definition of `method` (borrowed), or NULL if it is no built-in method of a type. */
static PyMethodDef *definition_in(PyObject *method, const char *name) {
    PyMethodDef *definition;
    PyMethodDef copy;
    char named[32];
    size_t size = strlen(name) + 1;
    if (!PyObject_TypeCheck(method, &PyMethodDescr_Type) || size > sizeof named)
        return NULL;
    memcpy(&definition, (const char *)method + METHOD_DEFINITION, sizeof definition);
    if (!sg_memory_read_probed((uintptr_t)definition, &copy, sizeof copy) ||
        !sg_memory_read_probed((uintptr_t)copy.ml_name, named, size) ||
        memcmp(named, name, size) != 0)
        return NULL;
    return definition;
}

typedef PyObject *keywords_function(PyObject *, PyObject *, PyObject *);
typedef PyObject *fast_function(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *fast_keywords_function(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
typedef PyObject *method_function(PyObject *, PyTypeObject *, PyObject *const *, Py_ssize_t,
                                  PyObject *);

PyObject *sg_method_patch_call(const struct sg_method_patch *patch,
                               const struct sg_method_patch_call *call) {
    void *original = (void *)patch->original;
    switch (patch->flags & CONVENTION) {
    case METH_VARARGS | METH_KEYWORDS:
        return ((keywords_function *)original)(call->self, call->args, call->names);
    case FASTCALL:
        return ((fast_function *)original)(call->self, call->fast, call->n_fast);
    case FASTCALL | METH_KEYWORDS:
        return ((fast_keywords_function *)original)(call->self, call->fast, call->n_fast,
                                                    call->names);
    case METHOD | FASTCALL | METH_KEYWORDS:
        return ((method_function *)original)(call->self, call->defining, call->fast, call->n_fast,
                                             call->names);
    default: /* a tuple, an object or nothing */
        return patch->original(call->self, call->args);
    }
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
    case METH_O:
        return by_convention->one_argument;
    case METHOD | FASTCALL | METH_KEYWORDS:
        return by_convention->method;
    default:
        return NULL;
    }
}

int sg_method_patch_apply_definition(struct sg_method_patch *patch, PyMethodDef *definition,
                                     const struct sg_by_convention *by_convention) {
    if (!definition)
        return 1;
    PyCFunction hook = choose(definition->ml_flags, by_convention);
    if (!hook)
        return 1;
    if (definition->ml_meth ==
        hook) { /* an earlier attach has left the hook, because another tool had wrapped it */
        patch->definition = definition;
        return 0;
    }
    patch->original = definition->ml_meth;
    patch->hook = hook;
    patch->flags = definition->ml_flags;
    if (!sg_memory_store((void **)&definition->ml_meth, (void *)hook))
        return -1;
    patch->definition = definition;
    return 0;
}

int sg_method_patch_apply(struct sg_method_patch *patch, const char *module, const char *name,
                          const struct sg_by_convention *by_convention) {
    PyObject *function = sg_python_text_global(module, name); /* borrowed */
    return sg_method_patch_apply_definition(patch, function ? definition_of(function, name) : NULL,
                                            by_convention);
}

int sg_method_patch_apply_in(struct sg_method_patch *patch, PyObject *type, const char *name,
                             const struct sg_by_convention *by_convention) {
    PyObject *method = sg_python_text_attribute(type, name);
    if (!method) {
        PyErr_Clear();
        return 1;
    }
    int outcome =
        sg_method_patch_apply_definition(patch, definition_in(method, name), by_convention);
    Py_DecRef(method); /* the type keeps the method alive */
    return outcome;
}

PyCFunction sg_method_patch_find(PyObject *type, const char *name, int flags) {
    PyObject *method = sg_python_text_attribute(type, name);
    const PyMethodDef *definition = method ? definition_in(method, name) : NULL;
    PyCFunction found =
        definition && (definition->ml_flags & CONVENTION) == flags ? definition->ml_meth : NULL;
    PyErr_Clear();
    Py_XDECREF(method);
    return found;
}

void sg_method_patch_restore(struct sg_method_patch *patch) {
    if (patch->definition && patch->definition->ml_meth == patch->hook)
        patch->definition->ml_meth = patch->original;
    patch->definition = NULL;
}
