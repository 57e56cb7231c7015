/* The search for names under way: its level, its targets, and which of them an object is.
 *
 * The name of a lock depends on what refers to what, never on addresses or on the order in which
 * objects are seen: a level is walked to its end, only that level's targets are looked for, and
 * best_names.h decides between names of equal cost.
 *
 * Owned by the thread that has the job; caller holds the GIL. */
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
    bool is_walking; /* among objects */
    bool is_cut;     /* a walk of the objects was not completed */
    int level;       /* of the targets that are looked for */
    Py_ssize_t module_at, variable_at;
    uint32_t thread_at; /* the thread that comes next, for variables of its functions */
    struct sg_lock_targets targets;
    struct sg_census_types types;
    struct sg_collector_walk walk;
};
extern struct sg_lock_search sg_lock_search;

/* The first target that is `object`, a live one, and may get a better name here; and the next such
 * target. SG_NO_TARGET = there is none. */
uint32_t sg_lock_search_find(PyObject *object);
uint32_t sg_lock_search_next(uint32_t target, PyObject *object);
/* Could this target give a better name where the search is? Among objects a name of equal cost may
 * have the smaller text. */
bool sg_lock_search_wants(uint32_t target);
/* Is `object` a target of this level, named or not? The answer stays the same for a whole walk. */
bool sg_lock_search_is_target(PyObject *object);
/* Could a target like this one, around `target->of`, lead to a better name? */
bool sg_lock_search_is_promising(const struct sg_lock_target *target);

/* Offer a name: `holder`, `attribute` and the path from there to the lock. None if `attribute` is
 * NULL. */
void sg_lock_search_name(uint32_t target, enum sg_lock_path_kind kind, const char *holder,
                         const char *attribute);
/* Offer the type of the target, a wrapper, for a lock that has no name or one by an inner wrapper.
 */
void sg_lock_search_name_by_wrapper(uint32_t target);

/* The target has a name, and is looked for in containers only, for a better one. */
static inline bool sg_lock_search_is_for_items(uint32_t target) {
    return sg_lock_search.targets.targets[target].is_for_items;
}

/* The type of an object, valid until the next call; and the type's tp_traverse. */
const struct sg_known_type *sg_lock_search_type(const void *object);
traverseproc sg_lock_search_traverse(const struct sg_known_type *known);

#endif
