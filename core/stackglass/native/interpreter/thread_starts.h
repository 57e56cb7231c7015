/* Thread starts: records which thread has started which, if C code calls pthread_create.
 *
 *     OpenBLAS, Arrow, tokio ──▶ sg_thread_starts_create ──▶ pthread_create
 *                                     └──▶ slots: new thread, starter ──▶ writer
 *
 * native_memory/native_alloc puts sg_thread_starts_create into the import tables of libraries. The
 * function may run on any thread at any time: it allocates nothing, never waits, and passes the
 * call on unchanged. Starts by Python are recorded elsewhere (threads/creations.h). */
#ifndef STACKGLASS_INTERPRETER_THREAD_STARTS_H
#define STACKGLASS_INTERPRETER_THREAD_STARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* Call pthread_create, and record the start if recording is on. */
int sg_thread_starts_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument);

/* Turn recording on, or turn it off and forget the starts that were not taken. Also in a forked
 * child. */
void sg_thread_starts_record(bool is_on);

struct sg_thread_start {
    pid_t tid, starter;
    bool is_python; /* the starter has a Python thread state */
};
/* Take up to `max` starts, in no order, and return how many there are. Starts that found no free
 * slot are missing, and nothing counts them. One thread at a time. */
size_t sg_thread_starts_take(struct sg_thread_start *starts, size_t max);

#endif
