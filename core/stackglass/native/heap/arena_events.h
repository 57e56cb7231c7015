/* Arena events: an MPSC ring of the address space that libraries reserve and release.
 *
 *     mmap, munmap ──▶ ring │ map 0x7f… 64 MiB, 12 frames │ unmap 0x7f… │ … │ ──▶ arenas.h
 *
 * Hooks on any thread write, the writer reads. An event that finds the ring full is lost, and the
 * next drain says so. */
#ifndef STACKGLASS_HEAP_ARENA_EVENTS_H
#define STACKGLASS_HEAP_ARENA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "heap/samples.h"

struct sg_arena_event {
    bool is_unmap;
    uintptr_t start;
    size_t size;
    uintptr_t caller; /* of mmap: an address in the library that reserves */
    pid_t tid;
    uint32_t depth;
    const struct sg_frame *frames; /* leaf first; (depth,), until the reader returns */
};

/* Any thread, between prepare and discard. `frames` are copied. */
void sg_arena_events_add(const struct sg_arena_event *event);
/* May an arena lie in these pages? True too often, but never wrongly false. Any thread. */
bool sg_arena_events_concern(uintptr_t start, size_t size);

/* Deliver the events, oldest first. False if one was lost since the last call. One thread. */
bool sg_arena_events_drain(void (*deliver)(const struct sg_arena_event *event));

int sg_arena_events_prepare(void); /* 0 or -1 */
/* No other thread is inside. */
void sg_arena_events_discard(void);

#endif
