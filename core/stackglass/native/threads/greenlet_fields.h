/* Greenlet fields: the frames, the name and the thread of a greenlet (greenlet 1.x to 3.x), read
 * without running code of the program.
 *
 *     gr_frame, a C getter ─▶ innermost frame ─previous─▶ … ─▶ outermost frame of the greenlet
 *
 * `gr_frame` is None while the greenlet runs, before it has begun and after its end. While a
 * greenlet is suspended, other greenlets use the memory of its C stack, including the interpreter's
 * entry frames in it; from Python 3.12 on the library links the frames around these entry frames.
 * Each frame is checked before it is read. The caller holds the GIL; returned objects are borrowed
 * from the greenlet. */
#ifndef STACKGLASS_THREADS_GREENLET_FIELDS_H
#define STACKGLASS_THREADS_GREENLET_FIELDS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"
#include "threads/text_copy.h"

enum {
    /* sizes of two direct-mapped caches, powers of two */
    SG_MOST_GREENLET_TYPES = 256,
    SG_MOST_GREENLET_PAGES = 512,
    /* with so many threads or more, a greenlet's thread is not known */
    SG_MOST_GREENLET_THREADS = 1024,
};

/* What is needed to read greenlets. Valid as long as the GIL is held. */
struct sg_greenlet_fields {
    PyTypeObject *greenlet; /* borrowed from its module; NULL = the library is not loaded */
    const PyGetSetDef *frame, *dead, *context;
    inquiry is_active; /* the library's nb_bool: whether a greenlet has begun and not ended */
    bool has_parts;    /* from 2.0 on a greenlet points to a C++ object with its state */

    struct sg_greenlet_type {
        uintptr_t type;
        bool is_greenlet;
    } types[SG_MOST_GREENLET_TYPES];
    uintptr_t pages[SG_MOST_GREENLET_PAGES]; /* numbers of pages that can be read */
    struct sg_greenlet_thread {
        uintptr_t ident; /* pthread_t: an address just above the thread's stack */
        pid_t tid;
    } threads[SG_MOST_GREENLET_THREADS];
    size_t n_threads;
};

/* Find the library's type and getters. Returns false if the program has not loaded the library;
 * nothing is imported. */
bool sg_greenlet_fields_learn(struct sg_greenlet_fields *fields);

bool sg_greenlet_fields_is_greenlet(struct sg_greenlet_fields *fields, uintptr_t object);
/* Return the frame object of a suspended greenlet; NULL if it runs, has not begun or has ended. */
PyObject *sg_greenlet_fields_frame(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Return whether a greenlet without a frame object has not begun yet. */
bool sg_greenlet_fields_is_new(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Return whether a greenlet without a frame object has begun and does not run. Then all its frames
 * are compiled code. */
bool sg_greenlet_fields_is_suspended(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Write the frames from `frame` to the greenlet's outermost one, leaf first, up to `capacity`.
 * Returns their number. */
uint32_t sg_greenlet_fields_walk(struct sg_greenlet_fields *fields, PyObject *frame,
                                 struct sg_frame *frames, uint32_t capacity);
/* Return the context (contextvars) of a suspended greenlet; NULL = none. */
PyObject *sg_greenlet_fields_context(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Copy the attribute `name` if the program has set it, as gevent's greenlets allow; "" = none. A
 * property is not read, because that would run Python code. */
void sg_greenlet_fields_name(const struct sg_greenlet_fields *fields, PyObject *greenlet,
                             char text[SG_TEXT_COPY_BYTES]);
/* Return the thread on the C stack of which the greenlet began; 0 = not known. */
pid_t sg_greenlet_fields_tid(const struct sg_greenlet_fields *fields, PyObject *greenlet);

#endif
