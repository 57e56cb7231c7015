/* Recording: a call of a wrapper, for the heap profiler and for the memory trace, if these are on.
 */
#ifndef STACKGLASS_NATIVE_MEMORY_RECORDING_H
#define STACKGLASS_NATIVE_MEMORY_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/native_blocks.h"
#include "trace/native.h"

/* A reallocation under way. */
struct sg_recording_move {
    struct sg_heap_taken taken;
    bool is_sampled, is_traced;
};

static inline bool sg_recording_is_on(void) {
    return sg_native_blocks_is_recording() || sg_trace_native_is_recording();
}

/* Record `block` as allocated, and return it. `by` is a function of a library that may allocate on
 * threads of its own, or NULL. */
static inline void *sg_recording_alloc(enum sg_trace_domain domain, void *block, size_t size,
                                       const void *by) {
    const void *address = block;
    __asm__("" : "+r"(address)); /* else the compiler assumes that the block's content is read */
    if (sg_native_blocks_is_recording())
        sg_native_blocks_malloc_by(address, size, by);
    if (sg_trace_native_is_recording())
        sg_trace_native_alloc(domain, address, size);
    return block;
}

static inline void sg_recording_free(enum sg_trace_domain domain, const void *block) {
    if (sg_trace_native_is_recording())
        sg_trace_native_free(domain, block);
    if (sg_native_blocks_is_recording())
        sg_native_blocks_free(block);
}

/* Begin a reallocation of `block`, which may be NULL, before the original is called. */
static inline struct sg_recording_move sg_recording_begin_move(enum sg_trace_domain domain,
                                                               const void *block) {
    struct sg_recording_move move = {
        .is_sampled = sg_native_blocks_is_recording(),
        .is_traced = sg_trace_native_is_recording(),
    };
    if (move.is_traced && block)
        sg_trace_native_realloc(domain, block);
    if (move.is_sampled)
        move.taken = sg_native_blocks_realloc(block);
    return move;
}

/* End a reallocation whose result is `moved`. If `moved` is NULL, the block was freed if `size` is
 * 0, and is unchanged otherwise. */
static inline void sg_recording_end_move(enum sg_trace_domain domain,
                                         const struct sg_recording_move *move, const void *moved,
                                         size_t size, const void *by) {
    if (move->is_sampled)
        sg_native_blocks_realloced_by(&move->taken, moved, size, by);
    if (move->is_traced && (moved || size))
        sg_trace_native_realloced(domain, moved, size);
}

#endif
