/* The heap profiler as the rest of the engine sees it: hook, sample, read.
 *
 *     allocator hooks ──1 in `rate` bytes──▶ stack ──▶ bucket ◀── block ◀── free
 *     (MEM and OBJ, under the GIL)                       │
 *     malloc patch (any thread) ─────────────────────────┤ live now, as of the last full one
 *     collector: start, stop ──▶ cycles, collections     ▼ sg_heap_reader_read
 *
 * Once a session, in this order: sg_cpu_prepare, sg_heap_prepare, sg_heap_set_rate as often as
 * one likes, sg_heap_unprepare, sg_cpu_unprepare (numbers of code objects are the sampler's). */
#ifndef STACKGLASS_HEAP_HEAP_H
#define STACKGLASS_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"

enum {
    SG_HEAP_DEFAULT_RATE = 512 * 1024,
    SG_HEAP_DEPTH = 192, /* frames of a stack that are kept; of a deeper one the leaf side */
};

/* ---- The session ---- */

/* Make tables, listen to the collector and hook the allocators; the rate is 0 until it is set.
 * `start_mono_ns` is time 0 of events. NULL, or one English sentence that says why not, and then
 * nothing has been changed. Caller holds the GIL; sg_cpu_prepare has succeeded. */
const char *sg_heap_prepare(int64_t start_mono_ns);
/* Everything back as it was and forgotten. Where somebody has hooked above us, our hooks stay as
 * pass-throughs, and a later session uses them again. Caller holds the GIL, or no Python thread
 * runs any more; no other call of this header is under way. */
void sg_heap_unprepare(void);

/* Sample one byte in `rate` on average: 1 = everything, 0 = nothing. Any thread, no GIL. Acts with
 * the program's next allocation or, if that one raced with the call, after the next tend. Blocks
 * that were sampled before are followed at every rate. */
void sg_heap_set_rate(uint64_t rate);

/* Several times a second while prepared; one thread, no GIL. */
void sg_heap_tend(void);

/* See that our hooks are still called, which only a try can tell: when a tool below us goes
 * (tracemalloc.stop() after our start), it puts back what it had found and so unhooks us. If so,
 * hook again and forget the blocks that were live: whether they still are is no longer known.
 * False if it had happened. Every second or so, by whoever has the GIL anyway. */
bool sg_heap_check_hooks(void);

/* Nothing is sampled from here on, the frees of sampled blocks are still counted; for the end of
 * the interpreter, when there is no GIL to be had. Any thread. */
void sg_heap_pass_through(void);

/* A forked child: tables forgotten, hooks off as far as that can be done. Between fork and its
 * return, in the child. */
void sg_heap_after_fork_in_child(void);

/* ---- Memory that does not come from Python's allocators (malloc of extension modules) ----
 *
 * By whoever intercepts it. Any thread, with or without the GIL or a thread state; never wait,
 * never allocate by malloc, keep errno. The stack is that of the calling thread if it has one.
 * What Python's own allocators get from malloc must not be told here: the hooks have counted it. */

/* A block that was allocated, now. Null is ignored. */
void sg_native_blocks_malloc(const void *address, size_t size);
/* The same by a function of a library that may allocate on threads of its own: the stack is then
 * that of the Python call under way in it (library_calls.h). */
void sg_native_blocks_malloc_by(const void *address, size_t size, const void *allocator);
/* A block that is about to be freed: afterwards its address may be anybody's. */
void sg_native_blocks_free(const void *address);

/* Address space that a library at `caller` has reserved, or is about to release: see
 * native_memory/arenas.h. */
void sg_native_blocks_map(const void *start, size_t size, const void *caller);
void sg_native_blocks_unmap(const void *start, size_t size);

/* A block about to be reallocated is taken out, and afterwards put back or replaced:
 *
 *     taken = sg_native_blocks_realloc(old);  new = realloc(old, size);
 *     sg_native_blocks_realloced(&taken, new, size); */
struct sg_heap_taken {
    uintptr_t address; /* 0 = it was not sampled; of a note, with the session's number above it */
    uint32_t bucket;
    uint32_t cycle;
    uint64_t size;
};
struct sg_heap_taken sg_native_blocks_realloc(const void *old);
/* `new` NULL: with `size` 0 it was freed, else nothing has happened. */
void sg_native_blocks_realloced(const struct sg_heap_taken *taken, const void *new, size_t size);
void sg_native_blocks_realloced_by(const struct sg_heap_taken *taken, const void *new, size_t size,
                                   const void *allocator);

/* ---- What was sampled ---- */

enum sg_heap_kind { SG_HEAP_PYTHON = 0, SG_HEAP_NATIVE = 1 };

