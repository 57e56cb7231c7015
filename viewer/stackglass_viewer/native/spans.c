/* One pass over the spans keeps a stack of the open ones. The tree's children are found in a hash
 * table of (parent, frame) with open addressing.
 */
#include "spans.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, DEEP = -1, NO_MEMORY = -2 };

struct nodes {
    int32_t *slots; /* nodes; 0 = free, because node 0 is a root and no child */
    size_t n_slots; /* a power of two; at least half of the slots are free */
    uint64_t seed;
    struct sg_nesting *nesting;
};

static size_t hash_child(const struct nodes *nodes, int32_t parent, int32_t frame) {
    uint64_t hash = ((uint64_t)(uint32_t)parent << 32 | (uint32_t)frame) ^ nodes->seed;
    hash *= 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return (size_t)(hash ^ hash >> 29) & (nodes->n_slots - 1);
}

static int rehash(struct nodes *nodes, size_t n_slots) {
    int32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return NO_MEMORY;
    free(nodes->slots);
    nodes->slots = slots;
    nodes->n_slots = n_slots;
    const int32_t *parents = sg_i32(&nodes->nesting->parent);
    const int32_t *frames = sg_i32(&nodes->nesting->frame);
    for (size_t i = 1; i < nodes->nesting->parent.n; i++) {
        if (parents[i] < 0) /* a root, which is no child */
            continue;
        size_t at = hash_child(nodes, parents[i], frames[i]);
        while (slots[at])
            at = (at + 1) & (n_slots - 1);
        slots[at] = (int32_t)i;
    }
    return 0;
}

/* Return the child of `parent` with this frame, which is added if it is new, or NO_MEMORY. */
static int32_t find_child(struct nodes *nodes, int32_t parent, int32_t frame) {
    struct sg_nesting *nesting = nodes->nesting;
    size_t at = hash_child(nodes, parent, frame);
    for (int32_t node; (node = nodes->slots[at]) != 0; at = (at + 1) & (nodes->n_slots - 1))
        if (sg_i32(&nesting->parent)[node] == parent && sg_i32(&nesting->frame)[node] == frame)
            return node;
    size_t number = nesting->parent.n;
    if (number >= INT32_MAX || sg_push_i32(&nesting->parent, parent) < 0 ||
        sg_push_i32(&nesting->frame, frame) < 0)
        return NO_MEMORY;
    nodes->slots[at] = (int32_t)number;
    if (2 * nesting->parent.n > nodes->n_slots && rehash(nodes, 2 * nodes->n_slots) < 0)
        return NO_MEMORY;
    return (int32_t)number;
}

struct opened {
    int32_t *nodes; /* (deepest) */
    double *ends;
    size_t n;
    double now;
};

/* Append the interval from `now` to `at`, if any span is open, and set `now` to `at`. */
static int go_on(struct opened *opened, double at, struct sg_nesting *nesting) {
    if (opened->n > 0 && at > opened->now &&
        (sg_push_i32(&nesting->node, opened->nodes[opened->n - 1]) < 0 ||
         sg_push_f64(&nesting->begin, opened->now) < 0 || sg_push_f64(&nesting->end, at) < 0))
        return NO_MEMORY;
    opened->now = at;
    return 0;
}

/* Close all spans that end at `at` or earlier. */
static int close_until(struct opened *opened, double at, struct sg_nesting *nesting) {
    while (opened->n > 0 && opened->ends[opened->n - 1] <= at) {
        if (go_on(opened, opened->ends[opened->n - 1], nesting) < 0)
            return NO_MEMORY;
        opened->n--;
    }
    return 0;
}

/* Close all spans at the end of a thread, also those whose end is NaN. */
static int close_all(struct opened *opened, struct sg_nesting *nesting) {
    for (; opened->n > 0; opened->n--)
        if (go_on(opened, opened->ends[opened->n - 1], nesting) < 0)
            return NO_MEMORY;
    return 0;
}

/* Add the root of a thread. Returns its node, or NO_MEMORY. */
static int32_t push_root(struct sg_nesting *nesting) {
    size_t number = nesting->parent.n;
    if (number >= INT32_MAX || sg_push_i32(&nesting->parent, -1) < 0 ||
        sg_push_i32(&nesting->frame, -1) < 0)
        return NO_MEMORY;
    return (int32_t)number;
}

static int walk(const struct sg_spans *spans, struct nodes *nodes, struct opened *opened) {
    struct sg_nesting *nesting = nodes->nesting;
    int32_t root = 0;
    for (size_t i = 0; i < spans->n; i++) {
        double begin = spans->begin[i], end = spans->end[i];
        if (i > 0 && spans->thread[i] != spans->thread[i - 1] &&
            (close_all(opened, nesting) < 0 || (root = push_root(nesting)) < 0))
            return NO_MEMORY;
        if (close_until(opened, begin, nesting) < 0 || go_on(opened, begin, nesting) < 0)
            return NO_MEMORY;
        if (opened->n == spans->deepest)
            return DEEP;
        int32_t around = opened->n > 0 ? opened->nodes[opened->n - 1] : root;
        int32_t node = find_child(nodes, around, spans->frame[i]);
        if (node < 0)
            return NO_MEMORY;
        if (opened->n > 0 && opened->ends[opened->n - 1] < end)
            end = opened->ends[opened->n - 1];
        opened->nodes[opened->n] = node;
        opened->ends[opened->n++] = end;
    }
    return close_all(opened, nesting);
}

int sg_nest_spans(const struct sg_spans *spans, struct sg_nesting *nesting) {
    struct nodes nodes = {.seed = (uint64_t)(uintptr_t)nesting, .nesting = nesting};
    struct opened opened = {
        .nodes = malloc((spans->deepest + 1) * sizeof *opened.nodes),
        .ends = malloc((spans->deepest + 1) * sizeof *opened.ends),
    };
    int result = NO_MEMORY;
    if (opened.nodes && opened.ends && push_root(nesting) == 0 && rehash(&nodes, FIRST_SLOTS) == 0)
        result = walk(spans, &nodes, &opened);
    free(opened.nodes);
    free(opened.ends);
    free(nodes.slots);
    return result;
}
