/* While the GIL is held, a slice only compares with what earlier slices have read. What it reads
 * itself is added to the table afterwards, without the GIL. Two lists of asyncio may have the same
 * task, so a slice may read a task twice; its second row is found then. */
#include "threads/dump_seen.h"

#include <stdlib.h>

static int compare_edges(const void *left, const void *right) {
    const struct sg_await_edge *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return a->awaited < b->awaited ? -1 : a->awaited > b->awaited;
}

static void drop_equal_edges(struct sg_thread_dump *dump) {
    size_t n = 0;
    if (dump->edges.n)
        qsort(dump->edges.at, dump->edges.n, sizeof *dump->edges.at, compare_edges);
    for (size_t i = 0; i < dump->edges.n; i++)
        if (!n || compare_edges(&dump->edges.at[n - 1], &dump->edges.at[i]) != 0)
            dump->edges.at[n++] = dump->edges.at[i];
    dump->edges.n = n;
}

void sg_dump_seen_note(struct sg_thread_dump *dump) {
    size_t n = dump->n_noted;
    if (dump->n_noted == dump->n_read)
        return;
    sg_hash_table_reserve(&dump->seen, dump->seen.n + dump->n_read - dump->n_noted);
    for (size_t i = dump->n_noted; i < dump->tasks.n; i++) {
        size_t n_before = dump->seen.n;
        bool is_task = i < dump->n_read; /* else a greenlet, which was added when it was read */
        bool is_added = is_task && sg_hash_table_add(&dump->seen, dump->tasks.at[i].task);
        if (is_added && dump->seen.n == n_before)
            continue; /* a task may be in two lists */
        dump->is_whole &= is_added || !is_task;
        dump->tasks.at[n++] = dump->tasks.at[i];
    }
    if (n < dump->tasks.n)
        drop_equal_edges(dump);
    dump->n_noted = dump->n_read = dump->tasks.n = n;
}
