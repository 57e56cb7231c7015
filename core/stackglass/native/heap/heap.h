/* The heap profiler: its lifecycle, rate and status. Readers: reader.h; other allocators:
 * native_blocks.h.
 *
 *     allocator hooks ──1 in `rate` bytes──▶ stack ──▶ bucket ◀── block ◀── free
 *     (MEM and OBJ, under the GIL)                       │
 *     malloc patch (any thread) ─────────────────────────┤ live, as of the last full collection
 *     collector: start, stop ──▶ cycles, collections     ▼ sg_heap_reader_read
 *
 * Once a session, in this order: sg_cpu_prepare, sg_heap_prepare, sg_heap_set_rate any number of
 * times, sg_heap_unprepare, sg_cpu_unprepare (the sampler numbers the code objects). */
#ifndef STACKGLASS_HEAP_HEAP_H
#define STACKGLASS_HEAP_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Make the tables, listen to the collector and hook the allocators, at rate 0. `start_mono_ns` is
 * time 0 of events; `depth` frames are kept of a stack (frames/stack_depth.h). NULL, or one English
 * sentence that says why not; then nothing has changed. Caller holds the GIL; sg_cpu_prepare has
 * succeeded. */
const char *sg_heap_prepare(int64_t start_mono_ns, uint32_t depth);
/* Undo it and free the tables. Hooks that another tool has hooked above stay as pass-throughs, and
 * the next session uses them again. Caller holds the GIL, or no Python thread runs any more; no
 * other call of this header is under way. */
void sg_heap_unprepare(void);

/* Sample one byte in `rate` on average: 1 = every allocation, 0 = none. Any thread, no GIL. Acts
 * with each thread's next allocation or, if that raced with the call, after the next
 * sg_heap_maintain.
 * Blocks that were sampled before are followed at every rate. */
void sg_heap_set_rate(uint64_t rate);

/* Several times a second while prepared; one thread, no GIL. */
void sg_heap_maintain(void);

/* Check that the hooks are still called, by allocating. A tool below the engine that leaves
 * (tracemalloc.stop() of a trace that began before the attach) restores what it found, which
 * removes the hooks. Then: hook again, and forget the live blocks, some of which may have been
 * freed unseen. False if that had happened. Every second or so, by a thread that has the GIL. */
bool sg_heap_check_hooks(void);

/* Sample nothing from here on; frees of sampled blocks are still counted. For the interpreter's
 * end, when the GIL cannot be had. Any thread. */
void sg_heap_pass_through(void);

/* In a forked child, before fork returns: forget the tables and unhook as far as possible. */
void sg_heap_after_fork_in_child(void);

struct sg_heap_status {
    bool is_hooked;
    uint64_t rate;           /* in force */
    uint64_t n_samples;      /* allocations */
    uint64_t n_lost;         /* sampled allocations that found no room */
    uint64_t n_lost_frees;   /* frees that found no room: each time all live blocks were dropped */
    uint64_t n_lost_events;  /* of the timeline alone */
    uint64_t n_bad_walks;    /* stacks cut short */
    uint64_t n_displaced;    /* times that sg_heap_check_hooks had to hook again */
    uint64_t n_blocks;       /* live */
    uint64_t n_buckets;      /* ids in use */
    uint64_t n_stack_nodes;  /* frames in the tree of stacks */
    uint64_t table_bytes;    /* address space of the tables */
    uint64_t n_full;         /* full collections that were seen to their end */
    int64_t full_mono_ns;    /* when the last of them ended; 0 = none yet */
    bool is_listening_to_gc; /* collections are seen */
};
void sg_heap_status(struct sg_heap_status *status);

#endif
