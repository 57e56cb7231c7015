/* Layout row by row: the children of a row's boxes, from left to right, are the next row. */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { BROKEN = -1, NO_MEMORY = -2, SMALL = 24, STARTS_AHEAD = 32, CHILDREN_AHEAD = 16 };

struct child {
    int64_t key; /* smallest first */
    int32_t node;
};

static inline int comes_before(struct child a, struct child b) {
    return a.key < b.key || (a.key == b.key && a.node < b.node);
}

static int compare_children(const void *a, const void *b) {
    const struct child *one = a, *other = b;
    return comes_before(*other, *one) - comes_before(*one, *other);
}

/* Nearly all nodes have few children. */
static void sort_children(struct child *children, size_t n) {
    if (n > SMALL) {
        qsort(children, n, sizeof *children, compare_children);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct child child = children[i];
        size_t at = i;
        for (; at > 0 && comes_before(child, children[at - 1]); at--)
            children[at] = children[at - 1];
        children[at] = child;
    }
}

/* Children with a box, parent by parent: those of node i are start[i] … start[i + 1] - 1. */
static int gather_children(const struct sg_layout_tree *tree, uint32_t *start,
                           struct child *children) {
    memset(start, 0, (tree->n_nodes + 2) * sizeof *start);
    for (size_t i = 1; i < tree->n_nodes; i++) {
        if ((size_t)tree->parent[i] >= i || (size_t)tree->frame[i] >= tree->n_frames)
            return BROKEN;
        if (tree->size[i] > 0)
            start[tree->parent[i] + 2]++;
    }
    for (size_t i = 2; i < tree->n_nodes + 2; i++)
        start[i] += start[i - 1];
    for (size_t i = 1; i < tree->n_nodes; i++)
        if (tree->size[i] > 0) {
            int64_t key = tree->rank ? tree->rank[tree->frame[i]] : -tree->size[i];
            children[start[tree->parent[i] + 1]++] = (struct child){key, (int32_t)i};
        }
    return 0;
}

static int reserve_boxes(struct sg_layout *layout, size_t n_boxes, size_t n_nodes) {
    if (sg_reserve(&layout->left, n_boxes, sizeof(double)) < 0 ||
        sg_reserve(&layout->right, n_boxes, sizeof(double)) < 0 ||
        sg_reserve(&layout->node, n_boxes, sizeof(int32_t)) < 0 ||
        sg_reserve(&layout->box_of_node, n_nodes, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    layout->box_of_node.n = n_nodes;
    memset(layout->box_of_node.data, 0xFF, n_nodes * sizeof(int32_t));
    return 0;
}

static void add_box(struct sg_layout *layout, int32_t node, double left, double right) {
    size_t box = layout->node.n;
    ((double *)(void *)layout->left.data)[box] = left;
    ((double *)(void *)layout->right.data)[box] = right;
    sg_i32(&layout->node)[box] = node;
    sg_i32(&layout->box_of_node)[node] = (int32_t)box;
    layout->left.n = layout->right.n = layout->node.n = box + 1;
}

/* Neighbours in a row lie all over the tree: what later ones need is fetched early, first where
 * their children begin, then the children. `node`: of the boxes from this one to the row's end. */
static void fetch_ahead(const int32_t *node, size_t n, const uint32_t *start,
                        const struct child *children) {
    if (n > STARTS_AHEAD)
        __builtin_prefetch(&start[node[STARTS_AHEAD]]);
    if (n > CHILDREN_AHEAD)
        __builtin_prefetch(&children[start[node[CHILDREN_AHEAD]]]);
}

/* Without ranks the order is that of sizes, and the key is the size. */
static uint64_t size_of(const struct sg_layout_tree *tree, struct child child) {
    return tree->rank ? (uint64_t)tree->size[child.node] : (uint64_t)-child.key;
}

static int place(const struct sg_layout_tree *tree, const uint32_t *start, struct child *children,
                 struct sg_layout *layout) {
    if (tree->n_nodes && tree->size[0] > 0)
        add_box(layout, 0, 0, (double)tree->size[0]);
    size_t row = 0;
    while (row < layout->node.n) {
        size_t end = layout->node.n;
        if (sg_push_i32(&layout->row_start, (int32_t)row) < 0)
            return NO_MEMORY;
        for (size_t box = row; box < end; box++) {
            int32_t node = sg_i32(&layout->node)[box];
            double edge = ((double *)(void *)layout->left.data)[box];
            uint64_t used = 0;
            fetch_ahead(sg_i32(&layout->node) + box, end - box, start, children);
            sort_children(children + start[node], start[node + 1] - start[node]);
            for (uint32_t i = start[node]; i < start[node + 1]; i++) {
                double left = edge + (double)used;
                used += size_of(tree, children[i]);
                add_box(layout, children[i].node, left, edge + (double)used);
            }
        }
        row = end;
    }
    return sg_push_i32(&layout->row_start, (int32_t)row) < 0 ? NO_MEMORY : 0;
}

int sg_layout_build(const struct sg_layout_tree *tree, struct sg_layout *layout) {
    memset(layout, 0, sizeof *layout);
    uint32_t *start = malloc((tree->n_nodes + 2) * sizeof *start);
    struct child *children = malloc((tree->n_nodes + 1) * sizeof *children);
    int result = NO_MEMORY;
    if (start && children && (result = gather_children(tree, start, children)) == 0) {
        size_t n_boxes = start[tree->n_nodes] + 1u;
        if ((result = reserve_boxes(layout, n_boxes, tree->n_nodes)) == 0)
            result = place(tree, start, children, layout);
    }
    free(start);
    free(children);
    return result;
}
