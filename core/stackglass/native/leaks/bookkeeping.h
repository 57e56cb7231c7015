/* References by which threading and asyncio keep account of all threads and tasks. No code wakes a
 * thread or a task through them, so the search for leaks does not follow them.
 *
 *     threading._active      ident ▶ Thread, for every thread
 *     threading._dangling    a WeakSet of every Thread
 *     Thread                 _target, _args, _kwargs: counted as held by the thread's stack
 *     _thread's C code       the bound method Thread._bootstrap, which the thread was started with
 *     asyncio.tasks          WeakSets of every task
 *
 * Guarded by the GIL, and valid while it is held. */
#ifndef STACKGLASS_LEAKS_BOOKKEEPING_H
#define STACKGLASS_LEAKS_BOOKKEEPING_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum { SG_N_START_VALUES = 3, SG_N_WEAK_SETS = 3 };

/* The Thread object of a thread, as threading keeps it; all references are borrowed. All NULL =
 * threading knows no such thread. */
struct sg_kept_thread {
    PyObject *thread;
    PyObject *attributes;               /* the Thread's dictionary; NULL = it has none */
    PyObject *start[SG_N_START_VALUES]; /* NULL = deleted, or None */
};

/* Borrowed; NULL = this Python version has none. */
struct sg_books {
    PyObject *active;                    /* threading._active */
    PyObject *bootstrap;                 /* the function Thread._bootstrap */
    PyObject *weak_sets[SG_N_WEAK_SETS]; /* `data` of each WeakSet: a set of weak references */
};

/* Look up all of these objects by name. */
struct sg_books sg_bookkeeping_find(void);
/* Whether `object` is one of `books->weak_sets`. */
bool sg_bookkeeping_has_weak_set(const struct sg_books *books, PyObject *object);
/* Return the Thread with this ident (pthread_t). */
struct sg_kept_thread sg_bookkeeping_find_thread(const struct sg_books *books, uint64_t ident);

/* If `object` is the bound method Thread._bootstrap, return the Thread that it starts; else
 * NULL. */
PyObject *sg_bookkeeping_started_by(const struct sg_books *books, PyObject *object);
/* Built-in methods, bound to a lock, to which only the interpreter's C code refers while it calls
 * them. Up to 3.13 a `with` statement makes such objects: __enter__ for the call, and on 3.12 and
 * 3.13 also __exit__, which the stack of a thread that has entered keeps. */
enum sg_lock_method {
    SG_NO_LOCK_METHOD,
    SG_LOCK_ACQUIRES, /* acquire, acquire_lock */
    SG_LOCK_ENTERS,   /* __enter__ */
    SG_LOCK_EXITS,    /* __exit__; on 3.12 and 3.13 only */
};
/* Return which of them `object` is, and set `lock` to the lock that it is bound to. */
enum sg_lock_method sg_bookkeeping_lock_method(PyObject *object, PyObject **lock);

/* Whether the finalizer of `object` may run code that wakes a thread or a task: true for a class
 * with __del__ and for types of extensions with a finalizer, false for tasks and futures, whose
 * finalizers only log. */
bool sg_bookkeeping_has_finalizer(PyObject *object);

#endif
