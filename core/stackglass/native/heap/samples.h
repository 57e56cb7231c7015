/* The values that the files of the heap profiler share: samples, sums, blocks, events. */
#ifndef STACKGLASS_HEAP_SAMPLES_H
#define STACKGLASS_HEAP_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frames/code_ids.h"
#include "frames/stack_depth.h"

/* How many frames of a stack are kept (frames/stack_depth.h). Written by sg_heap_prepare while no
 * thread is inside SG_GATE_HEAP or has the ledger's claim, and constant while one is or has. */
extern uint32_t sg_heap_capture_depth;

enum sg_heap_kind { SG_HEAP_PYTHON = 0, SG_HEAP_NATIVE = 1 };

/* ---- Written by hooks ---- */

/* When and where a hook was called. */
struct sg_heap_moment {
    uint32_t time; /* SG_TIME_UNIT_NS since the start */
    pid_t tid;
    bool is_collector; /* this thread runs a garbage collection */
};

/* A sampled allocation. */
struct sg_heap_alloc {
    uintptr_t address;
    uint64_t size;
    uint64_t rate;
    enum sg_heap_kind kind;
    const void *thread; /* PyThreadState of the calling thread; NULL = it has none */
    uint32_t labels;    /* that thread's label set */
};

/* A sampled block that was taken out of the table, as realloc does before it moves a block. */
struct sg_heap_taken {
    uintptr_t address; /* 0 = it was not sampled; outside the ledger with the session's number */
    uint32_t bucket;
    uint32_t cycle; /* the cycle to which its allocation was added (buckets.h) */
    uint64_t size;
};

/* ---- Read by readers ---- */

/* Sums over samples, unscaled. Bytes are as requested. Only sampled blocks are counted as freed, so
 * frees <= allocs, and allocs - frees are in use; the same holds for bytes. */
struct sg_heap_sums {
    uint64_t allocs;
    uint64_t alloc_bytes;
    uint64_t frees;
    uint64_t free_bytes;
};

/* The samples of one kind, stack, size class, rate and label set. */
struct sg_heap_bucket {
    uint32_t id; /* 0, 1, 2 … in the order of their first sample; valid for the session */
    enum sg_heap_kind kind;
    uint64_t rate;   /* the rate when these samples were taken, by which they are scaled */
    uint64_t size;   /* the largest size of the size class, in bytes: the samples' bytes label */
    uint32_t labels; /* label set of the threads that allocated */
    uint32_t depth;
    const struct sg_frame *frames;  /* (depth,), leaf first; valid until `deliver` returns */
    struct sg_heap_sums live;       /* sums up to now */
    struct sg_heap_sums as_of_full; /* sums up to the end of the last full collection */
};
typedef void sg_heap_bucket_fn(void *context, const struct sg_heap_bucket *bucket);

/* A live sampled block. */
struct sg_heap_block {
    uintptr_t address;
    uint64_t size;
    uint32_t bucket;
};
typedef void sg_heap_block_fn(void *context, const struct sg_heap_block *block);

/* The sampled allocations, or frees, of one thread, bucket and time unit. */
struct sg_heap_event {
    uint32_t time; /* SG_TIME_UNIT_NS since the start */
    pid_t tid;     /* the thread that allocated or freed */
    uint32_t bucket;
    uint32_t count;
    uint64_t bytes; /* unscaled */
    bool is_free;
};
typedef void sg_heap_event_fn(void *context, const struct sg_heap_event *event);

struct sg_heap_collection {
    int64_t start_mono_ns;
    uint64_t pause_ns; /* from the start callback to the stop callback */
    uint32_t generation;
    pid_t tid;              /* the collecting thread */
    uint64_t collected;     /* objects */
    uint64_t uncollectable; /* objects */
};
typedef void sg_heap_collection_fn(void *context, const struct sg_heap_collection *collection);

#endif
