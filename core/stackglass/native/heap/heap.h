/* The heap profiler: its lifecycle, rate and status. reader.h reads the profile; native_blocks.h
 * adds blocks that do not come from Python's allocators.
 *
 *     allocator hooks ──1 in `rate` bytes──▶ stack ──▶ bucket ◀── block ◀── free
 *     (MEM and OBJ, under the GIL)                       │
 *     malloc patch (any thread) ─────────────────────────┤ live, as of the last full collection
 *     collector: start, stop ──▶ cycles, collections     ▼ sg_heap_reader_read
 *
 * Calls in a session, in this order: sg_cpu_prepare, sg_heap_prepare, sg_heap_set_rate any number
 * of times, sg_heap_unprepare, sg_cpu_unprepare. (sg_cpu_prepare sets up the numbers of code
 * objects.) */
#ifndef STACKGLASS_HEAP_HEAP_H
#define STACKGLASS_HEAP_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Allocate the tables, listen to the garbage collector and hook the allocators, at rate 0.
 * `start_mono_ns` is time 0 of events; `depth` frames are kept of a stack (frames/stack_depth.h).
 * Returns NULL, or one English sentence that says why the profiler cannot run; then nothing has
 * changed. The caller holds the GIL; sg_cpu_prepare has succeeded. */
const char *sg_heap_prepare(int64_t start_mono_ns, uint32_t depth);
/* Undo sg_heap_prepare. If another tool has hooked above the engine's hooks, they stay and only
 * pass calls on, and the next session uses them again. The caller holds the GIL, or no Python
 * thread runs any more; no other function of this header is running. */
void sg_heap_unprepare(void);

/* Sample one byte in `rate` on average: 1 = every allocation, 0 = none. Any thread, with or without
 * the GIL. The rate takes effect at each thread's next allocation or, if two calls of this function
 * raced, after the next sg_heap_maintain. The frees of sampled blocks are counted at every rate. */
void sg_heap_set_rate(uint64_t rate);

/* Complete changes of the rate that raced, and give stacks C frames once the unwinder is ready. One
 * thread calls this several times a second while the profiler is prepared, without the GIL. */
void sg_heap_maintain(void);

/* Check that the hooks are still called, by allocating. If a tool that hooked before the engine
 * leaves (tracemalloc.stop() of a trace that began before the attach), it restores what it found,
 * which removes the engine's hooks. Then this function hooks again, forgets the live blocks, some
 * of which may have been freed unseen, and returns false. A thread that holds the GIL calls this
 * every two seconds. */
bool sg_heap_check_hooks(void);

/* Sample nothing from here on; frees of sampled blocks are still counted. Called when profiling
 * stops, which may be at the end of the interpreter, when the GIL cannot be taken. Any thread. */
void sg_heap_pass_through(void);

/* In a forked child, before fork returns: forget the tables and unhook as far as possible. */
void sg_heap_after_fork_in_child(void);

struct sg_heap_status {
    bool is_hooked;
    uint64_t rate;         /* the rate in force */
    uint64_t n_samples;    /* sampled allocations that are in the profile */
    uint64_t n_lost;       /* those that are missing because there was no room; arena events, too */
    uint64_t n_lost_frees; /* frees that found no room: then all live blocks are dropped */
    uint64_t n_lost_events;  /* samples and collections missing in the timeline only */
    uint64_t n_bad_walks;    /* frames left out of stacks: no live code, or no instruction */
    uint64_t n_displaced;    /* times that sg_heap_check_hooks had to hook again */
    uint64_t n_blocks;       /* live sampled blocks */
    uint64_t n_buckets;      /* ids in use */
    uint64_t n_stack_nodes;  /* nodes in the stack tree */
    uint64_t table_bytes;    /* address space of the tables */
    uint64_t n_full;         /* full collections that have ended */
    int64_t full_mono_ns;    /* when the last of these ended; 0 = none has */
    bool is_listening_to_gc; /* collections are recorded */
};
void sg_heap_status(struct sg_heap_status *status);

#endif
