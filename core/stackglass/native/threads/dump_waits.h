/* Waits of a dump's threads: which lock each thread waits for, if locks are hooked. */
#ifndef STACKGLASS_THREADS_DUMP_WAITS_H
#define STACKGLASS_THREADS_DUMP_WAITS_H

#include "threads/dump_rows.h"

/* Read waits until all are read (returns true) or the calling thread's CPU clock reads `end_ns`;
 * the next call continues, and each reads the wait of one thread at least. Called after the threads
 * are read. The caller holds the GIL. */
bool sg_dump_waits_take(struct sg_thread_dump *dump, int64_t end_ns);

#endif
