/* Creations of threads: the stack that started each thread.
 *
 *     creator: _thread.start_new_thread ─▶ hook, with the GIL ─▶ list ─▶ writer
 *
 * The new thread needs the GIL before it runs any Python code, and its creator has it until the
 * hook returns. So a thread's creation is in the list before the thread is in any dump, and its
 * pthread_t is that of a thread that lives. Threads that C code starts are not recorded. */
#ifndef STACKGLASS_THREADS_CREATIONS_H
#define STACKGLASS_THREADS_CREATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"

/* Owned by the caller of sg_creations_take, who frees it. */
struct sg_creation {
    struct sg_creation *next;
    pid_t tid; /* of the new thread; 0 = not known */
    pid_t creator;
    uint32_t depth;
    struct sg_frame frames[]; /* (depth,): the creator's stack, leaf first */
};

/* The hook: the calling thread, which holds its GIL, has started a thread. `result` is what the
 * start returned. */
void sg_creations_record(void *result);

/* Record from now on. Lists the Python threads that are there already, each once. Those that have
 * been started and have not begun are followed (threads/births.h). Caller holds the GIL. */
void sg_creations_open(void);
/* Record followed threads that have begun by now, with SG_BEFORE_ATTACH as their stack; tid 0 if
 * one has ended as well. While sg_births_are_due. Caller holds the GIL. */
void sg_creations_look(void);
/* Record no more, and forget what was not taken. Waits until no thread is in the hook: threads of
 * an interpreter with a GIL of its own may be. Caller holds the GIL, or no Python thread runs. */
void sg_creations_close(void);
/* All creations since the last call, newest first, or NULL. Any one thread; no lock. */
struct sg_creation *sg_creations_take(void);
/* Threads that were there when recording began: (n,), constant until the close. By the writer,
 * after the job that opened. */
const pid_t *sg_creations_before(size_t *n);
/* Creations that found no memory. Any thread. */
uint64_t sg_creations_lost(void);
/* A forked child: its memory stays. */
void sg_creations_after_fork_in_child(void);

#endif
