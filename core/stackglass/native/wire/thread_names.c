/* Names of sampled threads: `seen` has each thread once, with its present name; `tids` and `names`
 * grow by an entry with each new name, and are what clients receive.
 *
 *     its start, in the hook ─▶ expected ─┐
 *     a job that reads Python's names ────┼─▶ name of a seen thread
 *     none for a while: /proc/self/task ──┘
 *
 * A service may start a hundred threads a second, so a thread is found by hash, and a name that no
 * sample needs is never sent. */
#include "wire/thread_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/proc_files.h"

enum { MAX_NAMES = 1 << 20, MAX_SEEN = 1 << 16, MAX_EXPECTED = 1 << 12, COMM_BYTES = 64 };

struct seen {
    uint64_t tid;
    int64_t mono_ns; /* when it was first seen */
    uint32_t name;   /* string; SG_STRING_EMPTY = none yet */
};

void sg_thread_names_open(struct sg_thread_names *threads, struct sg_intern *intern) {
    *threads = (struct sg_thread_names){
        .intern = intern,
        .seen = {.entry_bytes = sizeof(struct seen)},
    };
}

void sg_thread_names_close(struct sg_thread_names *threads) {
    sg_vector_free(&threads->tids);
    sg_vector_free(&threads->names);
    sg_vector_free(&threads->nameless);
    sg_hash_table_free(&threads->seen);
    for (size_t i = 0; threads->expected && i < MAX_EXPECTED; i++)
        free(threads->expected[i].name);
    free(threads->expected);
    memset(threads, 0, sizeof *threads);
}

static void leave_nameless(struct sg_thread_names *threads, pid_t tid) {
    struct sg_vector *nameless = &threads->nameless;
    for (size_t i = 0; i < nameless->n; i++)
        if (nameless->values[i] == (uint32_t)tid) {
            nameless->values[i] = nameless->values[--nameless->n];
            return;
        }
}

static void name(struct sg_thread_names *threads, struct seen *thread, const char *text) {
    uint32_t row = sg_intern_string(threads->intern, text);
    if (row == thread->name)
        return;
    if (thread->name == SG_STRING_EMPTY)
        leave_nameless(threads, (pid_t)thread->tid);
    thread->name = row;
    if (threads->tids.n < MAX_NAMES && sg_vector_add(&threads->names, row) &&
        !sg_vector_add(&threads->tids, (uint32_t)thread->tid))
        threads->names.n--;
}

void sg_thread_names_set(struct sg_thread_names *threads, pid_t tid, const char *text) {
    struct seen *thread = sg_hash_table_find(&threads->seen, (uint64_t)tid);
    if (thread && *text) /* a thread that was never sampled needs no name */
        name(threads, thread, text);
}

/* ---- Threads that were just started ---- */

void sg_thread_names_expect(struct sg_thread_names *threads, pid_t tid, const char *text) {
    if (!tid || !*text)
        return;
    sg_thread_names_set(threads, tid, text); /* it was sampled already, or has an old thread's id */
    if (!threads->expected)
        threads->expected = calloc(MAX_EXPECTED, sizeof *threads->expected);
    if (!threads->expected)
        return;
    struct sg_expected_thread *oldest = &threads->expected[threads->n_expected % MAX_EXPECTED];
    char *copy = strdup(text);
    if (!copy)
        return;
    free(oldest->name);
    *oldest = (struct sg_expected_thread){tid, copy};
    threads->n_expected++;
}

/* Return the name of the newest thread with this tid; NULL = not known. */
static const char *find_expected(const struct sg_thread_names *threads, pid_t tid) {
    size_t n = threads->n_expected < MAX_EXPECTED ? threads->n_expected : MAX_EXPECTED;
    for (size_t i = 1; i <= n; i++) {
        const struct sg_expected_thread *thread =
            &threads->expected[(threads->n_expected - i) % MAX_EXPECTED];
        if (thread->tid == tid)
            return thread->name;
    }
    return NULL;
}

/* ---- Sampled threads ---- */

void sg_thread_names_see(struct sg_thread_names *threads, pid_t tid, int64_t mono_ns) {
    if (tid == threads->last_tid || tid == 0)
        return;
    threads->last_tid = tid;
    if (sg_hash_table_find(&threads->seen, (uint64_t)tid))
        return;
    if (threads->seen.n == MAX_SEEN) { /* most of this many threads have ended */
        sg_hash_table_free(&threads->seen);
        threads->nameless.n = 0;
    }
    if (!sg_vector_add(&threads->nameless, (uint32_t)tid))
        return;
    struct seen *thread = sg_hash_table_add(&threads->seen, (uint64_t)tid);
    const char *text = find_expected(threads, tid);
    if (!thread) {
        threads->nameless.n--;
        return;
    }
    thread->name = SG_STRING_EMPTY;
    thread->mono_ns = mono_ns;
    if (text)
        name(threads, thread, text);
}

static void ask_system(struct sg_thread_names *threads, struct seen *thread) {
    char comm[COMM_BYTES];
    size_t size = sg_proc_files_read_thread((pid_t)thread->tid, "comm", comm, sizeof comm);
    while (size && comm[size - 1] == '\n')
        comm[--size] = '\0';
    if (!size)
        snprintf(comm, sizeof comm, "thread %d", (int)thread->tid); /* it has ended */
    for (char *at = comm; *at; at++)
        if (*at & 0x80)
            *at = '?'; /* the system cuts names at any byte */
    name(threads, thread, comm);
}

void sg_thread_names_ask_system(struct sg_thread_names *threads, int64_t mono_ns) {
    /* backwards: a thread that has got its name is replaced by the last one */
    for (size_t i = threads->nameless.n; i--;) {
        struct seen *thread = sg_hash_table_find(&threads->seen, threads->nameless.values[i]);
        if (thread && thread->mono_ns <= mono_ns)
            ask_system(threads, thread);
    }
}
