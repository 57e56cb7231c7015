/* Texts of references: items of containers, attributes, variables of closures.
 *
 * No code of the program runs: containers are read by functions that access them directly, and a
 * key is shown by its repr only if its type is a simple built-in one. A closure's variable is named
 * after the function that it belongs to, if that is clear:
 *
 *     app.outer.<locals>.count        one enclosing function
 *     count in app.a.<locals>.b.…     several, or the name shows none       */
#include "objects/reference_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "objects/collector_lists.h"

enum { LONGEST_KEY = 36, A_KEY = -1 /* instead of an index */ };
static const char SOME_KEY[] = "[\u2026]", MEMBER[] = "{\u2026}";

/* ---- Containers ---- */

static bool is_deque(PyObject *object) {
    PyObject *type = sg_python_text_global("_collections", "deque"); /* borrowed */
    return type && (PyObject *)Py_TYPE(object) == type;
}

bool sg_reference_names_is_set(PyObject *object) {
    return PyObject_TypeCheck(object, &PySet_Type) || PyObject_TypeCheck(object, &PyFrozenSet_Type);
}

bool sg_reference_names_is_container(PyObject *object) {
    return PyDict_Check(object) || PyList_Check(object) || PyTuple_Check(object) ||
           sg_reference_names_is_set(object) || is_deque(object);
}

bool sg_reference_names_is_untracked_container(PyObject *object) {
    return (Py_TYPE(object) == &PyDict_Type || Py_TYPE(object) == &PyTuple_Type) &&
           !sg_collector_list_is_tracked(object);
}

