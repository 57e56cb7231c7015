/* The state of the search for names: its level, its targets, and the look-up of targets by object.
 *
 * The name of a lock depends on what refers to what, never on addresses or on the order in which
 * objects are seen: a level is walked to its end, only that level's targets are looked for, and
 * best_names.h decides between names of equal cost.
 *
 * Owned by the thread that runs the job. Caller holds the GIL. */
#ifndef STACKGLASS_LOCK_NAMES_SEARCH_H
#define STACKGLASS_LOCK_NAMES_SEARCH_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "lock_names/best_names.h"
#include "lock_names/targets.h"
#include "objects/collector_walk.h"
#include "objects/types.h"

struct sg_lock_search {
    bool is_open;
    enum { AMONG_MODULES, AMONG_OBJECTS, AMONG_VARIABLES } where;
    bool is_walking;  /* the walk of the objects has begun, and is not over */
    bool is_cut;      /* a walk of the objects was not completed */
    int level;        /* of the targets that are looked for */
    uint64_t n_steps; /* of all walks of the objects */
    Py_ssize_t module_at, variable_at;
    uint32_t thread_at; /* number of the thread whose functions' variables are visited next */
    struct sg_lock_targets targets;
    struct sg_census_types types;
    struct sg_collector_walk walk;
};
extern struct sg_lock_search sg_lock_search;

/* Return the first target that is `object`, which is alive, and may get a better name where the
 * search is. `next` returns the one that follows `target`. SG_NO_TARGET = there is none. */
uint32_t sg_lock_search_find(PyObject *object);
uint32_t sg_lock_search_next(uint32_t target, PyObject *object);
/* Whether `target` could get a better name where the search is. Among objects a name of equal cost
 * counts, because its text may be the smaller one. */
bool sg_lock_search_wants(uint32_t target);
/* Whether `object` is a target of this level, named or not. The answer stays the same for a whole
 * walk. */
bool sg_lock_search_is_target(PyObject *object);
/* Whether a new target with these fields, around `target->of`, could lead to a better name. */
bool sg_lock_search_is_promising(const struct sg_lock_target *target);

/* Offer a name, made of `holder`, `attribute` and the path from `target` to the lock. Does nothing
 * if `attribute` is NULL. */
void sg_lock_search_name(uint32_t target, enum sg_lock_path_kind kind, const char *holder,
                         const char *attribute);
/* Offer the type of `target`, a wrapper, as the name of a lock that has no name, or only one by
 * another wrapper of the same level. */
void sg_lock_search_name_by_wrapper(uint32_t target);

/* Whether the target has a name already, and is looked for in containers only, for a better one. */
static inline bool sg_lock_search_is_for_items(uint32_t target) {
    return sg_lock_search.targets.targets[target].is_for_items;
}

/* Return the type of an object, valid until the next call; and the tp_traverse of a type. */
const struct sg_known_type *sg_lock_search_type(const void *object);
traverseproc sg_lock_search_traverse(const struct sg_known_type *known);

#endif
