/* The search for names: see lock_names.h. */
#include "lock_names.h"

#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contention.h"
#include "contention_locks.h"
#include "lock_search.h"
#include "memory.h"
#include "object_attributes.h"

enum {
    OBJECT_TYPE = 8,
    MAX_ROUNDS = 5, /* of what is around what */
    MAX_TRIES = 3,  /* to find a name: it may be given later than the lock first waited for */
};

struct sg_lock_search sg_lock_search; /* of whoever has the symboliser's job */
static struct sg_lock_search *const search = &sg_lock_search;

/* All three: by number; of whoever has the symboliser's job. */
static char *names[SG_CONTENTION_LOCKS + 1]; /* owned; NULL = none */
static bool
    is_by_class[SG_CONTENTION_LOCKS + 1]; /* named so: what is kept in a list may say more */
static uint8_t n_tries[SG_CONTENTION_LOCKS + 1];
static uint32_t n_names;

/* ---- Names ---- */

uint32_t sg_lock_names_count(void) { return n_names; }

const char *sg_lock_names_get(uint32_t lock) {
    return lock <= SG_CONTENTION_LOCKS && names[lock] ? names[lock] : "";
}

void sg_lock_search_name(uint32_t target, const char *holder, const char *attribute,
                         bool by_class) {
    uint32_t lock = search->targets.targets[target].lock;
    char *start, *name;
    if (!attribute || asprintf(&start, "%s%s", holder, attribute) < 0)
        return;
    name = sg_lock_targets_path(&search->targets, target, start);
    free(start);
    if (!name)
        return;
    n_names += !names[lock];
    free(names[lock]);
    names[lock] = name;
    is_by_class[lock] = by_class;
}

/* ---- Whether what lies at an address is still what is looked for ---- */

const struct sg_known_type *sg_lock_search_type(const void *object) {
    return sg_census_type(&search->types, sg_load((uintptr_t)object + OBJECT_TYPE));
}

traverseproc sg_lock_search_traverse(const struct sg_known_type *known) {
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
    const struct sg_lock_target *it = &search->targets.targets[target];
    if (it->of == SG_NO_TARGET)
        return !sg_contention_locks_get(it->lock).is_dead;
    const struct sg_known_type *known = sg_lock_search_type(object);
    PyObject *inner = (PyObject *)search->targets.targets[it->of].object;
    struct finding finding = {.wanted = inner};
    if (known->row != it->type)
        return false;
    sg_attributes_visit(object, sg_lock_search_traverse(known), find, &finding);
    return finding.is_found && is_still(it->of, inner);
}

/* Is there anything to be found out by this target? */
static bool is_wanted(uint32_t target) {
    const struct sg_lock_target *it = &search->targets.targets[target];
    return !names[it->lock] || (is_by_class[it->lock] && it->of != SG_NO_TARGET);
}

static uint32_t choose(uint32_t target, PyObject *object) {
    while (target != SG_NO_TARGET && !(is_wanted(target) && is_still(target, object)))
        target = search->targets.targets[target].next;
    return target;
}

uint32_t sg_lock_search_find(PyObject *object) {
    return choose(sg_lock_targets_find(&search->targets, object), object);
}

uint32_t sg_lock_search_next(uint32_t target, PyObject *object) {
    return choose(search->targets.targets[target].next, object);
}

/* ---- Rounds ---- */

static bool is_to_look_for(uint32_t lock) {
    const struct sg_contention_lock it = sg_contention_locks_get(lock);
    return it.address && !it.is_dead && !names[lock] && n_tries[lock] < MAX_TRIES;
}

static bool begin_search(void) {
    if (sg_census_types_prepare() || !sg_lock_targets_open(&search->targets))
        return false;
    for (uint32_t lock = 1, n = sg_contention_locks_count(); lock <= n; lock++) {
        if (!is_to_look_for(lock))
            continue;
        struct sg_lock_target target = {
            .object = sg_contention_locks_get(lock).address,
            .lock = lock,
            .of = SG_NO_TARGET,
        };
        if (search->targets.n == SG_LOCK_TARGETS / 2)
            break; /* the others next time; and some room for what is wrapped around */
        sg_lock_targets_add(&search->targets, &target);
        n_tries[lock]++;
    }
    search->is_open = true;
    return true;
}

/* Those that nothing of the program's refers to by name: by what is wrapped around them. */
static void name_by_wrappers(void) {
    for (uint32_t target = search->targets.n; target-- > 0;) {
        const struct sg_lock_target *it = &search->targets.targets[target];
        if (it->of != SG_NO_TARGET && !it->is_container && !names[it->lock] &&
            !sg_contention_locks_get(it->lock).is_dead)
            sg_lock_search_name(target, search->types.rows[it->type].name, "", false);
    }
}

static void end_search(void) {
    sg_collector_walk_abandon(&search->walk);
    sg_lock_targets_close(&search->targets);
    sg_census_types_clear(&search->types);
    memset(search, 0, sizeof *search);
}

static bool has_new_targets(void) {
    for (uint32_t target = search->n_before; target < search->targets.n; target++) {
        if (is_wanted(target))
            return true;
    }
    return false;
}

/* False = there is no further one. */
static bool begin_round(void) {
    bool has_more = search->round == 0 || has_new_targets();
    if (!has_more || search->round == MAX_ROUNDS)
        return false;
    search->round++;
    search->n_before = search->targets.n;
    search->where = AMONG_MODULES;
    search->module_at = search->variable_at = 0;
    return sg_collector_walk_begin(&search->walk) == NULL;
}

void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps) {
    if (!search->is_open && (!begin_search() || !begin_round())) {
        end_search();
        return;
    }
    sg_collector_walk_set_limits(&search->walk, budget_ns, max_steps);
    sg_census_types_begin_slice(&search->types);
    if (search->where == AMONG_MODULES) {
        search->where = sg_lock_search_modules() ? AMONG_OBJECTS : AMONG_MODULES;
        return;
    }
    if (search->where == AMONG_OBJECTS) {
        sg_collector_walk_go_on(&search->walk, sg_lock_search_see, NULL);
        if (search->walk.is_over && !begin_round())
            search->where = AMONG_VARIABLES;
        return;
    }
    if (sg_lock_search_variables()) {
        name_by_wrappers();
        end_search();
    }
}

bool sg_lock_names_are_wanted(void) {
    for (uint32_t lock = 1, n = sg_contention_locks_count(); lock <= n && !search->is_open;
         lock++) {
        if (!n_tries[lock] && is_to_look_for(lock))
            return true;
    }
    return search->is_open;
}

bool sg_lock_names_are_open(void) { return search->is_open; }

void sg_lock_names_abandon(void) {
    if (search->is_open)
        end_search();
}

static void forget_names(void) {
    for (uint32_t lock = 0; lock <= SG_CONTENTION_LOCKS && n_names; lock++) {
        n_names -= names[lock] != NULL;
        free(names[lock]);
        names[lock] = NULL;
    }
    memset(is_by_class, 0, sizeof is_by_class);
    memset(n_tries, 0, sizeof n_tries);
    n_names = 0;
}

void sg_lock_names_forget(void) { forget_names(); }

void sg_lock_names_after_fork_in_child(void) {
    memset(search, 0, sizeof *search);
    memset(names, 0, sizeof names); /* malloc's lock may be held by a thread that is no more */
    memset(is_by_class, 0, sizeof is_by_class);
    memset(n_tries, 0, sizeof n_tries);
    n_names = 0;
}
