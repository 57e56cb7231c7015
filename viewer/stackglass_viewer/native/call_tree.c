/* Multikey quicksort of stacks, two frames at a time, then one pass over neighbours. Nothing here
 * recurses, however deep a stack is. */
#include "call_tree.h"

#include <stdlib.h>
#include <string.h>

enum { TOO_LARGE = -1, NO_MEMORY = -2, STOPPED = -3 };
enum { SMALL = 12, PROGRESS_ITEMS = 1 << 18 };
static const double SORT_SHARE = 0.7; /* of the time */
/* Inlined calls beyond those that real programs have: a few bytes could mean any amount. */
static const uint64_t SPARE_FRAMES = 1u << 26, FRAMES_PER_LOCATION = 8;

/* The frames of stack s, leaf first: map[items[i]] for i in start[s] … start[s + 1] - 1. */
struct source {
    const int64_t *start;
    const int32_t *items;
    const int32_t *map; /* NULL = the items are frames */
};

/* A stack while it is sorted; `key` is two frames of it from the current depth on, each plus one,
 * 0 where it has ended. */
struct entry {
    uint64_t key;
    uint32_t stack;
};

struct segment {
    size_t low, high;
    int64_t depth;
};

static inline uint32_t frame_at(const struct source *source, int64_t index) {
    int32_t item = source->items[index];
    return (uint32_t)(source->map ? source->map[item] : item);
}

/* Stacks in the order of their frames lie all over memory, and most of the time would be waits for
 * it. So what later ones need is fetched early: where the stack begins, then its frames. */
enum { STARTS_AHEAD = 32, FRAMES_AHEAD = 16, FRAMES_A_LINE = 16 };

static inline void fetch_start(const struct source *source, uint32_t stack) {
    __builtin_prefetch(&source->start[stack]);
}

/* One line of the cache with the frame at a depth and some that follow. Of a shorter stack it is
 * another address, maybe of nothing at all: that does no harm, and to ask first takes longer. */
static inline void fetch_frames(const struct source *source, uint32_t stack, int64_t depth) {
    int64_t index = source->start[stack + 1] - 1 - depth;
    __builtin_prefetch(
        (const void *)((uintptr_t)source->items + (uintptr_t)index * sizeof *source->items));
}

static inline uint64_t key_at(const struct source *source, uint32_t stack, int64_t depth) {
    int64_t left = source->start[stack + 1] - depth - source->start[stack];
    if (left <= 0)
        return 0;
    int64_t index = source->start[stack + 1] - 1 - depth;
    uint64_t key = (uint64_t)(frame_at(source, index) + 1) << 32;
    return left > 1 ? key | (frame_at(source, index - 1) + 1) : key;
}

/* Order of two stacks; their keys at `depth` are loaded. */
static int compare(const struct source *source, const struct entry *a, const struct entry *b,
                   int64_t depth) {
    uint64_t key_a = a->key, key_b = b->key;
    while (key_a == key_b && (uint32_t)key_a) {
        depth += 2;
        key_a = key_at(source, a->stack, depth);
        key_b = key_at(source, b->stack, depth);
    }
    return (key_a > key_b) - (key_a < key_b);
}

