/* What refers to a lock: see lock_search.h. */
#include "lock_search.h"

#include <stdlib.h>
#include <string.h>

#include "frame_variables.h"
#include "object_attributes.h"
#include "python_symbols.h"
#include "python_text.h"
#include "reference_names.h"
#include "standard_library.h"

enum {
    MOST_FOUND = 64, /* targets in one object */
    MOST_FREE = 64,  /* variables of a function from around it */
    MANY_REFERENCES = 64,
    LAST_MINOR_WITH_UNTRACKED = 9,
};

static struct sg_lock_search *const search = &sg_lock_search;

/* Lock and its owners, of which nothing that is the program's knows by name. */
static const char *const WRAPPERS[] = {
    "threading.", "queue.", "concurrent.futures.", "multiprocessing.", "weakref.",
    "asyncio.",   NULL};

/* ---- Objects ---- */

static bool is_derived(PyObject *object) {
    return PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE;
}

static bool is_wrapper(const char *type) {
    for (int i = 0; WRAPPERS[i]; i++) {
        if (!strncmp(type, WRAPPERS[i], strlen(WRAPPERS[i])))
            return true;
    }
    return false;
}

static bool is_wrapping_module(const char *module) {
    for (int i = 0; WRAPPERS[i]; i++) {
        size_t size = strlen(WRAPPERS[i]) - 1; /* without the dot */
        if (!strncmp(module, WRAPPERS[i], size) && (!module[size] || module[size] == '.'))
            return true;
    }
    return false;
}

struct found {
    uint32_t n, n_looked_at;
    PyObject *all[MOST_FOUND]; /* borrowed: the object's */
};

static bool note_target(void *context, PyObject *name, PyObject *value) {
    struct found *found = context;
    found->n_looked_at++;
    if (sg_lock_targets_find(&search->targets, value) != SG_NO_TARGET)
        found->all[found->n++] = value;
    return found->n < MOST_FOUND;
}

/* It will be looked for in the place of what it is around. */
enum around { WRAPPER, CONTAINER, FOR_ITEMS };
static void add_around(PyObject *object, uint32_t type, uint32_t of, const char *attribute,
                       enum around what) {
    struct sg_lock_target around = {
        .object = (uintptr_t)object,
        .lock = search->targets.targets[of].lock,
        .of = of,
        .type = type,
        .is_container = what == CONTAINER,
        .is_for_items = what == FOR_ITEMS,
    };
    if (strlen(attribute) >= sizeof around.attribute)
        return;
    strcpy(around.attribute, attribute);
    sg_lock_targets_add(&search->targets, &around);
}

/* "._lock" of an instance or a class; NULL = it has no such attribute. */
static char *spell_attribute(PyObject *object, bool is_class, PyObject *value) {
    PyObject *name =
        is_class ? sg_class_attribute_name(object, value) : sg_attribute_name(object, value);
    char *text = name ? sg_attribute_text(name) : NULL;
    Py_XDECREF(name);
    return text;
}

/* A variable or attribute that holds it has said so: but of what is looked for in lists only. */
static bool is_for_items(uint32_t target) { return search->targets.targets[target].is_for_items; }

/* Is it kept in a list, as far as it has been followed? */
static bool is_item(uint32_t target) {
    bool is_item = false;
    for (; target != SG_NO_TARGET; target = search->targets.targets[target].of)
        is_item |= search->targets.targets[target].is_container;
    return is_item;
}

/* app.Shard._lock; and where the shard is kept in a list, it will be app.Store.shards[3]._lock. But
 * a logging.FileHandler.lock is known better by that than as a logger's handlers[0].lock. */
static void name_by_class(PyObject *object, uint32_t row, uint32_t target, const char *attribute) {
    const char *holder = search->types.rows[row].name;
    bool is_by_class = !is_item(target) && !sg_is_library_class(holder);
    sg_lock_search_name(target, holder, attribute, is_by_class);
    if (is_by_class)
        add_around(object, row, target, attribute, FOR_ITEMS);
}

/* `object` is an instance of a class of that row, or the class itself, or a container. */
static void take_value(PyObject *object, uint32_t row, bool is_class, bool is_container,
                       PyObject *value) {
    const char *holder = search->types.rows[row].name;
    uint32_t target = sg_lock_search_find(value);
    bool has_attributes = is_class || is_derived(object);
    char *attribute =
        target != SG_NO_TARGET && has_attributes ? spell_attribute(object, is_class, value) : NULL;
    char *item =
        target != SG_NO_TARGET && !attribute && is_container ? sg_item_text(object, value) : NULL;
    for (; target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
        if (item)
            add_around(object, row, target, item, CONTAINER);
        else if (!attribute || is_for_items(target))
            continue;
        else if (is_class)
            sg_lock_search_name(target, holder, attribute, false);
        else if (is_wrapper(holder))
            add_around(object, row, target, attribute, WRAPPER);
        else
            name_by_class(object, row, target, attribute);
    }
    free(item);
    free(attribute);
}

