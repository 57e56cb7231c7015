/* Threads lie in one allocation, and a hash table maps thread ids to them. They never move, so a
 * pointer to one stays valid for the snapshot; hence the allocation does not grow: it has room for
 * twice the sleepers, 256 at least, and later threads are left out. */
#include "waits/snapshot_threads.h"

#include <stdlib.h>
#include <string.h>

#include "platform/futex_sleepers.h"
#include "platform/time.h"

enum { LEAST_ROOM = 256 };

struct place {
    uint64_t tid;
    size_t position;
};

bool sg_snapshot_threads_open(struct sg_snapshot_threads *threads) {
    size_t n, room = LEAST_ROOM;
    struct sg_sleeper *sleepers = sg_futex_sleepers_list(&n);
    while (room < 2 * n)
        room *= 2;
    *threads = (struct sg_snapshot_threads){
        .all = calloc(room, sizeof *threads->all),
        .by_tid.entry_bytes = sizeof(struct place),
        .capacity = room,
    };
    bool has_memory = threads->all && sg_hash_table_reserve(&threads->by_tid, room);
    for (size_t i = 0; has_memory && i < n; i++) {
        struct sg_snapshot_thread *seen = sg_snapshot_threads_add(threads, sleepers[i].tid);
        if (!seen)
            break;
        seen->futex = sleepers[i].futex;
        seen->cpu_ns = sleepers[i].cpu_ns;
    }
    free(sleepers);
    if (!has_memory)
        sg_snapshot_threads_close(threads);
    return has_memory;
}

void sg_snapshot_threads_close(struct sg_snapshot_threads *threads) {
    for (size_t i = 0; i < threads->n; i++)
        free(threads->all[i].frames);
    free(threads->all);
    sg_hash_table_free(&threads->by_tid);
    memset(threads, 0, sizeof *threads);
}

struct sg_snapshot_thread *sg_snapshot_threads_find(const struct sg_snapshot_threads *threads,
                                                    pid_t tid) {
    const struct place *place = sg_hash_table_find(&threads->by_tid, (uint32_t)tid);
    return place ? &threads->all[place->position] : NULL;
}

struct sg_snapshot_thread *sg_snapshot_threads_add(struct sg_snapshot_threads *threads, pid_t tid) {
    struct sg_snapshot_thread *seen = sg_snapshot_threads_find(threads, tid);
    if (seen || threads->n == threads->capacity)
        return seen;
    struct place *place = sg_hash_table_add(&threads->by_tid, (uint32_t)tid);
    if (!place)
        return NULL;
    place->position = threads->n;
    seen = &threads->all[threads->n++];
    seen->tid = tid;
    return seen;
}

void sg_snapshot_threads_read(struct sg_snapshot_thread *seen, const void *thread,
                              enum sg_walked what) {
    uint32_t depth;
    const struct sg_frame *frames = sg_snapshot_walk(thread, what, &depth);
    free(seen->frames);
    seen->frames = malloc((depth + 1) * sizeof *frames);
    seen->depth = seen->frames ? depth : 0;
    if (seen->frames)
        memcpy(seen->frames, frames, depth * sizeof *frames);
    seen->seen_mono_ns = sg_time_mono_ns();
}
