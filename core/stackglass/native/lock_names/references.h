/* References from an object to targets of the search, by an attribute or an item: each gives a
 * name, or makes the object a target of the next level.
 *
 *     app.Pool, ._lock          ─▶ app.Pool._lock
 *     threading.Event, ._cond   ─▶ the Event is a target
 *     a list, [3]               ─▶ the list is a target
 *
 * Caller holds the GIL. */
#ifndef STACKGLASS_LOCK_NAMES_REFERENCES_H
#define STACKGLASS_LOCK_NAMES_REFERENCES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Handle the targets that `object` refers to; returns how many references were read. */
uint32_t sg_lock_references_take(PyObject *object, bool is_container);
/* The same of a dict or a tuple that the collector may not list, and of those in it. Adds to
 * `n_looked_at`, and stops at SG_MOST_ATTRIBUTES; `depth` 0 = it is the outermost one. */
void sg_lock_references_take_untracked(PyObject *container, uint32_t *n_looked_at, int depth);

/* Could it have attributes of the program's? */
bool sg_lock_references_has_attributes(PyObject *object);
/* Is `name`, of a module or in a module, one of the standard library that wraps locks? */
bool sg_lock_references_is_wrapping(const char *name);

#endif
