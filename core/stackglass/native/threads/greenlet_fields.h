/* What a greenlet says of itself: its frames, its name, the thread that it belongs to.
 *
 * greenlet 1.x to 3.x. The innermost frame is what `gr_frame` returns, a getter of the library's C
 * code: it is None while the greenlet runs, before it has begun and after its end. From 3.12 on the
 * library links the frames of one that is suspended past the entry frames in its C stack, which
 * others use meanwhile. Each frame is checked before it is read. Caller holds the GIL; objects are
 * borrowed from the greenlet. */
#ifndef STACKGLASS_THREADS_GREENLET_FIELDS_H
#define STACKGLASS_THREADS_GREENLET_FIELDS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"
#include "threads/text_copy.h"

enum {
    SG_MOST_GREENLET_TYPES = 256, /* types that are remembered, a power of two */
    SG_MOST_GREENLET_PAGES = 512, /* pages, as well */
    SG_MOST_GREENLET_THREADS = 1024,
};

/* Good as long as the GIL is held. */
struct sg_greenlet_fields {
    PyTypeObject *greenlet; /* borrowed from its module; NULL = the library is not loaded */
    const PyGetSetDef *frame, *dead, *context;
    inquiry is_active; /* the library's own truth of a greenlet: it has begun and has not ended */
    bool has_parts; /* from 2.0 on its state is in an object of C++, of which it has the address */

    struct sg_greenlet_type {
        uintptr_t type;
        bool is_greenlet;
    } types[SG_MOST_GREENLET_TYPES];
    uintptr_t pages[SG_MOST_GREENLET_PAGES]; /* that can be read */
    struct sg_greenlet_thread {
        uintptr_t ident; /* pthread_t: an address just above the thread's stack */
        pid_t tid;
    } threads[SG_MOST_GREENLET_THREADS];
    size_t n_threads;
};

/* Whether the program has loaded the library; nothing is imported. */
bool sg_greenlet_fields_learn(struct sg_greenlet_fields *fields);

bool sg_greenlet_fields_is_greenlet(struct sg_greenlet_fields *fields, uintptr_t object);
/* The frame object of one that is suspended; NULL = it runs, has not begun or has ended. */
PyObject *sg_greenlet_fields_frame(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Whether it can still begin, of one without such a frame. */
bool sg_greenlet_fields_is_new(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* The frames from there on, leaf first, up to `capacity`: how many. */
uint32_t sg_greenlet_fields_walk(struct sg_greenlet_fields *fields, PyObject *frame,
                                 struct sg_frame *frames, uint32_t capacity);
/* The context of one that is suspended; NULL = none. */
PyObject *sg_greenlet_fields_context(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* The name that the program gave it, as gevent's has one; "" = none. No property is asked: gevent
 * makes up a name by Python code. */
void sg_greenlet_fields_name(const struct sg_greenlet_fields *fields, PyObject *greenlet,
                             char text[SG_TEXT_COPY_BYTES]);
/* The thread in whose C stack it has begun; 0 = not known. */
pid_t sg_greenlet_fields_tid(const struct sg_greenlet_fields *fields, PyObject *greenlet);

#endif
