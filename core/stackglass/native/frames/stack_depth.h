/* How many frames the heap and contention profiles keep of a stack: a choice of the engine's start.
 * Of a deeper stack the leaf side is kept, below SG_TRUNCATED. */
#ifndef STACKGLASS_FRAMES_STACK_DEPTH_H
#define STACKGLASS_FRAMES_STACK_DEPTH_H

#include <stdint.h>

enum { SG_STACK_DEPTH_LEAST = 16, SG_STACK_DEPTH_DEFAULT = 192, SG_STACK_DEPTH_MOST = 1024 };

/* 0 = the default. */
static inline uint32_t sg_stack_depth_clamp(uint64_t depth) {
    return !depth                         ? SG_STACK_DEPTH_DEFAULT
           : depth < SG_STACK_DEPTH_LEAST ? SG_STACK_DEPTH_LEAST
           : depth > SG_STACK_DEPTH_MOST  ? SG_STACK_DEPTH_MOST
                                          : (uint32_t)depth;
}

#endif
