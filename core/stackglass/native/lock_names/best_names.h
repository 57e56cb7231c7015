/* The best known name of each lock, by the lock's number.
 *
 *     cost of a path = 2 * steps + kind          from a module's variable or by an attribute
 *                      2 * steps + 4096 * kind   of any other kind
 *
 * The lower cost wins. Of two names of equal cost the kind that comes first in sg_lock_path_kind
 * wins, then the shorter text, then the first in byte order. Between two variables (MODULE or
 * VARIABLE) the one that was found first wins.
 *
 * Owned by the thread that runs the job of the search. */
#ifndef STACKGLASS_LOCK_NAMES_BEST_NAMES_H
#define STACKGLASS_LOCK_NAMES_BEST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* What a path to a lock begins with, the best known first. */
enum sg_lock_path_kind {
    SG_PATH_MODULE,    /* app.CACHE_LOCK */
    SG_PATH_ATTRIBUTE, /* app.Store.shards[3]._lock, app.Pool.shared */
    SG_PATH_CLASS,     /* app.Shard._lock: the lock of any Shard */
    SG_PATH_CLOSURE,   /* app.make_counter.<locals>.lock */
    SG_PATH_VARIABLE,  /* app.make_counter.<locals>.lock, while that function runs */
    SG_PATH_ARGUMENT,  /* app.Worker._args[1]; so counts each path through an argument */
    SG_PATH_WRAPPER,   /* queue.Queue.mutex: the type of a wrapper that has no name itself */
};

/* Return the cost of a path of `n_steps` steps. */
uint32_t sg_best_names_cost(enum sg_lock_path_kind kind, uint32_t n_steps);
/* Return the cost of the lock's present name; if it has none, a number above all costs. */
uint32_t sg_best_names_cost_of(uint32_t lock);
/* Return the lock's name, "" if it has none. Valid until the next offer or forget. */
const char *sg_best_names_get(uint32_t lock);
bool sg_best_names_has(uint32_t lock);

/* Keep `name`, malloc'ed, if it is better than the lock's name; else free it. */
void sg_best_names_offer(uint32_t lock, enum sg_lock_path_kind kind, uint32_t cost, char *name);

void sg_best_names_forget(void);
/* Forget all names in a forked child, without freeing them: a thread of the parent may have held
 * the lock of malloc. */
void sg_best_names_forget_in_child(void);

#endif
