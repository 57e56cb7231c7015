/* Names that people know for locks: the global variable or the attribute that refers to one.
 *
 *     level:  modules' variables ──▶ objects of the collector's lists, by their attributes
 *                   app.CACHE_LOCK       app.Pool._lock
 *
 *     a queue refers to it ──▶ look for the queue at the next level: app.QUEUE ─▶ app.QUEUE.mutex
 *
 *     a list refers to it  ──▶ look for the list at the next level: app.Store.shards[3]
 *     nothing does         ──▶ functions that run: app.main.<locals>.lock
 *
 * What the standard library wraps around a lock (a Condition, an Event, a Queue …) is no name in
 * itself, but looked for in its place. If nothing refers to that, its own type has to do:
 * queue.Queue.mutex. A container is looked for likewise, and has no name if nothing refers to it.
 * Looked into are instances, classes, containers and functions, with the function that the
 * collector would call; nothing of the program's runs, and no object of its is held.
 *
 * A search is many slices. It belongs to whoever has the symboliser's job, as a census does. */
#ifndef STACKGLASS_LOCK_NAMES_LOCK_NAMES_H
#define STACKGLASS_LOCK_NAMES_LOCK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is there a lock with a number that has not been looked for, or a search that is not over? */
bool sg_lock_names_are_wanted(void);

/* Is there one that is not over? */
bool sg_lock_names_are_open(void);
/* Has a search for this lock's name begun, or is there nothing to look for? */
bool sg_lock_names_was_tried(uint32_t lock);

/* Go on, or begin: for `budget_ns` at most, and no more than `max_steps` objects and variables.
 * Caller holds the GIL. */
void sg_lock_names_go_on(int64_t budget_ns, uint64_t max_steps);
/* Take what is ours out of the collector's lists again. Caller holds the GIL. */
void sg_lock_names_abandon(void);

/* How many names have been found in all: whether it is worth looking. */
uint32_t sg_lock_names_count(void);
/* A lock's name, "" = none; good until forgotten. */
const char *sg_lock_names_get(uint32_t lock);

/* All of it, at a session's end. No GIL. */
void sg_lock_names_forget(void);
/* A forked child: ours stay in its lists, three empty lists; nothing else may be touched. */
void sg_lock_names_after_fork_in_child(void);

#endif
