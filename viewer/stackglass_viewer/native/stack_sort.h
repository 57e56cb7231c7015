/* Sorting of stacks by their frames from the root on: multikey quicksort, two frames at a time, by
 * several threads where there are many. Nothing recurses, however deep a stack is. */
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

/* A stack while it is sorted; `key` is two frames of it from the current depth on, each plus one,
 * 0 where it has ended. */
struct sg_stack_entry {
    uint64_t key;
    uint32_t stack;
};

static inline uint32_t sg_stack_sort_frame(const struct sg_stack_source *source, int64_t index) {
    int32_t item = source->items[index];
    return (uint32_t)(source->map ? source->map[item] : item);
}

/* Stacks in the order of their frames lie all over memory, and most of the time would be waits for
 * it. So what later ones need is fetched early: where the stack begins, then its frames. */
enum { SG_STARTS_AHEAD = 32, SG_FRAMES_AHEAD = 16, SG_FRAMES_A_LINE = 16 };

static inline void sg_stack_sort_fetch_start(const struct sg_stack_source *source, uint32_t stack) {
    __builtin_prefetch(&source->start[stack]);
}

/* Fetch the cache line with the frame at a depth and some that follow. For a shorter stack the
 * address is wrong, maybe unmapped: a prefetch of it does no harm, and a check takes longer. */
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

/* Sort by the frames from the root on; the keys of all entries are those of depth 0. `common` (n),
 * zeros: how many frames a stack at least has in common with the one before it, by place.
 * `progress` receives shares up to `share`. 0; -2 out of memory; -3 stopped by `progress`. */
int sg_stack_sort(const struct sg_stack_source *source, struct sg_stack_entry *entries,
                  uint32_t *common, size_t n, struct sg_progress *progress, double share);

#endif
