/* The tests that an object has to pass before the search offers it as part of a lock's name.
 *
 *     object ─▶ target, by address ─▶ of this level? perhaps better? ─▶ is_still ─▶ name offered
 *
 * A target is known by its address only, and may have died between two slices. So is_still checks
 * the whole path to the lock: each object must have the type that it had, and must still refer to
 * the next one. */
#include "lock_names/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contention/locks.h"
#include "interpreter/object_fields.h"
#include "objects/attributes.h"
#include "platform/memory.h"

struct sg_lock_search sg_lock_search;
static struct sg_lock_search *const search = &sg_lock_search;

/* ---- Names ---- */

/* Return the cost of a name whose path has one step more than the target's. */
static uint32_t cost_by(const struct sg_lock_target *target, enum sg_lock_path_kind kind) {
    bool is_argument = target->is_argument && kind < SG_PATH_ARGUMENT;
    return sg_best_names_cost(is_argument ? SG_PATH_ARGUMENT : kind, target->n_steps + 1U);
}

void sg_lock_search_name(uint32_t target, enum sg_lock_path_kind kind, const char *holder,
                         const char *attribute) {
    const struct sg_lock_target *it = &search->targets.targets[target];
    uint32_t cost = cost_by(it, kind);
    char *start;
    if (!attribute || cost > sg_best_names_cost_of(it->lock) ||
        asprintf(&start, "%s%s", holder, attribute) < 0)
        return;
    char *name = sg_lock_targets_path(&search->targets, target, start);
    free(start);
    if (name)
        sg_best_names_offer(it->lock, kind, cost, name);
}

void sg_lock_search_name_by_wrapper(uint32_t target) {
    const struct sg_lock_target *it = &search->targets.targets[target];
    if (it->is_container || it->is_argument || !sg_lock_targets_is_valid(&search->targets, target))
        return;
    if (!sg_best_names_has(it->lock) ||
        sg_best_names_cost_of(it->lock) == cost_by(it, SG_PATH_WRAPPER))
        sg_lock_search_name(target, SG_PATH_WRAPPER, search->types.rows.at[it->type].name, "");
}

bool sg_lock_search_is_promising(const struct sg_lock_target *target) {
    struct sg_lock_target around = *target;
    around.n_steps = search->targets.targets[target->of].n_steps + 1;
    return cost_by(&around, SG_PATH_MODULE) < sg_best_names_cost_of(target->lock);
}

/* ---- Targets ---- */

const struct sg_known_type *sg_lock_search_type(const void *object) {
    return sg_object_types_of(&search->types, sg_memory_load((uintptr_t)object + SG_OB_TYPE));
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

/* Whether `object`, which is alive, is still the object that was recorded as `target` when it was
 * seen at this address. */
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

/* Whether `target` belongs to the search's present level; among variables every level counts. */
static bool is_of_level(uint32_t target) {
    return sg_lock_targets_is_valid(&search->targets, target) &&
           (search->where == AMONG_VARIABLES ||
            search->targets.targets[target].n_steps == search->level);
}

bool sg_lock_search_wants(uint32_t target) {
    static const enum sg_lock_path_kind BEST[] = {
        [AMONG_MODULES] = SG_PATH_MODULE,
        [AMONG_OBJECTS] = SG_PATH_ATTRIBUTE,
        [AMONG_VARIABLES] = SG_PATH_VARIABLE,
    };
    const struct sg_lock_target *it = &search->targets.targets[target];
    uint32_t most = sg_best_names_cost_of(it->lock) - (search->where != AMONG_OBJECTS);
    return is_of_level(target) && cost_by(it, BEST[search->where]) <= most;
}

bool sg_lock_search_is_target(PyObject *object) {
    uint32_t target = sg_lock_targets_find(&search->targets, object);
    while (target != SG_NO_TARGET && !is_of_level(target))
        target = search->targets.targets[target].next;
    return target != SG_NO_TARGET;
}

/* Return the first target, from `target` on, that is `object` and wants a name. */
static uint32_t choose(uint32_t target, PyObject *object) {
    while (target != SG_NO_TARGET && !(sg_lock_search_wants(target) && is_still(target, object)))
        target = search->targets.targets[target].next;
    return target;
}

uint32_t sg_lock_search_find(PyObject *object) {
    return choose(sg_lock_targets_find(&search->targets, object), object);
}

uint32_t sg_lock_search_next(uint32_t target, PyObject *object) {
    return choose(search->targets.targets[target].next, object);
}
