/* The search for names: see lock_names.h. */
#include "lock_names.h"

#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census_types.h"
#include "collector_walk.h"
#include "contention.h"
#include "contention_locks.h"
#include "lock_targets.h"
#include "memory.h"
#include "object_attributes.h"
#include "python_text.h"

enum {
    OBJECT_TYPE = 8,
    MAX_ROUNDS = 4,  /* of what is wrapped around what */
    MAX_TRIES = 3,   /* to find a name: it may be given later than the lock first waited for */
    MOST_FOUND = 16, /* targets in one object */
};

/* Belongs to whoever has the symboliser's job. */
static struct search {
    bool is_open;
    bool is_among_objects; /* else among modules */
    int round;
    uint32_t n_before; /* targets when the round began */
    Py_ssize_t module_at, variable_at;
    struct sg_lock_targets targets;
    struct sg_census_types types;
    struct sg_collector_walk walk;
} search;
static char *names[SG_CONTENTION_LOCKS + 1]; /* owned; NULL = none */
static uint8_t n_tries[SG_CONTENTION_LOCKS + 1];
static uint32_t n_names;

/* Lock and its owners, of which nothing that is the program's knows by name. */
static const char *const WRAPPERS[] = {"threading.", "queue.", "concurrent.futures.",
                                       "multiprocessing.", NULL};

/* ---- Names ---- */

uint32_t sg_lock_names_count(void) { return n_names; }

const char *sg_lock_names_get(uint32_t lock) {
    return lock <= SG_CONTENTION_LOCKS && names[lock] ? names[lock] : "";
}

static void give_name(uint32_t target, const char *holder) {
    uint32_t lock = search.targets.targets[target].lock;
    if (names[lock])
        return;
    names[lock] = sg_lock_targets_path(&search.targets, target, holder);
    n_names += names[lock] != NULL;
}

static void give_name_in(uint32_t target, const char *holder, PyObject *attribute) {
    char *text = sg_copy_text(attribute), *name;
    if (text && asprintf(&name, "%s.%s", holder, text) >= 0) {
        give_name(target, name);
        free(name);
    }
    free(text);
}

/* ---- Whether what lies at an address is still what is looked for ---- */

static const struct sg_known_type *type_of(const void *object) {
    return sg_census_type(&search.types, sg_load((uintptr_t)object + OBJECT_TYPE));
}

static traverseproc traverse_of(const struct sg_known_type *known) {
    traverseproc traverse;
    memcpy(&traverse, &known->traverse, sizeof traverse);
    return traverse;
}

struct finding {
    const void *wanted;
    bool is_found;
};

static bool find(void *context, PyObject *name, PyObject *value) {
    struct finding *finding = context;
    finding->is_found = value == finding->wanted;
    return !finding->is_found;
}

/* `object`, which is alive, lies where a target was seen. */
static bool is_still(uint32_t target, PyObject *object) {
    const struct sg_lock_target *it = &search.targets.targets[target];
    if (it->of == SG_NO_TARGET)
        return !sg_contention_locks_get(it->lock).is_dead;
    const struct sg_known_type *known = type_of(object);
    PyObject *inner = (PyObject *)search.targets.targets[it->of].object;
    struct finding finding = {.wanted = inner};
    if (known->row != it->type)
        return false;
    sg_attributes_visit(object, traverse_of(known), find, &finding);
    return finding.is_found && is_still(it->of, inner);
}

static uint32_t find_target(PyObject *object) {
    uint32_t target = sg_lock_targets_find(&search.targets, object);
    if (target == SG_NO_TARGET || names[search.targets.targets[target].lock] ||
        !is_still(target, object))
        return SG_NO_TARGET;
    return target;
}

/* ---- Objects ---- */

static bool is_wrapper(const char *type) {
    for (int i = 0; WRAPPERS[i]; i++) {
        if (!strncmp(type, WRAPPERS[i], strlen(WRAPPERS[i])))
            return true;
    }
    return false;
}

struct found {
    uint32_t n;
    struct {
        uint32_t target;
        PyObject *name, *value; /* borrowed: the object's; name NULL = it has to be asked for */
    } all[MOST_FOUND];
};

static bool note_target(void *context, PyObject *name, PyObject *value) {
    struct found *found = context;
    uint32_t target = sg_lock_targets_find(&search.targets, value);
    if (target == SG_NO_TARGET)
        return true;
    found->all[found->n].target = target;
    found->all[found->n].name = name;
    found->all[found->n++].value = value;
    return found->n < MOST_FOUND;
}

/* It will be looked for in the place of what it is wrapped around. */
static void add_wrapper(PyObject *object, uint32_t type, uint32_t of, PyObject *attribute) {
    char *text = sg_copy_text(attribute);
    struct sg_lock_target wrapper = {
        .object = (uintptr_t)object,
        .lock = search.targets.targets[of].lock,
        .of = of,
        .type = type,
    };
    snprintf(wrapper.attribute, sizeof wrapper.attribute, "%s", text ? text : "?");
    free(text);
    sg_lock_targets_add(&search.targets, &wrapper);
}

/* `object` is an instance of a class of that row, or the class itself. */
static void take_found(PyObject *object, uint32_t row, bool is_class, const struct found *found) {
    const char *holder = search.types.rows[row].name;
    bool is_wrapped = !is_class && is_wrapper(holder);
    for (uint32_t i = 0; i < found->n; i++) {
        uint32_t target = find_target(found->all[i].value);
        PyObject *name = found->all[i].name;
        if (target == SG_NO_TARGET)
            continue;
        if (name)
            Py_INCREF(name);
        else if (!is_class)
            name = sg_attribute_name(object, found->all[i].value);
        if (name && is_wrapped)
            add_wrapper(object, row, target, name);
        else if (name)
            give_name_in(target, holder, name);
        Py_XDECREF(name);
    }
}