static void see_function(PyObject *function) {
    PyObject *value; /* borrowed: a cell's */
    for (Py_ssize_t at = 0; at < MOST_FREE && sg_closure_value(function, at, &value); at++) {
        uint32_t target = value ? sg_lock_search_find(value) : SG_NO_TARGET;
        char *name = target == SG_NO_TARGET ? NULL : sg_closure_text(function, at);
        for (; name && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
            if (!is_wrapping_module(name) && !is_for_items(target))
                sg_lock_search_name(target, name, "", false);
        }
        free(name);
    }
}

static void look_into(PyObject *object, bool is_container) {
    struct found found = {0};
    const struct sg_known_type *known = sg_lock_search_type(object);
    bool is_class = known->is_metatype;
    uint32_t row = known->row;
    sg_attributes_visit(object, sg_lock_search_traverse(known), note_target, &found);
    if (found.n_looked_at > MANY_REFERENCES)
        sg_collector_walk_hurry(&search->walk);
    if (found.n && is_class)
        row = sg_census_type(&search->types, (uintptr_t)object)->row;
    for (uint32_t i = 0; i < found.n && row != SG_NO_TYPE; i++)
        take_value(object, row, is_class, is_container, found.all[i]);
}

/* What the collector does not list, since there is nothing to collect in it: 3.9 tracks no locks.
 */
static bool look_into_untracked(void *context, PyObject *name, PyObject *value) {
    if (sg_is_untracked_container(value))
        look_into(value, true);
    return true;
}

bool sg_lock_search_see(void *context, struct sg_collector_node *node) {
    PyObject *object = sg_object_of(node);
    bool is_container = sg_is_container(object);
    if (sg_is_function(object)) {
        see_function(object);
        return true;
    }
    if (!is_container && !is_derived(object) && !PyType_Check(object))
        return true;
    if (sg_python.minor <= LAST_MINOR_WITH_UNTRACKED)
        sg_attributes_visit(object, sg_lock_search_traverse(sg_lock_search_type(object)),
                            look_into_untracked, NULL);
    look_into(object, is_container);
    return true;
}

/* ---- Modules ---- */

/* The variables of one module from `variable_at` on. False = the slice has to end. */
static bool look_through(PyObject *module_name, PyObject *variables) {
    PyObject *name, *value; /* borrowed: the module's */
    while (PyDict_Next(variables, &search->variable_at, &name, &value)) {
        if (sg_is_untracked_container(value))
            look_into(value, true);
        uint32_t target = sg_lock_search_find(value);
        char *holder = target == SG_NO_TARGET ? NULL : sg_copy_text(module_name);
        char *attribute = holder ? sg_attribute_text(name) : NULL;
        bool is_library = holder && is_wrapping_module(holder);
        for (; holder && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
            /* threading's own list of threads is no name for one of their events. */
            bool is_lock = search->targets.targets[target].of == SG_NO_TARGET;
            if ((is_lock || !is_library) && !is_for_items(target))
                sg_lock_search_name(target, holder, attribute, false);
        }
        free(attribute);
        free(holder);
        if (!sg_collector_walk_step(&search->walk))
            return false;
    }
    return true;
}

/* By position, so that modules may come and go between two slices. False as above. */
bool sg_lock_search_modules(void) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed: the interpreter's */
    PyObject *name, *module;                      /* borrowed: that dictionary's */
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
    char *name =
        target == SG_NO_TARGET ? NULL : sg_frame_variable_text(frame, at, is_wrapping_module);
    for (; name && target != SG_NO_TARGET; target = sg_lock_search_next(target, value)) {
        if (!is_for_items(target))
            sg_lock_search_name(target, name, "", false);
    }
    free(name);
}

/* A thread at a time, the oldest first. False as above. */
bool sg_lock_search_variables(void) {
    while (sg_frame_variables_visit(search->thread_at, see_variable, NULL)) {
        search->thread_at++;
        sg_collector_walk_hurry(&search->walk);
        if (!sg_collector_walk_step(&search->walk))
            return false;
    }
    return true;
}