static void sort_small(const struct source *source, struct entry *entries, size_t n,
                       int64_t depth) {
    for (size_t i = 1; i < n; i++) {
        struct entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && compare(source, &entry, &entries[at - 1], depth) < 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static uint64_t choose_pivot(const struct entry *entries, size_t n, uint64_t *random) {
    uint64_t keys[3];
    for (int i = 0; i < 3; i++) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        keys[i] = entries[*random % n].key;
    }
    uint64_t low = keys[0] < keys[1] ? keys[0] : keys[1];
    uint64_t high = keys[0] < keys[1] ? keys[1] : keys[0];
    return keys[2] < low ? low : keys[2] > high ? high : keys[2];
}

static int push_segment(struct sg_vector *todo, size_t low, size_t high, int64_t depth) {
    if (high - low < 2)
        return 0;
    if (sg_reserve(todo, 1, sizeof(struct segment)) < 0)
        return -1;
    ((struct segment *)(void *)todo->data)[todo->n++] = (struct segment){low, high, depth};
    return 0;
}

static void load_keys(const struct source *source, struct entry *entries, size_t n, int64_t depth) {
    for (size_t i = 0; i < n; i++) {
        if (i + STARTS_AHEAD < n)
            fetch_start(source, entries[i + STARTS_AHEAD].stack);
        if (i + FRAMES_AHEAD < n)
            fetch_frames(source, entries[i + FRAMES_AHEAD].stack, depth);
        entries[i].key = key_at(source, entries[i].stack, depth);
    }
}

/* Sort by key; what is equal is sorted on by the next two frames. Wherever a stack of these ends
 * up, it has the frames so far in common with the one before it: noted by place, not by stack. */
static int sort_segment(const struct source *source, struct entry *entries, uint32_t *common,
                        struct segment segment, struct sg_vector *todo, uint64_t *random) {
    size_t low = segment.low, high = segment.high;
    if (high - low <= SMALL) {
        sort_small(source, entries + low, high - low, segment.depth);
        return 0;
    }
    uint64_t pivot = choose_pivot(entries + low, high - low, random);
    size_t less = low, greater = high;
    for (size_t i = low; i < greater;) {
        struct entry entry = entries[i];
        if (entry.key < pivot) {
            entries[i++] = entries[less];
            entries[less++] = entry;
        } else if (entry.key > pivot) {
            entries[i] = entries[--greater];
            entries[greater] = entry;
        } else {
            i++;
        }
    }
    int64_t depth = segment.depth + 2;
    int has_more = (uint32_t)pivot != 0; /* else all of the equal ones end here */
    if (has_more)
        load_keys(source, entries + less, greater - less, depth);
    for (size_t i = less + 1; i < greater; i++)
        common[i] = (uint32_t)depth;
    if (push_segment(todo, greater, high, segment.depth) < 0 ||
        (has_more && push_segment(todo, less, greater, depth) < 0) ||
        push_segment(todo, low, less, segment.depth) < 0)
        return NO_MEMORY;
    return 0;
}

static int sort_stacks(const struct source *source, struct entry *entries, uint32_t *common,
                       size_t n, struct sg_progress *progress) {
    struct sg_vector todo = {0};
    uint64_t random = 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)entries;
    size_t work = 0;
    int result = push_segment(&todo, 0, n, 0) < 0 ? NO_MEMORY : 0;
    while (result == 0 && todo.n) {
        struct segment segment = ((struct segment *)(void *)todo.data)[--todo.n];
        result = sort_segment(source, entries, common, segment, &todo, &random);
        work += segment.high - segment.low;
        if (work >= PROGRESS_ITEMS) {
            work = 0;
            if (sg_progress_report(progress, SORT_SHARE * (double)segment.low / (double)n) < 0)
                result = STOPPED;
        }
    }
    sg_release(&todo);
    return result;
}

static int push_node(struct sg_call_tree *tree, int32_t parent, int32_t frame, int32_t depth,
                     int is_recursive) {
    if (tree->parent.n >= INT32_MAX || sg_push_i32(&tree->parent, parent) < 0 ||
        sg_push_i32(&tree->frame, frame) < 0 || sg_push_i32(&tree->depth, depth) < 0 ||
        sg_reserve(&tree->is_recursive, 1, 1) < 0)
        return NO_MEMORY;
    tree->is_recursive.data[tree->is_recursive.n++] = (char)is_recursive;
    return 0;
}

/* The path from the root to the last node made. */
struct path {
    int32_t *frame;
    int32_t *node;
    int64_t length;
    uint32_t *n_of_frame; /* (n_frames) how often each frame stands on the path */
};

/* Make the nodes of a stack that the path does not have yet; at least `common` frames it has. */
static int extend_path(const struct source *source, uint32_t stack, int64_t common,
                       struct path *path, struct sg_call_tree *tree) {
    int64_t last = source->start[stack + 1] - 1, length = last + 1 - source->start[stack];
    int64_t depth = common < length ? common : length;
    while (depth < length && depth < path->length &&
           path->frame[depth] == (int32_t)frame_at(source, last - depth))
        depth++;
    while (path->length > depth)
        path->n_of_frame[path->frame[--path->length]]--;
    for (; depth < length; depth++) {
        int32_t frame = (int32_t)frame_at(source, last - depth);
        path->frame[depth] = frame;
        path->node[depth] = (int32_t)tree->parent.n;
        if (push_node(tree, depth ? path->node[depth - 1] : 0, frame, (int32_t)depth + 1,
                      path->n_of_frame[frame] > 0) < 0)
            return NO_MEMORY;
        path->n_of_frame[frame]++;
    }
    path->length = length;
    sg_i32(&tree->sample_node)[stack] = length ? path->node[length - 1] : 0;
    return 0;
}

