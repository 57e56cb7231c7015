/* Stack depth: how many frames of a stack the heap and contention profiles keep. It is chosen when
 * the engine starts. If a stack is deeper, its leaf side is kept, and SG_TRUNCATED stands for the
 * callers that are left out. */
#ifndef STACKGLASS_FRAMES_STACK_DEPTH_H
#define STACKGLASS_FRAMES_STACK_DEPTH_H

#include <stdint.h>

enum { SG_STACK_DEPTH_LEAST = 16, SG_STACK_DEPTH_DEFAULT = 192, SG_STACK_DEPTH_MOST = 1024 };

/* Return `depth` within the limits; 0 means the default. */
static inline uint32_t sg_stack_depth_clamp(uint64_t depth) {
    return !depth                         ? SG_STACK_DEPTH_DEFAULT
           : depth < SG_STACK_DEPTH_LEAST ? SG_STACK_DEPTH_LEAST
           : depth > SG_STACK_DEPTH_MOST  ? SG_STACK_DEPTH_MOST
                                          : (uint32_t)depth;
}

#endif
