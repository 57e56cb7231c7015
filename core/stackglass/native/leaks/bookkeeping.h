/* References that are no way to wake a thread or a task: the books that threading and asyncio keep.
 *
 *     threading._active      ident ▶ Thread     of every thread
 *     threading._dangling    a WeakSet of them
 *     Thread                 _target, _args, _kwargs: what start() has handed to the thread's stack
 *     the starter in C       one reference to Thread._bootstrap, bound
 *     asyncio.tasks          WeakSets of every task
 *
 * Guarded by the GIL, and valid while it is held. */
#ifndef STACKGLASS_LEAKS_BOOKKEEPING_H
#define STACKGLASS_LEAKS_BOOKKEEPING_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum { SG_N_START_VALUES = 3, SG_N_BOOKS = 4 };

/* A Thread, as threading keeps it; borrowed. All NULL = the thread has none. */
struct sg_kept_thread {
    PyObject *thread;
    PyObject *attributes;               /* its dictionary; NULL = it has none */
    PyObject *start[SG_N_START_VALUES]; /* NULL = deleted, or None */
};

struct sg_books {
    PyObject *active;            /* threading's dictionary; borrowed */
    PyObject *bootstrap;         /* the function Thread._bootstrap; borrowed */
    PyObject *lists[SG_N_BOOKS]; /* sets of weak references; borrowed */
};

/* Look the books up by name. */
struct sg_books sg_bookkeeping_find(void);
bool sg_bookkeeping_has_list(const struct sg_books *books, PyObject *object);
/* The Thread of this ident (pthread_t). */
struct sg_kept_thread sg_bookkeeping_find_thread(const struct sg_books *books, uint64_t ident);

/* The object that a bound method is of, if it is Thread._bootstrap; else NULL. */
PyObject *sg_bookkeeping_starts(const struct sg_books *books, PyObject *object);
/* The lock that a bound method of C code enters or acquires; else NULL. Up to 3.13 a `with` keeps
 * such an object, and no variable refers to it. 3.12 and 3.13 keep that of __exit__ beside it. */
PyObject *sg_bookkeeping_enters(PyObject *object);

/* May the end of an object run code? True for a class with __del__, and for extensions' types;
 * false for tasks and futures, which only log. */
bool sg_bookkeeping_has_finalizer(PyObject *object);

#endif
