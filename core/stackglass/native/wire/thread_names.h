/* Thread names: the names that the program gave its threads, or else the system's names.
 *
 * They are a list of (tid, name) that only grows; the last entry of a tid counts. The writer owns
 * the list. */
#ifndef STACKGLASS_WIRE_THREAD_NAMES_H
#define STACKGLASS_WIRE_THREAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"
#include "wire/intern.h"

struct sg_seen_thread {
    pid_t tid;
    uint32_t name; /* string; SG_STRING_EMPTY = none yet */
    int64_t seen_mono_ns;
};

struct sg_thread_names {
    struct sg_intern *intern;     /* borrowed: the writer's */
    struct sg_vector tids, names; /* (n,): names are strings */

    /* Every sampled thread, with its present name; cleared when it has too many. */
    struct SG_ROWS_OF(struct sg_seen_thread) seen;
    size_t n_nameless;
    bool is_urgent; /* a client waits for the names of threads without one */
    pid_t last_tid; /* tid of the last sample, because samples of a thread come in runs */
};

void sg_thread_names_open(struct sg_thread_names *threads, struct sg_intern *intern);
void sg_thread_names_close(struct sg_thread_names *threads);

/* Note that a sample of this thread was drained. */
void sg_thread_names_see(struct sg_thread_names *threads, pid_t tid, int64_t mono_ns);
/* Set the name that the program gave the thread. */
void sg_thread_names_set(struct sg_thread_names *threads, pid_t tid, const char *name);
/* Give the system's name (/proc/self/task/TID/comm) to threads that were first sampled before
 * `mono_ns` and have no name yet; "thread TID" to those that have ended. */
void sg_thread_names_ask_system(struct sg_thread_names *threads, int64_t mono_ns);

#endif
