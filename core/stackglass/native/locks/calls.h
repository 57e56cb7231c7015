/* The methods that are led through us, and how their originals are called. */
#ifndef STACKGLASS_LOCKS_CALLS_H
#define STACKGLASS_LOCKS_CALLS_H

#include <Python.h>

#include <stdbool.h>

#include "interpreter/method_patch.h"

/* One row a method; each name is a definition of its own, also where it is another's alias. */
enum sg_lock_row {
    SG_LOCK_ACQUIRE,
    SG_LOCK_ACQUIRE_LOCK,
    SG_LOCK_ENTER,
    SG_LOCK_RELEASE,
    SG_LOCK_RELEASE_LOCK,
    SG_LOCK_EXIT,
    SG_RLOCK_ACQUIRE,
    SG_RLOCK_ENTER,
    SG_RLOCK_ACQUIRE_RESTORE, /* after Condition.wait */
    SG_RLOCK_RELEASE,
    SG_RLOCK_EXIT,
    SG_RLOCK_RELEASE_SAVE, /* before it */
    SG_SIMPLE_QUEUE_GET,
    SG_THREAD_JOIN,
    SG_N_LOCK_ROWS,
};

/* Written with the GIL held when methods are swapped. The originals stay when they are put back,
 * for calls that are under way or come through somebody's cover. */
extern struct sg_method_patch sg_lock_calls_patches[SG_N_LOCK_ROWS];

/* May the call wait, by its arguments? Nothing of the program's is run to find out. */
enum sg_lock_patience {
    SG_LOCK_NEVER_WAITS, /* blocking=False, timeout=0 */
    SG_LOCK_MAY_WAIT,
    SG_LOCK_IS_UNCLEAR, /* objects of other types, or what will be refused */
};
enum sg_lock_patience sg_lock_calls_patience_of(enum sg_lock_row row,
                                                const struct sg_method_patch_call *call);

/* Take a lock without waiting, by its own original. True, False or NULL, new reference. */
PyObject *sg_lock_calls_try(PyObject *lock, bool is_rlock);
/* Questions to an object's own C method, whatever a subclass makes of its name. */
enum sg_lock_question {
    SG_RLOCK_IS_OWNED,
    SG_QUEUE_IS_EMPTY,
    SG_THREAD_IS_DONE,
    SG_N_LOCK_QUESTIONS
};
bool sg_lock_calls_ask(enum sg_lock_question question, PyObject *object);
/* The method of `type` that answers. */
void sg_lock_calls_learn_answer(enum sg_lock_question question, PyObject *type);
/* Make what calls need; false if there is no memory. In the engine's interpreter, before any call.
 */
bool sg_lock_calls_prepare(void);

/* How often a lock was taken, by what _release_save gave; 0 = not by the calling thread, or it
 * cannot be told. */
unsigned long sg_lock_calls_rlock_times_of(const struct sg_method_patch_call *acquire_restore);

#endif
