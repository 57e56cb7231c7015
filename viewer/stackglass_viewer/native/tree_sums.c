/* Sums wrap at 64 bits, which is defined for unsigned integers; no real profile is that large. */
#include "tree_sums.h"

static inline void add(int64_t *sum, int64_t value) {
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

int sg_tree_sums_own(const int32_t *node, const int64_t *weight, size_t n, int64_t *own,
                     size_t n_nodes) {
    for (size_t i = 0; i < n; i++) {
        if ((size_t)node[i] >= n_nodes)
            return -1;
        add(&own[node[i]], weight[i]);
    }
    return 0;
}

int sg_tree_sums_add_up(const int32_t *parent, int64_t *total, size_t n_nodes) {
    for (size_t i = n_nodes; i-- > 1;) {
        if ((size_t)parent[i] >= i)
            return -1;
        add(&total[parent[i]], total[i]);
    }
    return 0;
}

int sg_tree_sums_frames(const int32_t *frame, const char *is_recursive, const int64_t *own,
                        const int64_t *total, size_t n_nodes, int64_t *flat, int64_t *cum,
                        size_t n_frames) {
    for (size_t i = 1; i < n_nodes; i++) {
        if ((size_t)frame[i] >= n_frames)
            return -1;
        add(&flat[frame[i]], own[i]);
        if (!is_recursive[i])
            add(&cum[frame[i]], total[i]);
    }
    return 0;
}

int sg_tree_sums_topmost(const int32_t *parent, const int32_t *frame, const char *is_match,
                         size_t n_frames, const int64_t *total, char *is_below, size_t n_nodes,
                         int64_t *sum) {
    *sum = 0;
    if (n_nodes)
        is_below[0] = 0;
    for (size_t i = 1; i < n_nodes; i++) {
        size_t above = (size_t)parent[i];
        if (above >= i || (size_t)frame[i] >= n_frames)
            return -1;
        is_below[i] = is_below[above];
        if (!is_below[i] && is_match[frame[i]]) {
            add(sum, total[i]);
            is_below[i] = 1; /* only children read this: they are not added again */
        }
    }
    return 0;
}
