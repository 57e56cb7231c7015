/* The search for names: see lock_names.h. */
#include "lock_names/lock_names.h"

#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contention/contention.h"
#include "contention/locks.h"
#include "lock_names/search.h"
#include "objects/attributes.h"
#include "platform/memory.h"

enum {
    OBJECT_TYPE = 8,
    COST_OF_KIND = 1 << 12, /* more than any number of steps */
    NO_NAME = UINT16_MAX,
    MAX_LEVELS = 5, /* of what is around what */
    MAX_TRIES = 3,  /* to find a name: it may be given later than the lock first waited for */
};

struct sg_lock_search sg_lock_names_search; /* of whoever has the symboliser's job */
static struct sg_lock_search *const search = &sg_lock_names_search;

/* All by number; of the thread that has the symboliser's job. */
static char *names[SG_CONTENTION_LOCKS + 1];    /* owned; NULL = none */
static uint16_t costs[SG_CONTENTION_LOCKS + 1]; /* of the road that gave it; if there is one */
static uint8_t roads[SG_CONTENTION_LOCKS + 1];  /* that road */
static bool was_cut[SG_CONTENTION_LOCKS + 1]; /* the last search for it: a better name may exist */
static uint8_t n_tries[SG_CONTENTION_LOCKS + 1];
static uint32_t n_names;

/* ---- Names ---- */

uint32_t sg_lock_names_count(void) { return n_names; }

const char *sg_lock_names_get(uint32_t lock) {
    return lock <= SG_CONTENTION_LOCKS && names[lock] ? names[lock] : "";
}

/* The less the better. From modules and by attributes the shorter road is better, and of two of one
 * length that from a module; all others only serve where there is no such road. */
static uint32_t cost_of(const struct sg_lock_target *target, enum sg_lock_road road) {
    uint32_t n_steps = target->n_steps + 1U;
    if (target->is_argument && road < SG_ROAD_ARGUMENT)
        road = SG_ROAD_ARGUMENT;
    return road <= SG_ROAD_ATTRIBUTE ? 2 * n_steps + road : COST_OF_KIND * road + 2 * n_steps;
}

static uint32_t cost_now(uint32_t lock) { return names[lock] ? costs[lock] : NO_NAME; }

/* Is a road that costs as much, with `name`, the better one? */
static bool wins_tie(uint32_t lock, enum sg_lock_road road, const char *name) {
    if (road != roads[lock])
        return road < roads[lock];
    if (road == SG_ROAD_MODULE || road == SG_ROAD_VARIABLE)
        return false; /* the first one in their own order */
    size_t size = strlen(name), size_now = strlen(names[lock]);
    return size != size_now ? size < size_now : strcmp(name, names[lock]) < 0;
}

void sg_lock_names_name(uint32_t target, enum sg_lock_road road, const char *holder,
                        const char *attribute) {
    uint32_t lock = search->targets.targets[target].lock;
    uint32_t cost = cost_of(&search->targets.targets[target], road);
    char *start, *name;
    if (!attribute || cost > cost_now(lock) || asprintf(&start, "%s%s", holder, attribute) < 0)
        return;
    name = sg_lock_targets_path(&search->targets, target, start);
    free(start);
    if (!name || (cost == cost_now(lock) && !wins_tie(lock, road, name))) {
        free(name);
        return;
    }
    n_names += !names[lock];
    free(names[lock]);
    names[lock] = name;
    costs[lock] = (uint16_t)cost;
    roads[lock] = (uint8_t)road;
}

bool sg_lock_names_is_promising(const struct sg_lock_target *target) {
    struct sg_lock_target around = *target;
    around.n_steps = search->targets.targets[target->of].n_steps + 1;
    return cost_of(&around, SG_ROAD_MODULE) < cost_now(target->lock);
}

/* ---- Whether what lies at an address is still what is looked for ---- */

const struct sg_known_type *sg_lock_names_type(const void *object) {
    return sg_object_types_of(&search->types, sg_load((uintptr_t)object + OBJECT_TYPE));
}

traverseproc sg_lock_names_traverse(const struct sg_known_type *known) {
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
    const struct sg_known_type *known = sg_lock_names_type(object);
    PyObject *inner = (PyObject *)search->targets.targets[it->of].object;
    struct finding finding = {.wanted = inner};
    if (known->row != it->type)
        return false;
    sg_attributes_visit(object, sg_lock_names_traverse(known), find, &finding);
    return finding.is_found && is_still(it->of, inner);
}

/* Is it looked for where the search is? */
static bool is_of_level(uint32_t target) {
    return sg_lock_targets_is_valid(&search->targets, target) &&
           (search->where == AMONG_VARIABLES ||
            search->targets.targets[target].n_steps == search->level);
}

/* Could a better name be found by this target, where the search is? Among objects one as good may
 * have the smaller text. */
static bool is_wanted(uint32_t target) {
    static const enum sg_lock_road BEST[] = {
        [AMONG_MODULES] = SG_ROAD_MODULE,
        [AMONG_OBJECTS] = SG_ROAD_ATTRIBUTE,
        [AMONG_VARIABLES] = SG_ROAD_VARIABLE,
    };
    const struct sg_lock_target *it = &search->targets.targets[target];
    uint32_t most = cost_now(it->lock) - (search->where != AMONG_OBJECTS);
    return is_of_level(target) && cost_of(it, BEST[search->where]) <= most;
}

bool sg_lock_names_is_target(PyObject *object) {
    uint32_t target = sg_lock_targets_find(&search->targets, object);
    while (target != SG_NO_TARGET && !is_of_level(target))
        target = search->targets.targets[target].next;
    return target != SG_NO_TARGET;
}

