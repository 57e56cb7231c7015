/* A search through all variables of all modules, and of the classes that they define, in slices.
 *
 *     modules: module_at ─▶ variables: variable_at ─▶ a class: all its variables, in this slice
 *
 * The two positions say where the next slice goes on. Dictionaries may change between slices; then
 * a variable is missed or seen twice, which does no harm: a function that is seen again by the same
 * name keeps its name. Wanted functions are found by binary search. */
#include "frames/function_names.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "frames/callables.h"
#include "frames/code_info.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "platform/time.h"

enum {
    MOST_WANTED = 1 << 16,
    MOST_VARIABLES = 1 << 20, /* of all modules and classes: then the search ends */
    MOST_NESTED = 3,          /* classes inside one another */
    STEPS_PER_CLOCK = 64, /* variables between two reads of the clock, and the rest of a class */
};

/* Owned by the writer, or by the worker during a job. */
static struct {
    struct sg_function_name *wanted; /* (n,), sorted by code; NULL = no search is open */
    size_t n;
    Py_ssize_t module_at, variable_at;
    uint32_t n_seen, n_at_clock; /* variables seen so far; seen at the last read of the clock */
    bool is_done;
} search;

bool sg_function_names_begin(const struct sg_function_name *wanted, size_t n) {
    sg_function_names_end();
    if (!n || n > MOST_WANTED || !(search.wanted = calloc(n, sizeof *wanted)))
        return false;
    search.n = n;
    for (size_t i = 0; i < n; i++)
        search.wanted[i] = (struct sg_function_name){.code = wanted[i].code, .id = wanted[i].id};
    return true;
}

bool sg_function_names_are_open(void) { return search.wanted; }

bool sg_function_names_are_done(void) { return search.wanted && search.is_done; }

const struct sg_function_name *sg_function_names_list(size_t *n) {
    *n = search.n;
    return search.wanted;
}

static void drop_name(struct sg_function_name *it) {
    free(it->name);
    free(it->file);
    it->name = it->file = NULL;
}

void sg_function_names_end(void) {
    for (size_t i = 0; i < search.n; i++)
        drop_name(&search.wanted[i]);
    free(search.wanted);
    memset(&search, 0, sizeof search);
}

void sg_function_names_after_fork_in_child(void) { memset(&search, 0, sizeof search); }

/* ---- Names ---- */

static int compare_code(const void *a, const void *b) {
    const struct sg_function_name *left = a, *right = b;
    return (left->code > right->code) - (left->code < right->code);
}

static struct sg_function_name *find(uintptr_t code) {
    const struct sg_function_name key = {.code = code};
    return bsearch(&key, search.wanted, search.n, sizeof key, compare_code);
}

static bool is_wanted(void *context, uintptr_t code) { return find(code); }

static void take(void *context, uintptr_t code, const char *name, const char *file, int32_t line) {
    struct sg_function_name *it = find(code);
    if (it->is_uncertain)
        return;
    if (it->name) {
        it->is_uncertain = strcmp(it->name, name) || strcmp(it->file, file) || it->line != line;
        if (it->is_uncertain)
            drop_name(it);
        return;
    }
    it->name = strdup(name);
    it->file = strdup(file);
    it->line = line;
    if (!it->name || !it->file)
        drop_name(it);
}

/* ---- Modules and classes ---- */

/* Is the class defined in `module`? An imported class is searched in its own module. */
static bool is_of_module(PyObject *type, const char *module) {
    PyObject *own = sg_python_text_plain_attribute(type, "__module__");
    char *text = sg_python_text_copy(own);
    Py_XDECREF(own);
    bool is_here = text && !strcmp(text, module);
    free(text);
    return is_here;
}

static const char *class_name(PyObject *type) {
    const char *name = (const char *)sg_memory_load((uintptr_t)type + SG_TP_NAME);
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void see(PyObject *name, PyObject *value, const char *module, const char *owner, int depth) {
    static const struct sg_callable_search callables = {is_wanted, take, NULL};
    search.n_seen++;
    if (!PyType_Check(value)) {
        size_t length;
        /* A module's dictionary may have other keys than str. */
        const char *text = PyUnicode_Check(name) ? sg_code_info_ascii(name, &length) : NULL;
        if (text)
            sg_callables_see(&callables, value, owner, text);
        return;
    }
    PyObject *variables = depth < MOST_NESTED && is_of_module(value, module)
                              ? sg_python_text_class_names(value)
                              : NULL;
    PyObject *key, *inner; /* borrowed from the class */
    Py_ssize_t at = 0;
    while (variables && PyDict_Next(variables, &at, &key, &inner))
        see(key, inner, module, class_name(value), depth + 1);
}

static bool is_over(int64_t until_ns) {
    if (search.n_seen >= MOST_VARIABLES)
        return true;
    if (search.n_seen - search.n_at_clock < STEPS_PER_CLOCK)
        return false;
    search.n_at_clock = search.n_seen;
    return sg_time_mono_ns() >= until_ns;
}

/* Search a module's variables from `variable_at` on. Returns false if the slice has to end. */
static bool see_module(PyObject *variables, int64_t until_ns) {
    PyObject *own = PyDict_GetItemString(variables, "__name__"); /* borrowed from the module */
    PyObject *name, *value;                                      /* borrowed from the dictionary */
    char *module = sg_python_text_copy(own);
    bool is_whole = true;
    while (module && is_whole && PyDict_Next(variables, &search.variable_at, &name, &value)) {
        see(name, value, module, "", 0);
        is_whole = !is_over(until_ns);
    }
    free(module);
    return is_whole;
}

void sg_function_names_continue(int64_t budget_ns) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed from the interpreter */
    PyObject *name, *module;                      /* borrowed from that dictionary */
    int64_t until_ns = sg_time_mono_ns() + budget_ns;
    Py_ssize_t next = search.module_at;
    while (search.wanted && modules && PyDict_Next(modules, &next, &name, &module)) {
        PyObject *variables = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
        if (variables && !see_module(variables, until_ns)) {
            search.is_done = search.n_seen >= MOST_VARIABLES;
            return;
        }
        search.variable_at = 0;
        search.module_at = next;
    }
    search.is_done = true;
}
