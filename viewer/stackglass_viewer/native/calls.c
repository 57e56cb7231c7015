/* A stretch continues the calls that it has in common, from the root, with the stretch before.
 *
 *     stretches   |main;load    |main;load;parse|main;work|      |main|
 *     calls       main ─────────────────────────────────────      main
 *                  load ─────────────────────────work────
 *                                parse ──────────
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

enum { BROKEN = -1, NO_MEMORY = -2 };

struct open_calls {
    int32_t *call; /* by depth; at depth 0 is call 0, the root's */
    int32_t *node; /* by depth */
    int32_t depth; /* of the innermost call */
};

static int add_call(struct sg_calls *calls, int32_t parent, int32_t node, int64_t begin) {
    if (calls->node.n >= INT32_MAX)
        return NO_MEMORY;
    return sg_push_i32(&calls->parent, parent) < 0 || sg_push_i32(&calls->node, node) < 0 ||
                   sg_push_i64(&calls->begin, begin) < 0 || sg_push_i64(&calls->end, begin) < 0 ||
                   sg_push_i64(&calls->own, 0) < 0
               ? NO_MEMORY
               : 0;
}

static void close_calls(struct sg_calls *calls, struct open_calls *open, int32_t depth,
                        int64_t end) {
    for (int32_t at = open->depth; at > depth; at--)
        sg_i64(&calls->end)[open->call[at]] = end;
    if (open->depth > depth)
        open->depth = depth;
}

/* Return the depth down to which the calls of `node`'s path are open; -1 = a parent is invalid. */
static int32_t find_common(const struct sg_stretches *stretches, const struct open_calls *open,
                           int32_t node) {
    while (stretches->depth[node] > open->depth) {
        int32_t parent = stretches->parent[node];
        if (parent < 0 || parent >= node || stretches->depth[parent] != stretches->depth[node] - 1)
            return -1;
        node = parent;
    }
    while (node != open->node[stretches->depth[node]]) {
        int32_t parent = stretches->parent[node];
        if (parent < 0 || parent >= node || stretches->depth[parent] != stretches->depth[node] - 1)
            return -1;
        node = parent;
    }
    return stretches->depth[node];
}

/* Open the calls of `node`'s path below depth `common`, down to which they are open. */
static int open_path(const struct sg_stretches *stretches, struct sg_calls *calls,
                     struct open_calls *open, int32_t node, int32_t common, int64_t begin) {
    int32_t depth = stretches->depth[node];
    for (int32_t at = node, d = depth; d > common; d--, at = stretches->parent[at])
        open->node[d] = at;
    for (int32_t d = common + 1; d <= depth; d++) {
        if (add_call(calls, open->call[d - 1], open->node[d], begin) < 0)
            return NO_MEMORY;
        open->call[d] = (int32_t)calls->node.n - 1;
    }
    open->depth = depth;
    return 0;
}

static int follow(const struct sg_stretches *stretches, struct sg_calls *calls,
                  struct open_calls *open) {
    int64_t before = stretches->n ? stretches->begin[0] : 0;
    if (add_call(calls, -1, 0, before) < 0)
        return NO_MEMORY;
    for (size_t i = 0; i < stretches->n; i++) {
        int32_t node = stretches->node[i];
        int64_t begin = stretches->begin[i], end = stretches->end[i];
        if (node < 0 || (size_t)node >= stretches->n_nodes || begin < before || end < begin)
            return BROKEN;
        if ((uint64_t)begin - (uint64_t)before > (uint64_t)stretches->gap)
            close_calls(calls, open, 0, before);
        int32_t common = find_common(stretches, open, node);
        if (common < 0)
            return BROKEN;
        close_calls(calls, open, common, before);
        if (open_path(stretches, calls, open, node, common, begin) < 0)
            return NO_MEMORY;
        sg_i64(&calls->own)[open->call[open->depth]] += end - begin;
        before = end;
    }
    close_calls(calls, open, 0, before);
    sg_i64(&calls->end)[0] = before;
    return 0;
}

int sg_list_calls(const struct sg_stretches *stretches, struct sg_calls *calls) {
    memset(calls, 0, sizeof *calls);
    int32_t deepest = 0;
    if (stretches->n_nodes == 0 || stretches->depth[0] != 0)
        return BROKEN;
    for (size_t i = 0; i < stretches->n_nodes; i++) {
        if (stretches->depth[i] < 0 || (i > 0 && stretches->depth[i] == 0))
            return BROKEN;
        if (stretches->depth[i] > deepest)
            deepest = stretches->depth[i];
    }
    if ((size_t)deepest >= stretches->n_nodes)
        return BROKEN;
    struct open_calls open = {
        .call = calloc((size_t)deepest + 1, sizeof *open.call),
        .node = calloc((size_t)deepest + 1, sizeof *open.node),
    };
    int result = NO_MEMORY;
    if (open.call && open.node)
        result = follow(stretches, calls, &open);
    free(open.call);
    free(open.node);
    return result;
}