static bool see(void *context, struct sg_collector_node *node) {
    PyObject *object = sg_object_of(node);
    struct found found = {0};
    if (!(PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE) && !PyType_Check(object))
        return true;
    const struct sg_known_type *known = type_of(object);
    bool is_class = known->is_metatype;
    uint32_t row = known->row;
    sg_attributes_visit(object, traverse_of(known), note_target, &found);
    if (!found.n || row == SG_NO_TYPE)
        return true;
    if (is_class)
        row = sg_census_type(&search.types, (uintptr_t)object)->row;
    if (row != SG_NO_TYPE)
        take_found(object, row, is_class, &found);
    return true;
}

/* ---- Modules ---- */

/* The variables of one module from `variable_at` on. False = the slice has to end. */
static bool look_through(PyObject *module_name, PyObject *variables) {
    PyObject *name, *value; /* borrowed: the module's */
    while (PyDict_Next(variables, &search.variable_at, &name, &value)) {
        uint32_t target = find_target(value);
        char *holder = target == SG_NO_TARGET ? NULL : sg_copy_text(module_name);
        if (holder)
            give_name_in(target, holder, name);
        free(holder);
        if (!sg_collector_walk_step(&search.walk))
            return false;
    }
    return true;
}

/* By position, so that modules may come and go between two slices. False as above. */
static bool look_through_modules(void) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed: the interpreter's */
    PyObject *name, *module;                      /* borrowed: that dictionary's */
    Py_ssize_t next = search.module_at;
    while (PyDict_Next(modules, &next, &name, &module)) {
        PyObject *variables = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
        if (variables && !look_through(name, variables))
            return false;
        search.variable_at = 0;
        search.module_at = next;
    }
    return true;
}

/* ---- Rounds ---- */

static bool is_to_look_for(uint32_t lock) {
    return !names[lock] && n_tries[lock] < MAX_TRIES && !sg_contention_locks_get(lock).is_dead;
}

static bool begin_search(void) {
    if (sg_census_types_prepare() || !sg_lock_targets_open(&search.targets))
        return false;
    for (uint32_t lock = 1, n = sg_contention_locks_count(); lock <= n; lock++) {
        if (!is_to_look_for(lock))
            continue;
        struct sg_lock_target target = {
            .object = sg_contention_locks_get(lock).address,
            .lock = lock,
            .of = SG_NO_TARGET,
        };
        if (search.targets.n == SG_LOCK_TARGETS / 2)
            break; /* the others next time; and some room for what is wrapped around */
        sg_lock_targets_add(&search.targets, &target);
        n_tries[lock]++;
    }
    search.is_open = true;
    return true;
}

/* Those that nothing of the program's refers to by name: by what is wrapped around them. */
static void name_by_wrappers(void) {
    for (uint32_t target = search.targets.n; target-- > 0;) {
        const struct sg_lock_target *it = &search.targets.targets[target];
        if (it->of != SG_NO_TARGET && !sg_contention_locks_get(it->lock).is_dead)
            give_name(target, search.types.rows[it->type].name);
    }
}

static void end_search(void) {
    sg_collector_walk_abandon(&search.walk);
    sg_lock_targets_close(&search.targets);
    sg_census_types_clear(&search.types);
    memset(&search, 0, sizeof search);
}

/* False = there is no further one. */
static bool begin_round(void) {
    bool has_more = search.round == 0 || search.targets.n > search.n_before;
    if (!has_more || search.round == MAX_ROUNDS)
        return false;
    search.round++;
    search.n_before = search.targets.n;
    search.is_among_objects = false;
    search.module_at = search.variable_at = 0;
    return sg_collector_walk_begin(&search.walk) == NULL;
}

void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps) {
    if (!search.is_open && (!begin_search() || !begin_round())) {
        end_search();
        return;
    }
    sg_collector_walk_set_limits(&search.walk, budget_ns, max_steps);
    sg_census_types_begin_slice(&search.types);
    if (!search.is_among_objects) {
        search.is_among_objects = look_through_modules();
        return;
    }
    sg_collector_walk_go_on(&search.walk, see, NULL);
    if (search.walk.is_over && !begin_round()) {
        name_by_wrappers();
        end_search();
    }
}

bool sg_lock_names_are_wanted(void) {
    for (uint32_t lock = 1, n = sg_contention_locks_count(); lock <= n && !search.is_open; lock++) {
        if (!n_tries[lock] && is_to_look_for(lock))
            return true;
    }
    return search.is_open;
}

bool sg_lock_names_are_open(void) { return search.is_open; }

void sg_lock_names_abandon(void) {
    if (search.is_open)
        end_search();
}

static void forget_names(void) {
    for (uint32_t lock = 0; lock <= SG_CONTENTION_LOCKS && n_names; lock++) {
        n_names -= names[lock] != NULL;
        free(names[lock]);
        names[lock] = NULL;
    }
    memset(n_tries, 0, sizeof n_tries);
    n_names = 0;
}

void sg_lock_names_forget(void) { forget_names(); }

void sg_lock_names_after_fork_in_child(void) {
    memset(&search, 0, sizeof search);
    memset(names, 0, sizeof names); /* malloc's lock may be held by a thread that is no more */
    memset(n_tries, 0, sizeof n_tries);
    n_names = 0;
}
