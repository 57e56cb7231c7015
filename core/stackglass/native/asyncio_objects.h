/* The primitives that tasks have waited for, while they live: Locks, Events, Queues …
 *
 * Each is watched by a weak reference, so that what comes to lie at its address is not taken for
 * it. All calls need the GIL. */
#ifndef STACKGLASS_ASYNCIO_OBJECTS_H
#define STACKGLASS_ASYNCIO_OBJECTS_H

#include <Python.h>

#include <stdint.h>

enum { SG_ASYNCIO_OBJECTS = 1 << 14, SG_NO_ASYNCIO_OBJECT = 0 };

/* Make room, once; `died` hears of each one's death, before its address is given away. 0 or -1. */
typedef void sg_asyncio_died_fn(uint32_t object);
int sg_asyncio_objects_prepare(sg_asyncio_died_fn *died);
/* All are forgotten, and not watched any more. */
void sg_asyncio_objects_discard(void);
/* Likewise without the GIL, in a forked child: the references stay. */
void sg_asyncio_objects_abandon(void);

/* The number of `object`, a new one if it has none; SG_NO_ASYNCIO_OBJECT if there is no room, or it
 * cannot be watched. Runs no code of the program's but a collection, as any allocation may. */
uint32_t sg_asyncio_objects_number(PyObject *object);
/* As number, but SG_NO_ASYNCIO_OBJECT if it has none. */
uint32_t sg_asyncio_objects_find(const void *object);
const void *sg_asyncio_objects_address(uint32_t object); /* NULL for SG_NO_ASYNCIO_OBJECT */

#endif
