/* Starts of threads by C code: which thread has called pthread_create.
 *
 *     OpenBLAS, Arrow, tokio ──▶ sg_thread_starts_create ──▶ pthread_create
 *                                     └──▶ slots: new thread, starter ──▶ writer
 *
 * The function stands in the import tables of libraries (native_memory/native_alloc). It may run on
 * any thread at any time: it allocates nothing, waits for nothing, and changes nothing of the call.
 * Python's own starts are recorded elsewhere (threads/creations.h). */
#ifndef STACKGLASS_INTERPRETER_THREAD_STARTS_H
#define STACKGLASS_INTERPRETER_THREAD_STARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* pthread_create, recorded. */
int sg_thread_starts_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument);

/* Record from now on, or no more; then what was not taken is forgotten. Also in a forked child. */
void sg_thread_starts_record(bool is_on);

struct sg_thread_start {
    pid_t tid, starter;
    bool is_python; /* the starter has a Python thread state */
};
/* Up to `max` starts, in no order; those that found no slot are missing. Any one thread. */
size_t sg_thread_starts_take(struct sg_thread_start *starts, size_t max);

#endif
