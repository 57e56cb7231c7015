/* Arena events: an MPSC ring of the address space that libraries reserve and release.
 *
 *     mmap, munmap ──▶ ring │ map 0x7f… 64 MiB, 12 frames │ unmap 0x7f… │ … │ ──▶ arenas.h
 *
 * Hooks write on any thread; the engine's writer thread reads. If the ring is full, an event is
 * lost, and the next drain reports that. */
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
    uintptr_t caller; /* return address of mmap, in the library that reserves; unmap: 0 */
    pid_t tid;
    uint32_t depth;                /* unmap: 0 */
    const struct sg_frame *frames; /* (depth,), leaf first; valid until `deliver` returns */
};

/* Add an event; `frames` are copied. Any thread, between prepare and discard. */
void sg_arena_events_add(const struct sg_arena_event *event);
/* May an arena overlap [start, start + size)? If this returns false, none does. Any thread. */
bool sg_arena_events_concern(uintptr_t start, size_t size);

/* Return the number of events that were lost since prepare. Any thread. */
uint64_t sg_arena_events_lost(void);

/* Deliver the events, oldest first. Returns false if an event was lost since the last call. One
 * thread at a time. */
bool sg_arena_events_drain(void (*deliver)(const struct sg_arena_event *event));

/* Allocate the ring. Returns 0, or -1 if memory is short. */
int sg_arena_events_prepare(void);
/* Free the ring and drop its events. No other thread is inside these functions. */
void sg_arena_events_discard(void);

#endif
