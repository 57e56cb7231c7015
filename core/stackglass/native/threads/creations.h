/* Creations: the stack that started each Python thread, and the name that the thread had then.
 *
 *     creator: _thread.start_new_thread ─▶ hook, with the GIL ─▶ list ─▶ writer
 *
 * A new thread needs the GIL before it runs Python code, and its creator holds the GIL until the
 * hook returns. So a thread's creation is in the list before the thread is in any dump, and its
 * pthread_t belongs to a living thread. Threads that C code starts are not recorded. */
#ifndef STACKGLASS_THREADS_CREATIONS_H
#define STACKGLASS_THREADS_CREATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/frame.h"

/* A creation. The caller of sg_creations_take owns and frees it. */
struct sg_creation {
    struct sg_creation *next;
    pid_t tid; /* the new thread; 0 = not known */
    pid_t creator;
    uint32_t depth;
    const char *name;         /* of the new thread; "" = not known. It stands behind the frames. */
    struct sg_frame frames[]; /* (depth,): the creator's stack, leaf first */
};

/* Record a creation: the hook calls this in the thread that has started another thread and holds
 * its GIL (sg_on_start). */
void sg_creations_record(void *function, void *result);

/* Begin to record. Lists the Python threads that exist already, each once; threads that were
 * started but have not begun are followed (threads/births.h). The caller holds the GIL. */
void sg_creations_open(void);
/* Record the followed threads that have begun by now, with SG_BEFORE_ATTACH as their stack; tid 0
 * if a thread has ended as well. Called while sg_births_are_due returns true. The caller holds the
 * GIL. */
void sg_creations_look(void);
/* Stop recording, and free the creations that were not taken. Waits until no thread is in the hook,
 * because threads of an interpreter with its own GIL may be. The caller holds the GIL, or no Python
 * thread runs. */
void sg_creations_close(void);
/* Return all creations since the last call, newest first, or NULL. Lock-free; one thread at a
 * time. */
struct sg_creation *sg_creations_take(void);
/* Return the tids (n,) of the threads that existed when recording began; constant until the close.
 * The writer calls it after the job that opened the recording. */
const pid_t *sg_creations_before(size_t *n);
/* Return how many threads are missing because memory was short: from the creations, from the list
 * of sg_creations_before, or from those that are followed. Any thread may call this. */
uint64_t sg_creations_lost(void);
/* Reset the state in a forked child, without freeing memory. */
void sg_creations_after_fork_in_child(void);

#endif
