/* Rounds of the search for names: which locks, which level, which places.
 *
 *     begin_search ─▶ a level: AMONG_MODULES ─▶ AMONG_OBJECTS ─▶ the next level, 5 at most
 *                                   │                 │ no target wants a name
 *                                   ▼                 ▼
 *                     AMONG_VARIABLES ─▶ names of wrappers ─▶ end_search
 *
 * Each call of go_on takes one of these steps. Searches look for a lock until one that was not cut
 * short has named it, but at most three times. */
#include "lock_names/lock_names.h"

#include <Python.h>

#include <string.h>

#include "contention/locks.h"
#include "lock_names/best_names.h"
#include "lock_names/places.h"
#include "lock_names/search.h"
#include "objects/inline_values.h"

enum {
    MAX_LEVELS = 5, /* of wrappers and containers around each other */
    MAX_TRIES = 3,  /* searches for one lock: the program may name it after the first wait for it */
};

static struct sg_lock_search *const search = &sg_lock_search;

/* Indexed by the lock's number. Owned by the thread that runs the job. */
static bool was_cut[SG_CONTENTION_LOCKS + 1]; /* the last search was: a better name may exist */
static uint8_t n_tries[SG_CONTENTION_LOCKS + 1];

void sg_lock_names_prepare(void) { sg_inline_values_prepare(); }

/* ---- Levels ---- */

static bool is_to_look_for(uint32_t lock) {
    const struct sg_contention_lock it = sg_contention_locks_get(lock);
    return it.address && !it.is_dead && (!sg_best_names_has(lock) || was_cut[lock]) &&
           n_tries[lock] < MAX_TRIES;
}

/* Count the locks for the next search, at most SG_MOST_LOCKS; the rest is left to a later one. */
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

/* A lock that no object of the program names is named by its outermost wrapper. */
static void name_by_wrappers(void) {
    for (int level = MAX_LEVELS; level > 0; level--) {
        for (uint32_t target = search->targets.n_roots; target < search->targets.n; target++) {
            const struct sg_lock_target *it = &search->targets.targets[target];
            if (it->n_steps == level && !sg_contention_locks_get(it->lock).is_dead)
                sg_lock_search_name_by_wrapper(target);
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
    while (target < search->targets.n && !sg_lock_search_wants(target))
        target++;
    return target < search->targets.n;
}

/* Begin the next level with the modules. After the last level, or if no target wants a name, go on
 * with the variables of running functions. */
static void begin_next_level(void) {
    search->level++;
    search->where = AMONG_MODULES;
    search->module_at = search->variable_at = 0;
    if (search->level == MAX_LEVELS || !has_wanted())
        search->where = AMONG_VARIABLES;
}

/* Go on with the objects; skip them if modules' variables have named every target. */
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
    sg_collector_walk_go_on(&search->walk, sg_lock_places_see_object, NULL);
    search->n_steps += max_steps - search->walk.n_left;
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
        if (sg_lock_places_see_modules())
            begin_objects();
        break;
    case AMONG_OBJECTS:
        look_among_objects(budget_ns, max_steps);
        break;
    case AMONG_VARIABLES:
        if (sg_lock_places_see_variables()) {
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

uint64_t sg_lock_names_steps(void) { return search->n_steps; }

bool sg_lock_names_was_tried(uint32_t lock) { return n_tries[lock] || !is_to_look_for(lock); }

void sg_lock_names_abandon(void) {
    if (search->is_open)
        end_search();
}

static void forget_tries(void) {
    memset(n_tries, 0, sizeof n_tries);
    memset(was_cut, 0, sizeof was_cut);
}

void sg_lock_names_forget(void) {
    sg_best_names_forget();
    forget_tries();
}

void sg_lock_names_after_fork_in_child(void) {
    memset(search, 0, sizeof *search);
    sg_best_names_forget_in_child();
    forget_tries();
}
