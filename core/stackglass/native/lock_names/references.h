/* How an object refers to what a search for names looks for (search.h): by an attribute or an
 * item. That gives a name, or what the object is in is looked for in its place.
 *
 *     app.Pool, ._lock          ─▶ app.Pool._lock
 *     threading.Event, ._cond   ─▶ the Event is looked for
 *     a list, [3]               ─▶ the list is
 *
 * Caller holds the GIL. */
#ifndef STACKGLASS_LOCK_NAMES_REFERENCES_H
#define STACKGLASS_LOCK_NAMES_REFERENCES_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Take what is looked for among what `object` refers to; returns how many references it has, as far
 * as they were looked at. */
uint32_t sg_lock_references_take(PyObject *object, bool is_container);
/* The same of a dict or a tuple that the collector may not list, and of those in it. Adds to
 * `n_looked_at`, and stops at SG_MOST_ATTRIBUTES; `depth` 0 = it is the outermost one. */
void sg_lock_references_take_untracked(PyObject *container, uint32_t *n_looked_at, int depth);

/* Could it have attributes of the program's? */
bool sg_lock_references_has_attributes(PyObject *object);
/* A module, or what is in it by its full name: one that wraps locks, of which nothing that is the
 * program's knows by name. */
bool sg_lock_references_is_wrapping(const char *name);

#endif
