/* The hash table of (parent, frame) uses linear probing. */
#include "live_tree.h"

static size_t hash(const struct sg_live_tree *tree, int32_t parent, int32_t frame) {
    uint64_t value = ((uint64_t)(uint32_t)parent << 32 | (uint32_t)frame) ^ tree->seed;
    value *= 0x9E3779B97F4A7C15u;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    return (size_t)(value ^ value >> 29) & (tree->n_slots - 1);
}

/* Return the slot of a child, or the free slot where it belongs. */
static size_t find_slot(const struct sg_live_tree *tree, int32_t parent, int32_t frame) {
    size_t at = hash(tree, parent, frame);
    for (; tree->slots[at] >= 0; at = (at + 1) & (tree->n_slots - 1)) {
        int32_t node = tree->slots[at];
        if (tree->parent[node] == parent && tree->frame[node] == frame)
            break;
    }
    return at;
}

static int stands_above(const struct sg_live_tree *tree, int32_t node, int32_t frame) {
    for (; node > 0; node = tree->parent[node])
        if (tree->frame[node] == frame)
            return 1;
    return 0;
}

void sg_live_tree_fill_slots(struct sg_live_tree *tree) {
    for (size_t i = 0; i < tree->n_nodes; i++)
        tree->slots[find_slot(tree, tree->parent[i], tree->frame[i])] = (int32_t)i;
}

int sg_live_tree_grow(struct sg_live_tree *tree, const int32_t *parent, const int32_t *frame,
                      size_t n, int32_t *node, size_t first) {
    for (size_t i = 0; i < n; i++) {
        if ((size_t)parent[i] >= first + i)
            return -1;
        int32_t above = node[parent[i]];
        size_t slot = find_slot(tree, above, frame[i]);
        if (tree->slots[slot] < 0) {
            size_t made = tree->n_nodes++;
            tree->parent[made] = above;
            tree->frame[made] = frame[i];
            tree->depth[made] = tree->depth[above] + 1;
            if (tree->is_recursive)
                tree->is_recursive[made] = (char)stands_above(tree, above, frame[i]);
            tree->slots[slot] = (int32_t)made;
        }
        node[first + i] = tree->slots[slot];
    }
    return 0;
}
