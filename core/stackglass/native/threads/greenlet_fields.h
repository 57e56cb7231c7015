/* Greenlet fields: what the dump reads of a greenlet: its frames, name, context and thread
 * (greenlet 1.x to 3.x). No code of the program runs.
 *
 *     gr_frame, a C getter ─▶ innermost frame ─previous─▶ … ─▶ outermost frame of the greenlet
 *
 * `gr_frame` is None before the greenlet begins, while it runs and after its end.
 *
 * While a greenlet is suspended, other greenlets of its thread run on the same C stack and
 * overwrite its part of it. The interpreter's entry frames lie there. From Python 3.12 on the
 * library links the other frames around them. Each frame is checked before it is read.
 *
 * The caller holds the GIL. Returned objects are borrowed from the greenlet. */
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
    /* If the program has this many threads, no greenlet's thread is known: it is found by
     * comparison with all threads, and an incomplete list would give a wrong one. */
    SG_MOST_GREENLET_THREADS = 1024,
};

/* The library's type and getters, caches, and the program's threads. Valid as long as the GIL is
 * held: a caller that has released the GIL learns them again. */
struct sg_greenlet_fields {
    PyTypeObject *greenlet; /* borrowed from its module; NULL = the library is not loaded */
    const PyGetSetDef *frame, *dead, *context;
    inquiry is_active;     /* the library's nb_bool: whether a greenlet has begun and not ended */
    bool has_state_object; /* from 2.0 on a greenlet points to a C++ object with its state */

    /* Cache by the address of a type: whether its objects are greenlets. */
    struct sg_greenlet_type {
        uintptr_t type;
        bool is_greenlet;
    } types[SG_MOST_GREENLET_TYPES];
    /* Cache: numbers of pages that can be read. */
    uintptr_t pages[SG_MOST_GREENLET_PAGES];
    struct sg_greenlet_thread {
        uintptr_t ident; /* pthread_t: just above the thread's C stack, but the main thread's */
        pid_t tid;
    } threads[SG_MOST_GREENLET_THREADS];
    size_t n_threads;
};

/* Fill in `fields`, with empty caches. Returns false if the program has not loaded the library, or
 * if the library has no such getters; then the other functions must not be called. Nothing is
 * imported. */
bool sg_greenlet_fields_learn(struct sg_greenlet_fields *fields);

/* Return whether the object at `object` is a greenlet. The functions below take only greenlets. */
bool sg_greenlet_fields_is_greenlet(struct sg_greenlet_fields *fields, uintptr_t object);
/* Return whether the greenlet has not begun. */
bool sg_greenlet_fields_is_new(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Return whether the greenlet is certainly suspended: part of its C stack was copied away. May miss
 * a suspended one. */
bool sg_greenlet_fields_is_suspended(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Return the innermost frame object of a suspended greenlet. NULL = the greenlet is not suspended,
 * or all its frames are compiled code. */
PyObject *sg_greenlet_fields_frame(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Write the frames from `frame` to the greenlet's outermost one, leaf first, up to `capacity`.
 * Returns their number. Frames that cannot be read end the stack early. */
uint32_t sg_greenlet_fields_walk(struct sg_greenlet_fields *fields, PyObject *frame,
                                 struct sg_frame *frames, uint32_t capacity);
/* Return the context (contextvars) of a suspended or new greenlet; NULL = none. */
PyObject *sg_greenlet_fields_context(const struct sg_greenlet_fields *fields, PyObject *greenlet);
/* Copy the attribute `name` if the program has set it, as gevent's greenlets allow; "" = none. A
 * property is not read, because that would run Python code. */
void sg_greenlet_fields_name(const struct sg_greenlet_fields *fields, PyObject *greenlet,
                             char text[SG_TEXT_COPY_BYTES]);
/* Return the thread to which a suspended greenlet belongs: the greenlet began on this thread's C
 * stack. 0 = not known. */
pid_t sg_greenlet_fields_tid(const struct sg_greenlet_fields *fields, PyObject *greenlet);

#endif
