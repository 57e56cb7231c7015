/* Arenas that libraries reserve and release, on the way from the threads that do it to the writer.
 *
 *     mmap, munmap ──▶ ring │ map 0x7f… 64 MiB, 12 frames │ unmap 0x7f… │ … │ ──▶ arenas.h
 *
 * Any thread writes, in a hook; the writer reads. An event that finds the ring full is lost, and
 * that is counted. */
#ifndef STACKGLASS_HEAP_ARENA_EVENTS_H
#define STACKGLASS_HEAP_ARENA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

struct sg_arena_event {
    bool is_unmap;
    uintptr_t start;
    size_t size;
    uintptr_t caller; /* of mmap: an address in the library that reserves */
    pid_t tid;
    uint32_t depth;
    struct sg_frame *frames; /* leaf first; (depth,), until the reader returns */
};

/* Any thread, between prepare and discard. `frames` are copied. */
void sg_arena_events_leave(const struct sg_arena_event *event);
/* May an arena lie in these pages? Says yes too often, but never wrongly no. Any thread. */
bool sg_arena_events_concern(uintptr_t start, size_t size);

/* Hand out the events, oldest first. False if one was lost since the last time. One thread. */
bool sg_arena_events_drain(void (*take)(const struct sg_arena_event *event));

int sg_arena_events_prepare(void); /* 0 or -1 */
/* Nobody else is at work. */
void sg_arena_events_discard(void);

#endif
