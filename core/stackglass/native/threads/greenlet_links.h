/* Greenlet links: which object of gevent will wake a suspended greenlet. gevent's compiled
 * primitives leave no frame on the greenlet's stack, so the objects themselves are read.
 *
 *     Event, AsyncResult, Semaphore, Greenlet ─▶ list of links ─▶ its method `switch` ─▶ greenlet
 *     Queue, Channel ─▶ deque of waiters ─▶ Waiter.greenlet ─▶ greenlet
 *     MultipleWaiter, of gevent.wait and joinall ─▶ Waiter.greenlet ─▶ greenlet
 *
 * Supports gevent 20 and later. Lists are read with tp_traverse, as the garbage collector does:
 * nothing is compared and no Python code runs. The caller holds the GIL. Returned objects are
 * borrowed. */
#ifndef STACKGLASS_THREADS_GREENLET_LINKS_H
#define STACKGLASS_THREADS_GREENLET_LINKS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "threads/greenlet_fields.h"

enum sg_greenlet_wait {
    SG_GREENLET_WAITS,      /* waits for the object, in its list of links */
    SG_GREENLET_GETS,       /* waits for an item of a queue */
    SG_GREENLET_PUTS,       /* waits to put an item into a queue */
    SG_GREENLET_WAITS_MANY, /* waits for several objects, in gevent.wait */
};

/* `owner` is the object that the greenlet waits for; for SG_GREENLET_WAITS_MANY it is the
 * MultipleWaiter. */
typedef void sg_greenlet_link_fn(PyObject *greenlet, PyObject *owner, enum sg_greenlet_wait wait);

/* gevent's types and getters, borrowed from their modules, and a cache. Valid as long as the GIL is
 * held: a caller that has released the GIL learns them again. */
struct sg_greenlet_links {
    struct sg_greenlet_fields *fields;
    PyTypeObject *linkable, *greenlet, *queue, *channel, *waiter, *item_waiter, *multiple_waiter;
    PyTypeObject *deque;
    const PyGetSetDef *waiting; /* Waiter.greenlet */
    const PyGetSetDef *items;   /* SimpleQueue.queue */
    struct sg_greenlet_link_type {
        uintptr_t type;
        uint8_t kind;
    } types[SG_MOST_GREENLET_TYPES];
};

/* Find gevent's types. Returns false if the program has not loaded gevent's compiled modules.
 * `fields` must have been learned. */
bool sg_greenlet_links_learn(struct sg_greenlet_links *links, struct sg_greenlet_fields *fields);
/* Report the greenlets that wait for `object`, which may be of any type. */
void sg_greenlet_links_visit(struct sg_greenlet_links *links, PyObject *object,
                             sg_greenlet_link_fn *report);
/* Return the name, without module, of the type of gevent that the object has or that its class is
 * derived from; "" = none. The name lives as long as gevent. */
const char *sg_greenlet_links_name_type(PyObject *object);

#endif
