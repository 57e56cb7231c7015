/* Context variables: a variable's value in a thread's current context, read without the GIL.
 *
 *     thread state ──▶ context ──▶ HAMT ──root──▶ node ──▶ node ──▶ (variable, value)
 *
 * A HAMT never changes: setting a variable makes another one. A context changes only by the thread
 * that is inside it. So that thread's own signal handler reads both in place. Another thread reads
 * copies, and trusts them only if the first one did not run meanwhile. */
#ifndef STACKGLASS_INTERPRETER_CONTEXTVARS_H
#define STACKGLASS_INTERPRETER_CONTEXTVARS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variable; the program must keep it alive. */
struct sg_contextvar {
    uintptr_t address;
    uint32_t hash; /* as the HAMT folds it */
};

enum sg_contextvar_result {
    SG_CONTEXTVAR_UNSET,
    SG_CONTEXTVAR_FOUND,
    SG_CONTEXTVAR_UNREADABLE, /* whether it is set is not known */
};

/* Copies `size` bytes from `address`; false if they cannot be read. */
typedef bool sg_read_fn(uintptr_t address, void *copy, size_t size);

/* Learn the layout of contexts, and prove it on contexts of the engine's own. NULL, or one sentence
 * that says why variables cannot be read. Caller holds the GIL; runs no code of the program. */
const char *sg_contextvars_prepare(void);

/* False if `variable` is no ContextVar. Caller holds the GIL. */
bool sg_contextvars_identify(PyObject *variable, struct sg_contextvar *found);

/* After prepare. `thread` is a thread state; `value` is set if it is found. Async-signal-safe if
 * `read` is. */
enum sg_contextvar_result sg_contextvars_find(const void *thread,
                                              const struct sg_contextvar *variable,
                                              sg_read_fn *read, uintptr_t *value);

/* The same in a context that no thread changes meanwhile. False if the object is none. */
bool sg_contextvars_is_context(const void *object);
enum sg_contextvar_result sg_contextvars_find_in(uintptr_t context,
                                                 const struct sg_contextvar *variable,
                                                 sg_read_fn *read, uintptr_t *value);

#endif
