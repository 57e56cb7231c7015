/* Objects of the program's that have a number of ours for as long as they live.
 *
 *     object ──▶ number ──▶ entry: address, weak reference ──▶ callback(table, number) ──▶ died
 *
 * Each is watched by a weak reference, so that what comes to lie at its address is not taken for
 * it. A table is a static variable, so that a callback of a session long past finds it still: all
 * zero but for `died`. All calls need the GIL. */
#ifndef STACKGLASS_OBJECTS_TRACKED_OBJECTS_H
#define STACKGLASS_OBJECTS_TRACKED_OBJECTS_H

#include <Python.h>

#include <stdint.h>

enum {
    SG_WATCHED_BITS = 14,
    SG_WATCHED_OBJECTS = 1 << SG_WATCHED_BITS, /* numbers of a table; 0 is nobody's */
    SG_WATCHED_CHAIN_BITS = 12,
    SG_NOT_WATCHED = 0,
};

/* An object dies: its number, and where it lay, are about to be given to others. */
typedef void sg_watched_died_fn(uint32_t number, const void *address);

/* Guarded by the GIL. */
struct sg_tracked_objects {
    sg_watched_died_fn *died;
    struct sg_tracked_object {
        const void *address;
        PyObject *reference; /* weak; owned */
        uint32_t next;       /* in its chain, or among the free */
    } * objects;             /* (SG_WATCHED_OBJECTS,), the first is not used; NULL = unprepared */
    uint32_t chains[1 << SG_WATCHED_CHAIN_BITS];
    uint32_t first_free, n_touched;
};

/* Make room, once: 0 or -1. Without, nothing gets a number. */
int sg_tracked_objects_prepare(struct sg_tracked_objects *table);
/* All are forgotten, and not watched any more. */
void sg_tracked_objects_discard(struct sg_tracked_objects *table);
/* Likewise without the GIL, in a forked child: the references stay. */
void sg_tracked_objects_abandon(struct sg_tracked_objects *table);

/* The number of `object`; SG_NOT_WATCHED if it has none. */
uint32_t sg_tracked_objects_find(const struct sg_tracked_objects *table, const void *object);
/* As find, but it gets one now if it has none; SG_NOT_WATCHED if there is no room, or it cannot be
 * watched. Runs no code of the program's but a collection, as any allocation may; keeps the
 * exception that is set. */
uint32_t sg_tracked_objects_watch(struct sg_tracked_objects *table, PyObject *object);
/* Where it lies; NULL for SG_NOT_WATCHED. */
const void *sg_tracked_objects_address(const struct sg_tracked_objects *table, uint32_t number);

#endif
