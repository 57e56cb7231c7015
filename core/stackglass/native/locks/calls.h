/* The patched methods of locks, and calls of their originals. */
#ifndef STACKGLASS_LOCKS_CALLS_H
#define STACKGLASS_LOCKS_CALLS_H

#include <Python.h>

#include <stdbool.h>

#include "interpreter/method_patch.h"
#include "platform/export.h"

/* One row for each method. An alias such as acquire_lock has a method definition of its own. */
enum sg_lock_row {
    SG_LOCK_ACQUIRE,
    SG_LOCK_ACQUIRE_LOCK,
    SG_LOCK_ENTER,
    SG_LOCK_RELEASE,
    SG_LOCK_RELEASE_LOCK,
    SG_LOCK_EXIT,
    SG_RLOCK_ACQUIRE,
    SG_RLOCK_ENTER,
    SG_RLOCK_ACQUIRE_RESTORE, /* at the end of Condition.wait */
    SG_RLOCK_RELEASE,
    SG_RLOCK_EXIT,
    SG_RLOCK_RELEASE_SAVE, /* at the beginning of Condition.wait */
    SG_SIMPLE_QUEUE_GET,
    SG_THREAD_JOIN,
    SG_N_LOCK_ROWS,
};

/* Written with the GIL held when methods are patched. The originals stay after a restore, for calls
 * under way and for callers that have kept a patched method. */
extern SG_NEAR struct sg_method_patch sg_lock_calls_patches[SG_N_LOCK_ROWS];

/* Whether a call may wait, as far as its arguments show. Runs no code of the program. */
enum sg_lock_patience {
    SG_LOCK_NEVER_WAITS, /* blocking=False, timeout=0 */
    SG_LOCK_MAY_WAIT,
    SG_LOCK_IS_UNCLEAR, /* arguments that are not plain numbers, or that will be refused */
};
enum sg_lock_patience sg_lock_calls_patience_of(enum sg_lock_row row,
                                                const struct sg_method_patch_call *call);

/* Take a lock without waiting: call the original acquire(False). Returns True or False, a new
 * reference; NULL = an exception. */
PyObject *sg_lock_calls_try(PyObject *lock, bool is_rlock);
/* Questions about an object. sg_lock_calls_ask calls the C method of the built-in type, even if a
 * subclass overrides it; it returns false if the method is missing or raises. */
enum sg_lock_question {
    SG_RLOCK_IS_OWNED,
    SG_QUEUE_IS_EMPTY,
    SG_THREAD_IS_DONE,
    SG_N_LOCK_QUESTIONS
};
bool sg_lock_calls_ask(enum sg_lock_question question, PyObject *object);
/* Find the C method of `type` that answers `question`, for sg_lock_calls_ask. */
void sg_lock_calls_learn_answer(enum sg_lock_question question, PyObject *type);
/* Make the arguments of sg_lock_calls_try. Returns false if memory is short. Called in the engine's
 * interpreter, before any other function here. */
bool sg_lock_calls_prepare(void);

/* Return the recursion count that a call of _acquire_restore(state) restores; 0 = the state has
 * another owner than the calling thread, or is not (count, owner). */
unsigned long sg_lock_calls_rlock_times_of(const struct sg_method_patch_call *acquire_restore);

#endif
