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

/* Handle the targets that `object` refers to. Returns the number of references that were read. */
uint32_t sg_lock_references_take(PyObject *object, bool is_container);
/* Do the same for a dict or a tuple that the collector may not list, and for the dicts and tuples
 * in it. Adds the number of references to `n_looked_at`, and stops at SG_MOST_ATTRIBUTES. `depth`
 * is 0 for the outermost container. */
void sg_lock_references_take_untracked(PyObject *container, uint32_t *n_looked_at, int depth);

/* Whether the program may have set attributes of `object`: its type is a heap type. */
bool sg_lock_references_has_attributes(PyObject *object);
/* Whether `name`, of a module or of something in a module, belongs to a module of the standard
 * library whose objects wrap locks. */
bool sg_lock_references_is_wrapping(const char *name);

#endif
