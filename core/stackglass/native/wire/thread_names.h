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

#include "platform/hash_table.h"
#include "platform/vector.h"
#include "wire/intern.h"

/* A thread that was just started: only if it is sampled does it need its name. */
struct sg_expected_thread {
    pid_t tid;  /* 0 = free */
    char *name; /* owned */
};

struct sg_thread_names {
    struct sg_intern *intern;     /* borrowed: the writer's */
    struct sg_vector tids, names; /* (n,): names are strings */

    struct sg_hash_table seen; /* sampled threads, with their present names; emptied when full */
    struct sg_vector nameless; /* tids of those that have no name yet */
    bool is_urgent;            /* a client waits for the names of threads without one */
    pid_t last_tid; /* tid of the last sample, because samples of a thread come in runs */

    struct sg_expected_thread *expected; /* a ring of the threads started last; NULL = none yet */
    size_t n_expected;                   /* how many have been put there */
};

void sg_thread_names_open(struct sg_thread_names *threads, struct sg_intern *intern);
void sg_thread_names_close(struct sg_thread_names *threads);

/* Note that a sample of this thread was drained. */
void sg_thread_names_see(struct sg_thread_names *threads, pid_t tid, int64_t mono_ns);
/* Note the name with which a thread was started; "" = not known. */
void sg_thread_names_expect(struct sg_thread_names *threads, pid_t tid, const char *name);
/* Set the name that the program gave the thread. */
void sg_thread_names_set(struct sg_thread_names *threads, pid_t tid, const char *name);
/* Give the system's name (/proc/self/task/TID/comm) to threads that were first sampled before
 * `mono_ns` and have no name yet; "thread TID" to those that have ended. */
void sg_thread_names_ask_system(struct sg_thread_names *threads, int64_t mono_ns);

#endif
