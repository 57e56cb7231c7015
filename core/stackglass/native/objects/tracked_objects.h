/* Tracked objects: gives objects of the program a number for as long as they live.
 *
 *     object ──▶ number ──▶ entry: address, weak reference ──▶ callback(table, number) ──▶ died
 *
 * A weak reference reports the deallocation, so that a later object at the same address does not
 * get the number. A table must be a static variable, at first all zero but for `died`, because a
 * callback may come long after a detach. All calls but `abandon` need the GIL. */
#ifndef STACKGLASS_OBJECTS_TRACKED_OBJECTS_H
#define STACKGLASS_OBJECTS_TRACKED_OBJECTS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    SG_TRACKED_BITS = 14,
    SG_TRACKED_OBJECTS = 1 << SG_TRACKED_BITS, /* numbers of a table; 0 is not used */
    SG_TRACKED_CHAIN_BITS = 12,
    SG_NOT_TRACKED = 0,
};

/* Called when an object is freed; its number and its address may be reused afterwards. */
typedef void sg_tracked_died_fn(uint32_t number, const void *address);

/* Guarded by the GIL. */
struct sg_tracked_objects {
    sg_tracked_died_fn *died;
    struct sg_tracked_object {
        const void *address;
        PyObject *reference; /* weak; owned */
        uint32_t next;       /* in its chain, or among the free */
    } * objects;             /* (SG_TRACKED_OBJECTS,), the first is not used; NULL = unprepared */
    uint32_t chains[1 << SG_TRACKED_CHAIN_BITS];
    uint32_t first_free, n_touched;
};

/* Map the table. Returns 0, or -1 if memory runs out: then no object gets a number. */
int sg_tracked_objects_prepare(struct sg_tracked_objects *table);
/* Forget all objects, and drop their weak references. */
void sg_tracked_objects_discard(struct sg_tracked_objects *table);
/* Forget all objects in a forked child, which need not hold the GIL: the weak references stay. */
void sg_tracked_objects_abandon(struct sg_tracked_objects *table);

/* Return the number of `object`; SG_NOT_TRACKED if it has none. */
uint32_t sg_tracked_objects_find(const struct sg_tracked_objects *table, const void *object);
/* Return the number of `object`, which gets one if it has none; SG_NOT_TRACKED if there is no room,
 * or if no weak reference to the object is possible. May start a collection, as any allocation may,
 * but runs no other code of the program. Keeps the exception that is set. */
uint32_t sg_tracked_objects_add(struct sg_tracked_objects *table, PyObject *object);
/* Whether `callback` belongs to a weak reference that the engine has made. */
bool sg_tracked_objects_is_callback(PyObject *callback);
/* Return the address of a numbered object; NULL for SG_NOT_TRACKED. */
const void *sg_tracked_objects_address(const struct sg_tracked_objects *table, uint32_t number);

#endif
