/* Threads by number: see snapshot_threads.h. */
#include "waits/snapshot_threads.h"

#include <stdlib.h>
#include <string.h>

#include "platform/futex_sleepers.h"
#include "platform/time.h"

enum { LEAST_ROOM = 256 };

static size_t place_of(const struct sg_snapshot_threads *threads, pid_t tid) {
    size_t mask = 2 * threads->capacity - 1;
    size_t at = (uint32_t)tid * UINT32_C(0x9E3779B1) & mask;
    while (threads->places[at] && threads->all[threads->places[at] - 1].tid != tid)
        at = (at + 1) & mask;
    return at;
}

bool sg_snapshot_threads_open(struct sg_snapshot_threads *threads) {
    size_t n, room = LEAST_ROOM;
    struct sg_sleeper *sleepers = sg_futex_sleepers_list(&n);
    while (room < 2 * n)
        room *= 2;
    *threads = (struct sg_snapshot_threads){
        .all = calloc(room, sizeof *threads->all),
        .places = calloc(2 * room, sizeof *threads->places),
        .capacity = room,
    };
    bool has_memory = threads->all && threads->places;
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
    free(threads->places);
    memset(threads, 0, sizeof *threads);
}

struct sg_snapshot_thread *sg_snapshot_threads_find(const struct sg_snapshot_threads *threads,
                                                    pid_t tid) {
    uint32_t number = threads->capacity ? threads->places[place_of(threads, tid)] : 0;
    return number ? &threads->all[number - 1] : NULL;
}

struct sg_snapshot_thread *sg_snapshot_threads_add(struct sg_snapshot_threads *threads, pid_t tid) {
    struct sg_snapshot_thread *seen = sg_snapshot_threads_find(threads, tid);
    if (seen || threads->n == threads->capacity)
        return seen;
    seen = &threads->all[threads->n];
    seen->tid = tid;
    threads->places[place_of(threads, tid)] = (uint32_t)++threads->n;
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