static int make_nodes(const struct source *source, const struct entry *entries,
                      const uint32_t *common, size_t n, size_t n_frames, struct sg_call_tree *tree,
                      struct sg_progress *progress) {
    int64_t longest = 1;
    for (size_t i = 0; i < n; i++)
        if (source->start[i + 1] - source->start[i] > longest)
            longest = source->start[i + 1] - source->start[i];
    struct path path = {0};
    int result = NO_MEMORY;
    path.frame = malloc((size_t)longest * sizeof *path.frame);
    path.node = malloc((size_t)longest * sizeof *path.node);
    path.n_of_frame = calloc(n_frames + 1, sizeof *path.n_of_frame);
    if (path.frame && path.node && path.n_of_frame && longest < INT32_MAX &&
        sg_reserve(&tree->sample_node, n, sizeof(int32_t)) == 0) {
        tree->sample_node.n = n;
        result = push_node(tree, -1, -1, 0, 0);
    }
    for (size_t i = 0; i < n && result == 0; i++) {
        if (i + STARTS_AHEAD < n)
            fetch_start(source, entries[i + STARTS_AHEAD].stack);
        if (i + FRAMES_AHEAD < n) {
            int64_t depth = common[i + FRAMES_AHEAD];
            fetch_frames(source, entries[i + FRAMES_AHEAD].stack, depth);
            fetch_frames(source, entries[i + FRAMES_AHEAD].stack, depth + FRAMES_A_LINE);
        }
        result = extend_path(source, entries[i].stack, common[i], &path, tree);
        if (i % PROGRESS_ITEMS == 0 && result == 0 &&
            sg_progress_report(progress, SORT_SHARE + (1 - SORT_SHARE) * (double)i / (double)n) < 0)
            result = STOPPED;
    }
    free(path.frame);
    free(path.node);
    free(path.n_of_frame);
    return result;
}

/* Write inlined calls out, leaf first still: the innermost line of a location comes first. */
static int expand(const struct sg_stacks *stacks, struct sg_vector *starts,
                  struct sg_vector *frames) {
    uint64_t n_frames = 0, n_items = (uint64_t)stacks->start[stacks->n];
    const int32_t *line_start = stacks->line_start;
    for (uint64_t i = 0; i < n_items; i++) {
        int32_t location = stacks->locations[i];
        n_frames += (uint64_t)(line_start[location + 1] - line_start[location]);
        if (n_frames > SPARE_FRAMES + FRAMES_PER_LOCATION * n_items)
            return TOO_LARGE;
    }
    if (sg_reserve(starts, stacks->n + 1, sizeof(int64_t)) < 0 ||
        sg_reserve(frames, (size_t)n_frames + 1, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    int32_t *at = sg_i32(frames);
    for (size_t s = 0; s < stacks->n; s++) {
        sg_i64(starts)[s] = at - sg_i32(frames);
        for (int64_t i = stacks->start[s]; i < stacks->start[s + 1]; i++) {
            int32_t location = stacks->locations[i];
            for (int32_t line = line_start[location]; line < line_start[location + 1]; line++)
                *at++ = stacks->line_frame[line];
        }
    }
    sg_i64(starts)[stacks->n] = at - sg_i32(frames);
    return 0;
}

static int has_inlined_calls(const struct sg_stacks *stacks) {
    for (size_t i = 0; i < stacks->n_locations; i++)
        if (stacks->line_start[i + 1] - stacks->line_start[i] != 1)
            return 1;
    return 0;
}

int sg_call_tree_build(const struct sg_stacks *stacks, struct sg_call_tree *tree,
                       struct sg_progress *progress) {
    memset(tree, 0, sizeof *tree);
    struct source source = {stacks->start, stacks->locations, stacks->line_frame};
    struct sg_vector starts = {0}, frames = {0};
    int result = 0;
    if (has_inlined_calls(stacks)) {
        result = expand(stacks, &starts, &frames);
        source = (struct source){sg_i64(&starts), sg_i32(&frames), NULL};
    }
    struct entry *entries = malloc((stacks->n + 1) * sizeof *entries);
    uint32_t *common = calloc(stacks->n + 1, sizeof *common); /* (n) frames, by place, at least */
    if ((!entries || !common) && result == 0)
        result = NO_MEMORY;
    for (size_t i = 0; i < stacks->n && result == 0; i++)
        entries[i] = (struct entry){key_at(&source, (uint32_t)i, 0), (uint32_t)i};
    if (result == 0)
        result = sort_stacks(&source, entries, common, stacks->n, progress);
    if (result == 0)
        result = make_nodes(&source, entries, common, stacks->n, stacks->n_frames, tree, progress);
    free(common);
    free(entries);
    sg_release(&starts);
    sg_release(&frames);
    return result;
}
