/* Context variables: reads a variable's value in a thread's current context, without the GIL.
 *
 *     thread state ──▶ context ──▶ HAMT ──root──▶ node ──▶ node ──▶ (variable, value)
 *
 * A HAMT (hash array mapped trie) never changes: setting a variable makes a new HAMT. Only the
 * thread that has entered a context changes it. So that thread's own signal handler reads both in
 * place. Another thread reads copies, and trusts them only if the first thread did not run
 * meanwhile. */
#ifndef STACKGLASS_INTERPRETER_CONTEXTVARS_H
#define STACKGLASS_INTERPRETER_CONTEXTVARS_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variable; the program must keep it alive. */
struct sg_contextvar {
    uintptr_t address;
    uint32_t hash; /* folded to 32 bits, as in the HAMT */
};

enum sg_contextvar_result {
    SG_CONTEXTVAR_UNSET,
    SG_CONTEXTVAR_FOUND,
    SG_CONTEXTVAR_UNREADABLE, /* it is not known whether the variable is set */
};

/* Copies `size` bytes from `address` to `copy`; returns false if they cannot be read. */
typedef bool sg_read_fn(uintptr_t address, void *copy, size_t size);

/* Learn the layout of contexts, and check it on a context of the engine's own. Returns NULL, or one
 * sentence that says why variables cannot be read. The caller holds the GIL; no code of the program
 * runs. */
const char *sg_contextvars_prepare(void);

/* Fill in `found` for the ContextVar `variable`. Returns false if it is no ContextVar. The caller
 * holds the GIL. */
bool sg_contextvars_identify(PyObject *variable, struct sg_contextvar *found);

/* Find the variable in the current context of the thread state `thread`, and set `value` if it is
 * found. Called after prepare. Async-signal-safe if `read` is. */
enum sg_contextvar_result sg_contextvars_find(const void *thread,
                                              const struct sg_contextvar *variable,
                                              sg_read_fn *read, uintptr_t *value);

/* Is `object` a context? Returns false before prepare, and for NULL. */
bool sg_contextvars_is_context(const void *object);
/* As sg_contextvars_find, in a context that no thread changes meanwhile. */
enum sg_contextvar_result sg_contextvars_find_in(uintptr_t context,
                                                 const struct sg_contextvar *variable,
                                                 sg_read_fn *read, uintptr_t *value);

#endif
