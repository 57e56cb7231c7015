/* What wakes a suspended greenlet of gevent, read from the objects that do so: gevent's compiled
 * primitives leave no frame on the greenlet's stack.
 *
 *     Event, AsyncResult, Semaphore, Greenlet ─▶ list of links ─▶ its method `switch` ─▶ greenlet
 *     Queue, Channel ─▶ deque of those that wait ─▶ Waiter.greenlet ─▶ greenlet
 *     MultipleWaiter, of gevent.wait and joinall ─▶ Waiter.greenlet ─▶ greenlet
 *
 * gevent 20 and later. Lists are read by tp_traverse, as the collector does: nothing is compared
 * and no Python code runs. Caller holds the GIL; objects are borrowed from those that refer to
 * them. */
#ifndef STACKGLASS_THREADS_GREENLET_LINKS_H
#define STACKGLASS_THREADS_GREENLET_LINKS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "threads/greenlet_fields.h"

enum sg_greenlet_wait {
    SG_GREENLET_WAITS,      /* for the object itself, by its list of links */
    SG_GREENLET_GETS,       /* an item of a queue */
    SG_GREENLET_PUTS,       /* one into a queue */
    SG_GREENLET_WAITS_MANY, /* for several objects: by gevent.wait */
};

/* `owner`: the object that the greenlet waits for; of SG_GREENLET_WAITS_MANY its waiter. */
typedef void sg_greenlet_link_fn(PyObject *greenlet, PyObject *owner, enum sg_greenlet_wait wait);

/* Good as long as the GIL is held; types are borrowed from their modules. */
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

/* Find gevent's types; false if the program has not loaded its compiled modules. `fields` have been
 * learned. */
bool sg_greenlet_links_learn(struct sg_greenlet_links *links, struct sg_greenlet_fields *fields);
/* Reports the greenlets that wait for this object, which is any. */
void sg_greenlet_links_visit(struct sg_greenlet_links *links, PyObject *object,
                             sg_greenlet_link_fn *report);
/* gevent's name of the object's type, without a module: that of the type that gevent defines, not
 * of the program's class derived from it. It lives as long as gevent. */
const char *sg_greenlet_links_name_type(PyObject *object);

#endif
