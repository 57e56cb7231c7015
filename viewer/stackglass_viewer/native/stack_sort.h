/* Sorting of stacks by their frames from the root on: multikey quicksort, two frames at a time.
 * Many stacks are sorted by several threads. No function recurses, so a stack may be of any depth.
 */
#ifndef SG_STACK_SORT_H
#define SG_STACK_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "progress.h"

/* The frames of stack s, leaf first: map[items[i]] for i in start[s] … start[s + 1] - 1. */
struct sg_stack_source {
    const int64_t *start;
    const int32_t *items;
    const int32_t *map; /* NULL = the items are frames */
};

/* A stack while it is sorted. `key` has its two frames from the current depth on, 32 bits each: a
 * frame plus 1, or 0 after the leaf. */
struct sg_stack_entry {
    uint64_t key;
    uint32_t stack;
};

static inline uint32_t sg_stack_sort_frame(const struct sg_stack_source *source, int64_t index) {
    int32_t item = source->items[index];
    return (uint32_t)(source->map ? source->map[item] : item);
}

/* Sorted stacks are scattered in memory, so most of the time would be spent on cache misses. To
 * avoid them, each stack's start is prefetched SG_STARTS_AHEAD stacks early, and then its frames
 * SG_FRAMES_AHEAD stacks early. A cache line has SG_FRAMES_A_LINE frames. */
enum { SG_STARTS_AHEAD = 32, SG_FRAMES_AHEAD = 16, SG_FRAMES_A_LINE = 16 };

static inline void sg_stack_sort_fetch_start(const struct sg_stack_source *source, uint32_t stack) {
    __builtin_prefetch(&source->start[stack]);
}

/* Prefetch the cache line with the frame at `depth`. If the stack is shorter, the address is wrong
 * and may be unmapped: a prefetch of it is harmless, and a check would take longer. */
static inline void sg_stack_sort_fetch_frames(const struct sg_stack_source *source, uint32_t stack,
                                              int64_t depth) {
    int64_t index = source->start[stack + 1] - 1 - depth;
    __builtin_prefetch(
        (const void *)((uintptr_t)source->items + (uintptr_t)index * sizeof *source->items));
}

static inline uint64_t sg_stack_sort_key(const struct sg_stack_source *source, uint32_t stack,
                                         int64_t depth) {
    int64_t left = source->start[stack + 1] - depth - source->start[stack];
    if (left <= 0)
        return 0;
    int64_t index = source->start[stack + 1] - 1 - depth;
    uint64_t key = (uint64_t)(sg_stack_sort_frame(source, index) + 1) << 32;
    return left > 1 ? key | (sg_stack_sort_frame(source, index - 1) + 1) : key;
}

/* Sort `n` entries, whose keys are those of depth 0. `common` (n), all zeros before, is set by
 * place in the sorted order: a lower bound of how many frames, from the root, the stack there has
 * in common with the stack before it. It may exceed the length of the stack by 1 or 2 if both
 * stacks are equal. `progress` receives shares up to `share`. Returns 0, -2 if memory is short, or
 * -3 if `progress` stopped it. */
int sg_stack_sort(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                  uint32_t *common, size_t n, struct sg_progress *progress, double share);

#endif
