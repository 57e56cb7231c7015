/* Names of sampled threads, in two lists: `seen` has each thread once, with its present name;
 * `tids` and `names` grow by an entry with each new name, and are what clients receive.
 *
 * A name comes from a job, which reads Python's names, or, if none has come for a while, from
 * /proc/self/task/TID/comm. */
#include "wire/thread_names.h"

#include <stdio.h>
#include <string.h>

#include "platform/proc_files.h"

enum { MAX_NAMES = 1 << 20, MAX_SEEN = 1 << 16, COMM_BYTES = 64 };

void sg_thread_names_open(struct sg_thread_names *threads, struct sg_intern *intern) {
    *threads = (struct sg_thread_names){.intern = intern};
}

void sg_thread_names_close(struct sg_thread_names *threads) {
    sg_vector_free(&threads->tids);
    sg_vector_free(&threads->names);
    SG_ROWS_FREE(&threads->seen);
    memset(threads, 0, sizeof *threads);
}

static struct sg_seen_thread *find(struct sg_thread_names *threads, pid_t tid) {
    for (size_t i = 0; i < threads->seen.n; i++)
        if (threads->seen.at[i].tid == tid)
            return &threads->seen.at[i];
    return NULL;
}

void sg_thread_names_see(struct sg_thread_names *threads, pid_t tid, int64_t mono_ns) {
    if (tid == threads->last_tid || tid == 0)
        return;
    threads->last_tid = tid;
    if (find(threads, tid))
        return;
    if (threads->seen.n == MAX_SEEN) { /* most of this many threads have ended */
        threads->seen.n = threads->n_nameless = 0;
    }
    if (SG_ROWS_ADD(
            &threads->seen,
            (struct sg_seen_thread){.tid = tid, .name = SG_STRING_EMPTY, .seen_mono_ns = mono_ns}))
        threads->n_nameless++;
}

static void name(struct sg_thread_names *threads, struct sg_seen_thread *thread, const char *text) {
    uint32_t row = sg_intern_string(threads->intern, text);
    if (row == thread->name || threads->tids.n >= MAX_NAMES)
        return;
    threads->n_nameless -= thread->name == SG_STRING_EMPTY;
    thread->name = row;
    if (sg_vector_add(&threads->names, row) &&
        !sg_vector_add(&threads->tids, (uint32_t)thread->tid))
        threads->names.n--;
}

void sg_thread_names_set(struct sg_thread_names *threads, pid_t tid, const char *text) {
    struct sg_seen_thread *thread = find(threads, tid);
    if (thread && *text) /* a thread that was never sampled needs no name */
        name(threads, thread, text);
}

void sg_thread_names_ask_system(struct sg_thread_names *threads, int64_t mono_ns) {
    for (size_t i = 0; threads->n_nameless && i < threads->seen.n; i++) {
        struct sg_seen_thread *thread = &threads->seen.at[i];
        char comm[COMM_BYTES];
        if (thread->name != SG_STRING_EMPTY || thread->seen_mono_ns > mono_ns)
            continue;
        size_t size = sg_proc_files_read_thread(thread->tid, "comm", comm, sizeof comm);
        while (size && comm[size - 1] == '\n')
            comm[--size] = '\0';
        if (!size)
            snprintf(comm, sizeof comm, "thread %d", (int)thread->tid); /* it has ended */
        for (char *at = comm; *at; at++)
            if (*at & 0x80)
                *at = '?'; /* the system cuts names at any byte */
        name(threads, thread, comm);
    }
}
