/* After the sort, one pass over the stacks makes the nodes: it keeps the path of the stack before
 * and adds the frames that differ. No function here recurses, so a stack may be of any depth. */
#include "call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "stack_sort.h"

enum { TOO_LARGE = -1, NO_MEMORY = -2, STOPPED = -3 };
enum { PROGRESS_ITEMS = 1 << 18 };
static const double SORT_SHARE = 0.7; /* the sort's part of the progress */
/* Limit for inlined calls, more than real programs have: a location can be repeated in a few bytes
 * and expand to any number of frames. */
static const uint64_t SPARE_FRAMES = 1u << 26, FRAMES_PER_LOCATION = 8;

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
    uint32_t *n_of_frame; /* (n_frames) how often each frame is on the path */
};

/* Make `path` the path of `stack`, and add nodes for the frames that the path did not have. The two
 * share at least the first `common` frames, or all if the stack has fewer. Returns 0, or NO_MEMORY.
 */
static int extend_path(const struct sg_stack_source *source, uint32_t stack, int64_t common,
                       struct path *path, struct sg_call_tree *tree) {
    int64_t last = source->start[stack + 1] - 1, length = last + 1 - source->start[stack];
    int64_t depth = common < length ? common : length;
    while (depth < length && depth < path->length &&
           path->frame[depth] == (int32_t)sg_stack_sort_frame(source, last - depth))
        depth++;
    while (path->length > depth)
        path->n_of_frame[path->frame[--path->length]]--;
    for (; depth < length; depth++) {
        int32_t frame = (int32_t)sg_stack_sort_frame(source, last - depth);
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

static int make_nodes(const struct sg_stack_source *source, const struct sg_stack_entry *entries,
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
        if (i + SG_STARTS_AHEAD < n)
            sg_stack_sort_fetch_start(source, entries[i + SG_STARTS_AHEAD].stack);
        if (i + SG_FRAMES_AHEAD < n) {
            int64_t depth = common[i + SG_FRAMES_AHEAD];
            sg_stack_sort_fetch_frames(source, entries[i + SG_FRAMES_AHEAD].stack, depth);
            sg_stack_sort_fetch_frames(source, entries[i + SG_FRAMES_AHEAD].stack,
                                       depth + SG_FRAMES_A_LINE);
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

/* Replace each location by the frames of its lines. Stacks stay leaf first: the innermost inlined
 * call of a location comes first. Returns 0, TOO_LARGE or NO_MEMORY. */
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
    struct sg_stack_source source = {stacks->start, stacks->locations, stacks->line_frame};
    struct sg_vector starts = {0}, frames = {0};
    int result = 0;
    if (has_inlined_calls(stacks)) {
        result = expand(stacks, &starts, &frames);
        source = (struct sg_stack_source){sg_i64(&starts), sg_i32(&frames), NULL};
    }
    struct sg_stack_entry *entries = malloc((stacks->n + 1) * sizeof *entries);
    uint32_t *common = calloc(stacks->n + 1, sizeof *common); /* (n) as sg_stack_sort sets it */
    if ((!entries || !common) && result == 0)
        result = NO_MEMORY;
    for (size_t i = 0; i < stacks->n && result == 0; i++)
        entries[i] =
            (struct sg_stack_entry){sg_stack_sort_key(&source, (uint32_t)i, 0), (uint32_t)i};
    if (result == 0)
        result = sg_stack_sort(&source, entries, common, stacks->n, progress, SORT_SHARE);
    if (result == 0)
        result = make_nodes(&source, entries, common, stacks->n, stacks->n_frames, tree, progress);
    free(common);
    free(entries);
    sg_release(&starts);
    sg_release(&frames);
    return result;
}
