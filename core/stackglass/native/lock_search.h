/* A search for names under way, and its places: what refers to what is looked for.
 *
 *     modules' variables ─▶ objects: attributes, items, variables around functions ─┐ next round
 *          ▲                                                                       │
 *          └───────────────────────────────────────────────────────────────────────┤
 *     variables of functions that run ◀── at the end ──────────────────────────────┘
 *
 * lock_names has the rounds and the names. All of it belongs to whoever has the symboliser's job;
 * caller holds the GIL. */
#ifndef STACKGLASS_LOCK_SEARCH_H
#define STACKGLASS_LOCK_SEARCH_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "census_types.h"
#include "collector_walk.h"
#include "lock_targets.h"

struct sg_lock_search {
    bool is_open;
    enum { AMONG_MODULES, AMONG_OBJECTS, AMONG_VARIABLES } where;
    int round;
    uint32_t n_before; /* targets when the round began */
    Py_ssize_t module_at, variable_at;
    uint32_t thread_at; /* whose functions' variables come next */
    struct sg_lock_targets targets;
    struct sg_census_types types;
    struct sg_collector_walk walk;
};
extern struct sg_lock_search sg_lock_search;

/* A target that `object`, which is alive, is indeed, and that lacks a name; and a further one.
 * SG_NO_TARGET = there is none. */
uint32_t sg_lock_search_find(PyObject *object);
uint32_t sg_lock_search_next(uint32_t target, PyObject *object);
/* It is `holder` and `attribute`, and what leads from there to the lock. `is_by_class`: a better
 * one may come. */
void sg_lock_search_name(uint32_t target, const char *holder, const char *attribute,
                         bool is_by_class);

/* Until the next call. */
const struct sg_known_type *sg_lock_search_type(const void *object);
traverseproc sg_lock_search_traverse(const struct sg_known_type *known);

/* Go on there. False = the slice has to end. */
bool sg_lock_search_modules(void);
bool sg_lock_search_see(void *context, struct sg_collector_node *node);
bool sg_lock_search_variables(void);

#endif
