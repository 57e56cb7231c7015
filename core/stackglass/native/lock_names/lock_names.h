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
 * What the standard library wraps around a lock (a Condition, an Event, a Queue …) is no name in
 * itself. It becomes a target in the lock's place; if nothing refers to it, its type is the name:
 * queue.Queue.mutex. A container becomes a target in the same way, and has no name if nothing
 * refers to it. Instances, classes, containers and functions are searched by their tp_traverse, as
 * the collector would; no code of the program runs, and none of its objects is kept alive.
 *
 * A search takes many slices. It is owned by the thread that has the job: worker/gil_worker.h. */
#ifndef STACKGLASS_LOCK_NAMES_LOCK_NAMES_H
#define STACKGLASS_LOCK_NAMES_LOCK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before locks are hooked: its objects must not be taken for the program's. Caller holds the
 * GIL. */
void sg_lock_names_prepare(void);
/* Is there a numbered lock that was not searched for, or a search under way? */
bool sg_lock_names_are_wanted(void);
/* Is a search under way? */
bool sg_lock_names_are_open(void);
/* Has a search for this lock's name begun, or is none needed? */
bool sg_lock_names_was_tried(uint32_t lock);

/* Begin, or continue: for `budget_ns` at most, and for at most `max_steps` objects and variables.
 * Caller holds the GIL. */
void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps);
/* Remove the walk's own objects from the collector's lists. Caller holds the GIL. */
void sg_lock_names_abandon(void);

/* Forget all names, at a session's end. No GIL. */
void sg_lock_names_forget(void);
/* In a forked child: the walk's objects, three empty lists, stay in the collector's lists; nothing
 * else may be touched. */
void sg_lock_names_after_fork_in_child(void);

#endif
