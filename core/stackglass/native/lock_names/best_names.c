/* Three arrays, indexed by the lock's number: name, cost of its path, kind of its path. NO_NAME is
 * greater than every cost, so a lock's first name is always accepted. */
#include "lock_names/best_names.h"

#include <stdlib.h>
#include <string.h>

#include "contention/samples.h"

enum {
    COST_OF_KIND = 1 << 12, /* more than any number of steps */
    NO_NAME = UINT16_MAX,
};

/* Indexed by the lock's number. Owned by the thread that runs the job of the search. */
static char *names[SG_CONTENTION_LOCKS + 1];    /* owned; NULL = none */
static uint16_t costs[SG_CONTENTION_LOCKS + 1]; /* of the path that gave the name */
static uint8_t kinds[SG_CONTENTION_LOCKS + 1];  /* of that path */

uint32_t sg_best_names_cost(enum sg_lock_path_kind kind, uint32_t n_steps) {
    return kind <= SG_PATH_ATTRIBUTE ? 2 * n_steps + kind : COST_OF_KIND * kind + 2 * n_steps;
}

bool sg_best_names_has(uint32_t lock) { return lock <= SG_CONTENTION_LOCKS && names[lock]; }

uint32_t sg_best_names_cost_of(uint32_t lock) { return names[lock] ? costs[lock] : NO_NAME; }

const char *sg_best_names_get(uint32_t lock) { return sg_best_names_has(lock) ? names[lock] : ""; }

/* Whether `name`, which costs as much as the lock's present name, is the better one. */
static bool wins_tie(uint32_t lock, enum sg_lock_path_kind kind, const char *name) {
    if (kind != kinds[lock])
        return kind < kinds[lock];
    if (kind == SG_PATH_MODULE || kind == SG_PATH_VARIABLE)
        return false; /* the name that was found first stays */
    size_t size = strlen(name), size_now = strlen(names[lock]);
    return size != size_now ? size < size_now : strcmp(name, names[lock]) < 0;
}

void sg_best_names_offer(uint32_t lock, enum sg_lock_path_kind kind, uint32_t cost, char *name) {
    uint32_t cost_now = sg_best_names_cost_of(lock);
    if (cost > cost_now || (cost == cost_now && !wins_tie(lock, kind, name))) {
        free(name);
        return;
    }
    free(names[lock]);
    names[lock] = name;
    costs[lock] = (uint16_t)cost;
    kinds[lock] = (uint8_t)kind;
}

void sg_best_names_forget(void) {
    for (uint32_t lock = 0; lock <= SG_CONTENTION_LOCKS; lock++)
        free(names[lock]);
    sg_best_names_forget_in_child();
}

void sg_best_names_forget_in_child(void) {
    for (uint32_t lock = 0; lock <= SG_CONTENTION_LOCKS; lock++) {
        if (names[lock]) /* pages without a name stay untouched */
            names[lock] = NULL;
    }
}