/* Sums over samples as they were taken, unscaled; bytes as they were requested. Frees are those of
 * sampled blocks: never more than allocations, in both columns, so in use = allocations - frees. */
struct sg_heap_sums {
    uint64_t allocs;
    uint64_t alloc_bytes;
    uint64_t frees;
    uint64_t free_bytes;
};

/* One bucket: samples of one kind, stack, size class and rate. */
struct sg_heap_bucket {
    uint32_t id; /* 0, 1, 2 … in the order of their first sample; the session's */
    enum sg_heap_kind kind;
    uint64_t rate;       /* in force when these samples were taken: scale with this one */
    uint64_t least_size; /* of its size class, bytes */
    uint32_t depth;
    const struct sg_frame *frames;  /* leaf first; (depth,); until `deliver` returns */
    struct sg_heap_sums live;       /* up to now */
    struct sg_heap_sums as_of_full; /* up to the end of the last full collection */
};
typedef void sg_heap_bucket_fn(void *context, const struct sg_heap_bucket *bucket);

/* Hand out all buckets, or those that may have changed since the last time, in order of `id`. One
 * thread at a time, no GIL; hooks go on meanwhile, so each bucket is of its own moment. `deliver`
 * may take as long as it likes. Returns how many. Until there has been a full collection
 * (status.full_mono_ns = 0) `as_of_full` is the same as `live`. */
size_t sg_heap_reader_read(bool only_changed, sg_heap_bucket_fn *deliver, void *context);

/* The blocks that are live and sampled: one call each, in no order. As sg_heap_reader_read; with
 * the GIL held none of Python's dies meanwhile. A block may be seen twice or missed if it was
 * allocated meanwhile. */
struct sg_heap_block {
    uintptr_t address;
    uint64_t size;
    uint32_t bucket;
};
typedef void sg_heap_block_fn(void *context, const struct sg_heap_block *block);
size_t sg_heap_reader_read_blocks(sg_heap_block_fn *deliver, void *context);

/* Is a block that begins here live and sampled? Any thread that may wait for some microseconds;
 * true stays true for as long as the block lives. */
bool sg_heap_reader_is_sampled(const void *address);

/* What `allocs` samples of `bytes` in all, taken at `rate`, stand for: both times
 * 1/(1 - e^(-mean size/rate)), truncated. The same at a rate of 1 or less; zeros if one is zero. */
void sg_heap_sampling_unsample(uint64_t allocs, uint64_t bytes, uint64_t rate, uint64_t *objects,
                               uint64_t *space);

/* ---- When it happened ----
 *
 * Two rings for timelines. What finds no room is counted in the status and changes no sum. One
 * thread at a time, no GIL. Return how many. */

/* Samples of one thread, bucket and time unit. */
struct sg_heap_event {
    uint32_t time; /* SG_TIME_UNIT_NS since the start */
    pid_t tid;     /* that allocated or freed */
    uint32_t bucket;
    uint32_t count;
    uint64_t bytes; /* unscaled */
    bool is_free;
};
typedef void sg_heap_event_fn(void *context, const struct sg_heap_event *event);
size_t sg_heap_reader_drain_events(sg_heap_event_fn *deliver, void *context);

struct sg_heap_collection {
    int64_t start_mono_ns;
    uint64_t pause_ns; /* from before the collector looks to after its last finaliser */
    uint32_t generation;
    pid_t tid;          /* that was stopped for it */
    uint64_t collected; /* objects */
    uint64_t uncollectable;
};
typedef void sg_heap_collection_fn(void *context, const struct sg_heap_collection *collection);
size_t sg_heap_reader_drain_collections(sg_heap_collection_fn *deliver, void *context);

struct sg_heap_status {
    bool is_hooked;
    uint64_t rate;           /* asked for */
    uint64_t n_samples;      /* allocations */
    uint64_t n_lost;         /* sampled allocations that found no room */
    uint64_t n_lost_frees;   /* frees that found no room: then all live blocks were let go of */
    uint64_t n_lost_events;  /* of the timeline alone */
    uint64_t n_bad_walks;    /* stacks cut short */
    uint64_t n_displaced;    /* times that sg_heap_check_hooks had to hook again */
    uint64_t n_blocks;       /* live */
    uint64_t n_buckets;      /* ids in use */
    uint64_t n_stack_nodes;  /* frames in the tree of stacks */
    uint64_t table_bytes;    /* address space of our tables */
    uint64_t n_full;         /* full collections that were seen to their end */
    int64_t full_mono_ns;    /* when the last one ended; 0 = there was none */
    bool is_listening_to_gc; /* collections are seen */
};
void sg_heap_status(struct sg_heap_status *status);

#endif
