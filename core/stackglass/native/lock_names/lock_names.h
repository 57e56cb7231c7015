/* Names of locks, as people know them: the global variable or the attribute that refers to a lock.
 *
 *     level:  modules' variables ──▶ objects of the collector's lists, by their attributes
 *                   app.CACHE_LOCK       app.Pool._lock
 *
 * If another object refers to the lock, it becomes a target of the next level:
 *
 *     a queue  ──▶ app.QUEUE ─▶ app.QUEUE.mutex
 *     a list   ──▶ app.Store.shards[3]
 *     nothing  ──▶ variables of running functions: app.main.<locals>.lock
 *
 * An object that the standard library wraps around a lock (a Condition, an Event, a Queue …) is no
 * name by itself: it becomes a target in place of the lock. If nothing refers to the wrapper, its
 * type gives the name: queue.Queue.mutex. A container becomes a target in the same way, but gives
 * no name if nothing refers to it. Instances, classes, containers and functions are searched by
 * their tp_traverse, as the garbage collector does; no code of the program runs, and none of its
 * objects is kept alive.
 *
 * A search takes many slices, each one hold of the GIL. It is owned by the thread that runs the job
 * (worker/gil_worker.h). */
#ifndef STACKGLASS_LOCK_NAMES_LOCK_NAMES_H
#define STACKGLASS_LOCK_NAMES_LOCK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Prepare once, before locks are hooked: the objects that this makes must not be taken for the
 * program's. Caller holds the GIL. */
void sg_lock_names_prepare(void);
/* Whether a search is under way, or a numbered lock needs a first search. */
bool sg_lock_names_are_wanted(void);
/* Whether a search is under way. */
bool sg_lock_names_are_open(void);
/* Return how many objects the search under way has seen; an object counts once a level. */
uint64_t sg_lock_names_steps(void);
/* Whether a search for this lock's name has begun, or none is needed. */
bool sg_lock_names_was_tried(uint32_t lock);

/* Begin a search or continue it, for at most `budget_ns` and at most `max_steps` objects and
 * variables. Caller holds the GIL. */
void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps);
/* End a search that is under way: remove the walk's marks (objects/collector_walk.h) from the
 * collector's lists. Caller holds the GIL. */
void sg_lock_names_abandon(void);

/* Forget all names at a session's end. Needs no GIL. */
void sg_lock_names_forget(void);
/* Reset everything in a forked child, without freeing memory: the walk's marks, three small lists,
 * stay in the collector's lists. */
void sg_lock_names_after_fork_in_child(void);

#endif
