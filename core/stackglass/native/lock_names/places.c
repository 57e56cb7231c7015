/* The places that a level of a search visits, in slices: the variables of modules by position, then
 * all objects in the order of the collector's lists; after the last level the variables of running
 * functions, thread by thread. */
#include "lock_names/places.h"

#include <stdlib.h>
#include <string.h>

#include "frames/frame_variables.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "lock_names/references.h"
#include "lock_names/search.h"
#include "objects/attributes.h"
#include "objects/reference_names.h"

enum {
    MOST_FREE = 64,                /* closure variables of one function */
    LAST_MINOR_WITH_UNTRACKED = 9, /* its collector does not list containers of locks only */
};

static struct sg_lock_search *const search = &sg_lock_search;

/* ---- Objects ---- */

static void see_function(PyObject *function) {
    PyObject *value; /* borrowed from a cell */
    for (Py_ssize_t at = 0;
         at < MOST_FREE && sg_reference_names_closure_value(function, at, &value); at++) {
        uint32_t target = value ? sg_lock_search_find(value) : SG_NO_TARGET;
        char *name = target == SG_NO_TARGET ? NULL : sg_reference_names_closure(function, at);
        for (; name && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
            if (!sg_lock_references_is_wrapping(name) && !sg_lock_search_is_for_items(target))
                sg_lock_search_name(target, SG_PATH_CLOSURE, name, "");
        }
        free(name);
    }
}

/* In 3.9 a container that holds nothing but locks is not in the collector's lists: search it when
 * an object that refers to it is visited. All such containers of one object together are limited to
 * SG_MOST_ATTRIBUTES references. */
static bool look_into_untracked(void *context, PyObject *name, PyObject *value) {
    uint32_t *n_looked_at = context;
    if (sg_reference_names_is_untracked_container(value))
        sg_lock_references_take_untracked(value, n_looked_at, 0);
    return ++*n_looked_at < SG_MOST_ATTRIBUTES;
}

bool sg_lock_places_see_object(void *context, struct sg_collector_node *node) {
    uint32_t n_looked_at = 0;
    size_t n_types = search->types.n_in_slice;
    PyObject *object = sg_collector_list_object(node);
    bool is_container = sg_reference_names_is_container(object);
    if (sg_reference_names_is_function(object)) {
        see_function(object);
        return true;
    }
    if (!is_container && !sg_lock_references_has_attributes(object) && !PyType_Check(object))
        return true;
    if (sg_python_symbols.minor <= LAST_MINOR_WITH_UNTRACKED)
        sg_attributes_visit(object, sg_lock_search_traverse(sg_lock_search_type(object)),
                            look_into_untracked, &n_looked_at);
    sg_lock_references_take(object, is_container);
    /* The first object of a type in a slice costs microseconds: check the time at the next step. */
    if (search->types.n_in_slice != n_types)
        sg_collector_walk_hurry(&search->walk);
    return true;
}

/* ---- Modules ---- */

/* Whether the collector does not list `value`, or may untrack it before the walk reaches it. */
static bool is_seldom_listed(PyObject *value) {
    if (sg_python_symbols.minor > LAST_MINOR_WITH_UNTRACKED)
        return sg_reference_names_is_untracked_container(value);
    return Py_TYPE(value) == &PyDict_Type || Py_TYPE(value) == &PyTuple_Type;
}

/* Search the variables of a module, from `variable_at` on. Returns false if the slice must end. */
static bool look_through(PyObject *module_name, PyObject *variables) {
    PyObject *name, *value; /* borrowed from the module */
    while (PyDict_Next(variables, &search->variable_at, &name, &value)) {
        uint32_t n_looked_at = 0;
        if (is_seldom_listed(value))
            sg_lock_references_take_untracked(value, &n_looked_at, 0);
        uint32_t target = sg_lock_search_find(value);
        char *holder = target == SG_NO_TARGET ? NULL : sg_python_text_copy(module_name);
        char *attribute = holder ? sg_reference_names_attribute(name) : NULL;
        bool is_library = holder && sg_lock_references_is_wrapping(holder);
        for (; holder && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
            /* A variable of the standard library names a lock, but not a wrapper: threading's list
             * of threads is no name for their events. */
            bool is_lock = search->targets.targets[target].of == SG_NO_TARGET;
            if ((is_lock || !is_library) && !sg_lock_search_is_for_items(target))
                sg_lock_search_name(target, SG_PATH_MODULE, holder, attribute);
        }
        free(attribute);
        free(holder);
        if (!sg_collector_walk_step(&search->walk))
            return false;
    }
    return true;
}

bool sg_lock_places_see_modules(void) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed from the interpreter */
    PyObject *name, *module;                      /* borrowed from `modules` */
    Py_ssize_t next = search->module_at;
    while (PyDict_Next(modules, &next, &name, &module)) {
        PyObject *variables = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
        if (variables && !look_through(name, variables))
            return false;
        search->variable_at = 0;
        search->module_at = next;
    }
    return true;
}

/* ---- Variables of functions that run ---- */

static void see_variable(void *context, uintptr_t frame, Py_ssize_t at, PyObject *value) {
    uint32_t target = sg_lock_search_find(value);
    char *name = target == SG_NO_TARGET
                     ? NULL
                     : sg_frame_variable_text(frame, at, sg_lock_references_is_wrapping);
    for (; name && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
        if (!sg_lock_search_is_for_items(target))
            sg_lock_search_name(target, SG_PATH_VARIABLE, name, "");
    }
    free(name);
}

bool sg_lock_places_see_variables(void) {
    while (sg_frame_variables_visit(search->thread_at, see_variable, NULL)) {
        search->thread_at++;
        sg_collector_walk_hurry(&search->walk);
        if (!sg_collector_walk_step(&search->walk))
            return false;
    }
    return true;
}