static uint32_t choose(uint32_t target, PyObject *object) {
    while (target != SG_NO_TARGET && !(is_wanted(target) && is_still(target, object)))
        target = search->targets.targets[target].next;
    return target;
}

uint32_t sg_lock_names_find(PyObject *object) {
    return choose(sg_lock_targets_find(&search->targets, object), object);
}

uint32_t sg_lock_names_next(uint32_t target, PyObject *object) {
    return choose(search->targets.targets[target].next, object);
}

/* ---- Levels ---- */

static bool is_to_look_for(uint32_t lock) {
    const struct sg_contention_lock it = sg_contention_locks_get(lock);
    return it.address && !it.is_dead && (!names[lock] || was_cut[lock]) &&
           n_tries[lock] < MAX_TRIES;
}

/* The others next time. */
static uint32_t count_to_look_for(void) {
    uint32_t n = 0;
    for (uint32_t lock = 1, n_locks = sg_contention_locks_count(); lock <= n_locks; lock++)
        n += is_to_look_for(lock);
    return n < SG_MOST_LOCKS ? n : SG_MOST_LOCKS;
}

static bool begin_search(void) {
    uint32_t n = count_to_look_for();
    if (sg_object_types_prepare() || !sg_lock_targets_open(&search->targets, n))
        return false;
    for (uint32_t lock = 1; lock <= sg_contention_locks_count() && search->targets.n < n; lock++) {
        if (!is_to_look_for(lock))
            continue;
        sg_lock_targets_add_lock(&search->targets, sg_contention_locks_get(lock).address, lock);
        n_tries[lock]++;
    }
    search->is_open = true;
    return true;
}

/* Those that nothing of the program's refers to by name: by what is wrapped around them. */
static void name_by_wrapper(uint32_t target) {
    const struct sg_lock_target *it = &search->targets.targets[target];
    if (it->is_container || it->is_argument || !sg_lock_targets_is_valid(&search->targets, target))
        return;
    if (!names[it->lock] || cost_now(it->lock) == cost_of(it, SG_ROAD_WRAPPER))
        sg_lock_names_name(target, SG_ROAD_WRAPPER, search->types.rows[it->type].name, "");
}

/* By the outermost one. */
static void name_by_wrappers(void) {
    for (int level = MAX_LEVELS; level > 0; level--) {
        for (uint32_t target = search->targets.n_roots; target < search->targets.n; target++) {
            const struct sg_lock_target *it = &search->targets.targets[target];
            if (it->n_steps == level && !sg_contention_locks_get(it->lock).is_dead)
                name_by_wrapper(target);
        }
    }
}

static void end_search(void) {
    for (uint32_t root = 0; root < search->targets.n_roots; root++)
        was_cut[search->targets.targets[root].lock] = search->is_cut;
    sg_collector_walk_abandon(&search->walk);
    sg_lock_targets_close(&search->targets);
    sg_object_types_clear(&search->types);
    memset(search, 0, sizeof *search);
}

static bool has_wanted(void) {
    uint32_t target = 0;
    while (target < search->targets.n && !is_wanted(target))
        target++;
    return target < search->targets.n;
}

/* With the modules, or, if there is nothing to look for any more, at the end. */
static void begin_next_level(void) {
    search->level++;
    search->where = AMONG_MODULES;
    search->module_at = search->variable_at = 0;
    if (search->level == MAX_LEVELS || !has_wanted())
        search->where = AMONG_VARIABLES;
}

/* What modules' variables have named need not be looked for among all objects. */
static void begin_objects(void) {
    search->where = AMONG_OBJECTS;
    if (!has_wanted())
        begin_next_level();
}

static void look_among_objects(int64_t budget_ns, uint64_t max_steps) {
    if (!search->is_walking && sg_collector_walk_begin(&search->walk)) {
        search->where = AMONG_VARIABLES;
        search->is_cut = true;
        return;
    }
    search->is_walking = true;
    sg_collector_walk_set_limits(&search->walk, budget_ns, max_steps);
    sg_collector_walk_go_on(&search->walk, sg_lock_search_see, NULL);
    search->is_walking = !search->walk.is_over;
    if (search->is_walking)
        return;
    search->is_cut |= search->walk.problem || !search->walk.is_whole;
    begin_next_level();
}

void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps) {
    if (!search->is_open) {
        if (!begin_search())
            end_search();
        return;
    }
    sg_object_types_begin_slice(&search->types);
    sg_collector_walk_set_limits(&search->walk, budget_ns, max_steps);
    switch (search->where) {
    case AMONG_MODULES:
        if (sg_lock_search_modules())
            begin_objects();
        break;
    case AMONG_OBJECTS:
        look_among_objects(budget_ns, max_steps);
        break;
    case AMONG_VARIABLES:
        if (sg_lock_search_variables()) {
            name_by_wrappers();
            end_search();
        }
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

bool sg_lock_names_was_tried(uint32_t lock) { return n_tries[lock] || !is_to_look_for(lock); }

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
    memset(n_tries, 0, sizeof n_tries);
    memset(was_cut, 0, sizeof was_cut);
    n_names = 0;
}

void sg_lock_names_forget(void) { forget_names(); }

void sg_lock_names_after_fork_in_child(void) {
    memset(search, 0, sizeof *search);
    memset(names, 0, sizeof names); /* malloc's lock may be held by a thread that is no more */
    memset(n_tries, 0, sizeof n_tries);
    memset(was_cut, 0, sizeof was_cut);
    n_names = 0;
}
