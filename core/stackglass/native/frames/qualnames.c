/* Walks through modules, their classes and functions, and compares the code objects that it meets
 * with the wanted ones.
 *
 *     module ──▶ function ──code──▶ constants ──▶ code of a function inside: f.<locals>.g
 *        │           └──▶ __wrapped__, __func__, fget, fset: the function below a decorator
 *        └────▶ class ──▶ the same again, and classes inside */
#include "frames/qualnames.h"

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* MAX_LOOKS: steps of a search, about two for each object. MAX_DEPTH: functions and classes inside
 * one another. */
enum { MAX_LOOKS = 20000, MAX_DEPTH = 6 };

struct search {
    struct sg_wanted_name *wanted; /* (n,), sorted by code */
    size_t n;
    size_t n_missing;
    size_t n_looks;
    const char *module;
    const void *code_type; /* this and the next three are static types of the interpreter */
    const void *function_type;
    const void *static_type;
    const void *class_method_type;
};

static int compare_code(const void *a, const void *b) {
    const struct sg_wanted_name *left = a, *right = b;
    return (left->code > right->code) - (left->code < right->code);
}

static bool is_over(struct search *search) {
    return !search->n_missing || search->n_looks++ >= MAX_LOOKS;
}

static void note(struct search *search, const void *code, const char *qualname) {
    const struct sg_wanted_name key = {.code = code};
    struct sg_wanted_name *found =
        bsearch(&key, search->wanted, search->n, sizeof *found, compare_code);
    if (!found || found->qualname)
        return;
    found->qualname = strdup(qualname);
    if (found->qualname)
        search->n_missing--;
}

static void look_into_code(struct search *search, PyObject *code, const char *qualname, int depth) {
    note(search, code, qualname);
    PyObject *constants =
        depth < MAX_DEPTH ? sg_python_text_plain_attribute(code, "co_consts") : NULL;
    for (Py_ssize_t i = 0; constants && i < PyTuple_Size(constants) && !is_over(search); i++) {
        PyObject *constant = PyTuple_GetItem(constants, i); /* borrowed from the tuple */
        if ((const void *)Py_TYPE(constant) != search->code_type)
            continue;
        PyObject *name = sg_python_text_plain_attribute(constant, "co_name");
        char *text = sg_python_text_copy(name), *inner = NULL;
        size_t size = text ? strlen(qualname) + strlen(text) + sizeof ".<locals>." : 0;
        if (text && (inner = malloc(size))) {
            strcpy(inner, qualname);
            strcat(inner, ".<locals>.");
            strcat(inner, text);
            look_into_code(search, constant, inner, depth + 1);
        }
        free(inner);
        free(text);
        Py_XDECREF(name);
    }
    Py_XDECREF(constants);
}

static void look_into(struct search *search, PyObject *object, int depth);

static void look_into_attribute(struct search *search, PyObject *object, const char *name,
                                int depth) {
    PyObject *value = sg_python_text_plain_attribute(object, name);
    if (value)
        look_into(search, value, depth + 1);
    Py_XDECREF(value);
}

static void look_into_function(struct search *search, PyObject *function, int depth) {
    PyObject *code = sg_python_text_function_code(function);
    PyObject *qualname = sg_python_text_plain_attribute(function, "__qualname__");
    char *text = sg_python_text_copy(qualname);
    if (code && text)
        look_into_code(search, code, text, depth);
    free(text);
    Py_XDECREF(qualname);
    Py_XDECREF(code);
    look_into_attribute(search, function, "__wrapped__", depth);
}

/* Visit the values of the dictionary `names`. Reading attributes runs no code of the program, so
 * the dictionary does not change meanwhile. Its values are not copied to a list, which the garbage
 * collector would count among the program's objects. */
static void look_into_values(struct search *search, PyObject *names, int depth) {
    PyObject *name, *value; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    while (names && !is_over(search) && PyDict_Next(names, &at, &name, &value))
        look_into(search, value, depth);
}

static void look_into_class(struct search *search, PyObject *type, int depth) {
    PyObject *module = sg_python_text_plain_attribute(type, "__module__");
    char *text = sg_python_text_copy(module);
    Py_XDECREF(module);
    bool is_here = text && !strcmp(text, search->module);
    free(text);
    if (is_here) /* an imported class is searched in its own module */
        look_into_values(search, sg_python_text_class_names(type), depth + 1);
}

static void look_into(struct search *search, PyObject *object, int depth) {
    if (depth > MAX_DEPTH || is_over(search))
        return;
    if ((const void *)Py_TYPE(object) == search->function_type)
        look_into_function(search, object, depth);
    else if (PyType_Check(object))
        look_into_class(search, object, depth);
    else if (Py_TYPE(object) == &PyProperty_Type) {
        look_into_attribute(search, object, "fget", depth);
        look_into_attribute(search, object, "fset", depth);
    } else if ((const void *)Py_TYPE(object) == search->static_type ||
               (const void *)Py_TYPE(object) == search->class_method_type) {
        look_into_attribute(search, object, "__func__", depth);
    }
}

static void look_into_module(struct search *search, const char *module) {
    search->module = module;
    look_into_values(search, sg_python_text_module_names(module), 0);
    PyErr_Clear();
}

void sg_qualnames_find(struct sg_wanted_name *wanted, size_t n) {
    struct search search = {
        .wanted = wanted,
        .n = n,
        .n_missing = n,
        .code_type = sg_python_symbols_address("PyCode_Type"),
        .function_type = sg_python_symbols_address("PyFunction_Type"),
        .static_type = sg_python_symbols_address("PyStaticMethod_Type"),
        .class_method_type = sg_python_symbols_address("PyClassMethod_Type"),
    };
    qsort(wanted, n, sizeof *wanted, compare_code);
    for (size_t i = 0; i < n && !is_over(&search); i++) {
        bool is_done = wanted[i].qualname || !wanted[i].module;
        for (size_t j = 0; j < i && !is_done; j++) /* search each module once */
            is_done = wanted[j].module && !strcmp(wanted[j].module, wanted[i].module);
        if (!is_done)
            look_into_module(&search, wanted[i].module);
    }
}
