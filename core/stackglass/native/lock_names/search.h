/* A search for names under way, and its places: what refers to what is looked for.
 *
 *     level n: modules' variables ─▶ objects: attributes, items, variables around functions
 *          ▲                                                                       │
 *          └── level n + 1: the objects around, found at level n ──────────────────┤
 *     variables of functions that run ◀── at the end ──────────────────────────────┘
 *
 * Of several roads that lead to a lock, the one that people know best gives the name: from a module
 * or an attribute, the shortest; then the class of which it is an instance's attribute; a variable
 * around a function; a variable of one that runs; last what a thread was started with.
 *
 * The name depends on what refers to what, never on addresses or on the order in which objects are
 * seen: while a level is walked only its own targets are looked for, all objects are seen, and of
 * two roads that are as good the shorter text is taken, then the first in the order of bytes.
 * Modules, their variables and running functions have an order of their own: there the first wins.
 *
 * lock_names has the levels and the names. All of it belongs to whoever has the symboliser's job;
 * caller holds the GIL. */
#ifndef STACKGLASS_LOCK_NAMES_SEARCH_H
#define STACKGLASS_LOCK_NAMES_SEARCH_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "lock_names/targets.h"
#include "objects/collector_walk.h"
#include "objects/types.h"

/* Where a road begins: the better known first. */
enum sg_lock_road {
    SG_ROAD_MODULE,    /* app.CACHE_LOCK */
    SG_ROAD_ATTRIBUTE, /* app.Store.shards[3]._lock, app.Pool.shared */
    SG_ROAD_CLASS,     /* app.Shard._lock: of any instance of it */
    SG_ROAD_CLOSURE,   /* app.make_counter.<locals>.lock */
    SG_ROAD_VARIABLE,  /* likewise, while that runs */
    SG_ROAD_ARGUMENT,  /* app.worker._args[1]; no road begins so, but leads through it */
    SG_ROAD_WRAPPER,   /* queue.Queue.mutex */
};

struct sg_lock_search {
    bool is_open;
    enum { AMONG_MODULES, AMONG_OBJECTS, AMONG_VARIABLES } where;
    bool is_walking; /* among objects */
    bool is_cut;     /* a walk of the objects has ended before its end */
    int level;       /* the targets that are looked for */
    Py_ssize_t module_at, variable_at;
    uint32_t thread_at; /* whose functions' variables come next */
    struct sg_lock_targets targets;
    struct sg_census_types types;
    struct sg_collector_walk walk;
};
extern struct sg_lock_search sg_lock_names_search;

/* A target that `object`, which is alive, is indeed, and that lacks a name as good as what may be
 * found here; and a further one. SG_NO_TARGET = there is none. */
uint32_t sg_lock_names_find(PyObject *object);
uint32_t sg_lock_names_next(uint32_t target, PyObject *object);
/* It is `holder` and `attribute`, and what leads from there to the lock: unless it has a better
 * one, or `attribute` is NULL. */
void sg_lock_names_name(uint32_t target, enum sg_lock_road road, const char *holder,
                        const char *attribute);
/* Could a target like this one, around `target->of`, yet lead to a better name? */
bool sg_lock_names_is_promising(const struct sg_lock_target *target);
/* Is it a target of the level, whether or not it has a name? The same for a whole walk. */
bool sg_lock_names_is_target(PyObject *object);

/* It has a name, and is looked for in containers only, for a better one. */
static inline bool sg_lock_search_is_for_items(uint32_t target) {
    return sg_lock_names_search.targets.targets[target].is_for_items;
}

/* Until the next call. */
const struct sg_known_type *sg_lock_names_type(const void *object);
traverseproc sg_lock_names_traverse(const struct sg_known_type *known);

/* Go on there. False = the slice has to end. */
bool sg_lock_search_modules(void);
bool sg_lock_search_see(void *context, struct sg_collector_node *node);
bool sg_lock_search_variables(void);

#endif
