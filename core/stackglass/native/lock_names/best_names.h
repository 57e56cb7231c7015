/* The best known name of each lock, by the lock's number.
 *
 *     cost of a path = 2 * steps + kind          from a module's variable or by an attribute
 *                      2 * steps + 4096 * kind   of any other kind
 *
 * The lower cost wins. Of two names of equal cost the better known kind wins, then the shorter
 * text, then the first in the order of bytes; names by variables keep their own order, the first
 * wins.
 *
 * Owned by the thread that has the job of the search. */
#ifndef STACKGLASS_LOCK_NAMES_BEST_NAMES_H
#define STACKGLASS_LOCK_NAMES_BEST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Where a path to a lock begins: the better known first. */
enum sg_lock_path_kind {
    SG_PATH_MODULE,    /* app.CACHE_LOCK */
    SG_PATH_ATTRIBUTE, /* app.Store.shards[3]._lock, app.Pool.shared */
    SG_PATH_CLASS,     /* app.Shard._lock: of any instance of it */
    SG_PATH_CLOSURE,   /* app.make_counter.<locals>.lock */
    SG_PATH_VARIABLE,  /* app.make_counter.<locals>.lock, while that function runs */
    SG_PATH_ARGUMENT,  /* app.worker._args[1]; no path begins so, but may lead through it */
    SG_PATH_WRAPPER,   /* queue.Queue.mutex */
};

uint32_t sg_best_names_cost(enum sg_lock_path_kind kind, uint32_t n_steps);
/* The cost of the name that the lock has; more than any other if it has none. */
uint32_t sg_best_names_cost_of(uint32_t lock);
/* "" = none; valid until the next offer, or until forgotten. */
const char *sg_best_names_get(uint32_t lock);
bool sg_best_names_has(uint32_t lock);

/* Keep `name`, malloc'ed, if it is better than the lock's name; else free it. */
void sg_best_names_offer(uint32_t lock, enum sg_lock_path_kind kind, uint32_t cost, char *name);

void sg_best_names_forget(void);
/* In a forked child: frees nothing, since a thread of the parent's may hold malloc's lock. */
void sg_best_names_forget_in_child(void);

#endif