/* Put `text` in brackets, and free it. A long text is cut between two characters. */
static char *in_brackets(char *text) {
    char *bracketed = NULL;
    size_t size = text ? strlen(text) : 0, end = size < LONGEST_KEY ? size : LONGEST_KEY;
    while (end < size && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    if (text && asprintf(&bracketed, "[%.*s%s]", (int)end, text, end < size ? "\u2026" : "") < 0)
        bracketed = NULL;
    free(text);
    return bracketed;
}

/* Return the repr of a key in brackets, if its type is built in and the repr is cheap to make; else
 * "[…]". */
static char *key_text(PyObject *key) {
    bool is_plain = (PyUnicode_CheckExact(key) && PyUnicode_GetLength(key) <= SG_MOST_ITEMS) ||
                    PyFloat_CheckExact(key) || PyBool_Check(key) || key == Py_None;
    int is_huge = 0;
    if (PyLong_CheckExact(key)) {
        PyLong_AsLongLongAndOverflow(key, &is_huge);
        is_plain = !is_huge;
    }
    PyObject *shown = is_plain ? PyObject_Repr(key) : NULL;
    char *text = shown ? in_brackets(sg_python_text_copy(shown)) : NULL;
    Py_XDECREF(shown);
    PyErr_Clear();
    return text ? text : strdup(SOME_KEY);
}

static void visit_dict(PyObject *dict, sg_item_fn *visit, void *context) {
    PyObject *key, *value; /* borrowed from the dictionary */
    Py_ssize_t at = 0;
    for (int n = 0; n < SG_MOST_ITEMS && PyDict_Next(dict, &at, &key, &value); n++) {
        const struct sg_item item = {value, key, 0}, member = {key, NULL, A_KEY};
        visit(context, &item);
        visit(context, &member);
    }
}

static void visit_deque(PyObject *deque, sg_item_fn *visit, void *context) {
    Py_ssize_t size = PySequence_Size(deque);
    for (Py_ssize_t at = 0; at < size && at < SG_MOST_ITEMS; at++) {
        const struct sg_item item = {PySequence_GetItem(deque, at), NULL, at};
        Py_XDECREF(item.value); /* the deque keeps it */
        if (item.value)
            visit(context, &item);
    }
    PyErr_Clear();
}

void sg_reference_names_visit_items(PyObject *container, sg_item_fn *visit, void *context) {
    bool is_list = PyList_Check(container);
    if (PyDict_Check(container)) {
        visit_dict(container, visit, context);
    } else if (is_list || PyTuple_Check(container)) {
        Py_ssize_t size = is_list ? PyList_Size(container) : PyTuple_Size(container);
        for (Py_ssize_t at = size; at-- > 0 && size - at <= SG_MOST_ITEMS;) {
            PyObject *value = is_list ? PyList_GetItem(container, at) /* borrowed */
                                      : PyTuple_GetItem(container, at);
            const struct sg_item item = {value, NULL, at};
            visit(context, &item);
        }
    } else if (is_deque(container)) {
        visit_deque(container, visit, context);
    }
}

char *sg_reference_names_member(void) { return strdup(MEMBER); }

char *sg_reference_names_item(const struct sg_item *item) {
    char *text = NULL;
    if (item->key)
        return key_text(item->key);
    if (item->at == A_KEY)
        return sg_reference_names_member();
    return asprintf(&text, "[%zd]", item->at) < 0 ? NULL : text;
}

char *sg_reference_names_attribute(PyObject *attribute) {
    char *name = sg_python_text_copy(attribute), *text = NULL;
    if (name && asprintf(&text, ".%s", name) < 0)
        text = NULL;
    free(name);
    return text;
}

/* ---- Closures ---- */

/* Found once under the GIL, then constant. */
static const void *function_type;
static PyObject *(*closure_of)(PyObject *);
static PyObject *(*content_of)(PyObject *);

static bool learn_functions(void) {
    if (!content_of) {
        sg_python_symbols_look_up("PyFunction_GetClosure", &closure_of);
        sg_python_symbols_look_up("PyCell_Get", &content_of);
        sg_python_symbols_look_up("PyFunction_Type", &function_type);
    }
    return content_of && closure_of && function_type;
}

bool sg_reference_names_is_function(PyObject *object) {
    return learn_functions() && (const void *)Py_TYPE(object) == function_type;
}

bool sg_reference_names_closure_value(PyObject *function, Py_ssize_t at, PyObject **value) {
    PyObject *cells = closure_of(function); /* borrowed from the function */
    if (!cells || at >= PyTuple_Size(cells))
        return false;
    *value = content_of(PyTuple_GetItem(cells, at));
    Py_XDECREF(*value); /* the cell keeps it */
    return true;
}

/* Return the text for a closure variable: named after the enclosing function if there is only one,
 * else with the function that uses the variable. Enclosing classes do not count. */
static char *spell(const char *module, const char *qualname, const char *variable) {
    static const char LOCALS[] = ".<locals>.";
    const char *inner = strstr(qualname, LOCALS);
    bool is_clear = inner && !strstr(inner + 1, LOCALS);
    char *text = NULL;
    int size = is_clear ? asprintf(&text, "%s.%.*s.<locals>.%s", module, (int)(inner - qualname),
                                   qualname, variable)
                        : asprintf(&text, "%s in %s.%s", variable, module, qualname);
    return size < 0 ? NULL : text;
}

char *sg_reference_names_closure(PyObject *function, Py_ssize_t at) {
    PyObject *module = sg_python_text_plain_attribute(function, "__module__");
    PyObject *qualname = sg_python_text_plain_attribute(function, "__qualname__");
    PyObject *code = sg_python_text_function_code(function);
    PyObject *names = code ? sg_python_text_plain_attribute(code, "co_freevars") : NULL;
    bool has_name = names && PyTuple_Check(names) && at < PyTuple_Size(names);
    char *name = has_name ? sg_python_text_copy(PyTuple_GetItem(names, at)) : NULL;
    char *module_text = sg_python_text_copy(module), *qualname_text = sg_python_text_copy(qualname);
    char *text =
        name && module_text && qualname_text ? spell(module_text, qualname_text, name) : NULL;
    free(qualname_text);
    free(module_text);
    free(name);
    Py_XDECREF(names);
    Py_XDECREF(code);
    Py_XDECREF(qualname);
    Py_XDECREF(module);
    return text;
}
