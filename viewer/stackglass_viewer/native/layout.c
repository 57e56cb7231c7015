/* Layout row by row: the children of a row's boxes, from left to right, are the next row. */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    BROKEN = -1,
    NO_MEMORY = -2,
    SMALL = 24,
    STARTS_AHEAD = 32,
    CHILDREN_AHEAD = 16,
    SIZES_AHEAD = 8
};

/* A node beside its brothers and sisters. */
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

/* Children with a box, parent by parent. Of an only child, which most are, nothing else is kept:
 * to sort some, they are copied with their keys. */
struct families {
    uint32_t *start;   /* (n_nodes + 2) children of node i are start[i] … start[i + 1] - 1 */
    int32_t *children; /* (n_nodes + 1) */
    struct child *sorted;
};

static int gather_children(const struct sg_layout_tree *tree, struct families *families) {
    uint32_t *start = families->start, most = 0;
    memset(start, 0, (tree->n_nodes + 2) * sizeof *start);
    for (size_t i = 1; i < tree->n_nodes; i++) {
        if ((size_t)tree->parent[i] >= i || (size_t)tree->frame[i] >= tree->n_frames)
            return BROKEN;
        if (tree->size[i] > 0)
            start[tree->parent[i] + 2]++;
    }
    for (size_t i = 2; i < tree->n_nodes + 2; i++) {
        most = start[i] > most ? start[i] : most;
        start[i] += start[i - 1];
    }
    for (size_t i = 1; i < tree->n_nodes; i++)
        if (tree->size[i] > 0)
            families->children[start[tree->parent[i] + 1]++] = (int32_t)i;
    families->children[start[tree->n_nodes]] = 0; /* read ahead of need */
    families->sorted = malloc((most + 1u) * sizeof *families->sorted);
    return families->sorted ? 0 : NO_MEMORY;
}

static void sort_family(const struct sg_layout_tree *tree, int32_t *children, size_t n,
                        struct child *sorted) {
    for (size_t i = 0; i < n; i++) {
        int32_t node = children[i];
        int64_t key = tree->rank ? tree->rank[tree->frame[node]] : -tree->size[node];
        sorted[i] = (struct child){key, node};
    }
    sort_children(sorted, n);
    for (size_t i = 0; i < n; i++)
        children[i] = sorted[i].node;
}

static int reserve_boxes(struct sg_layout *layout, size_t n_boxes) {
    if (sg_reserve(&layout->left, n_boxes, sizeof(double)) < 0 ||
        sg_reserve(&layout->right, n_boxes, sizeof(double)) < 0 ||
        sg_reserve(&layout->node, n_boxes, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    return 0;
}

static void add_box(struct sg_layout *layout, int32_t node, double left, double right) {
    size_t box = layout->node.n;
    ((double *)(void *)layout->left.data)[box] = left;
    ((double *)(void *)layout->right.data)[box] = right;
    sg_i32(&layout->node)[box] = node;
    layout->left.n = layout->right.n = layout->node.n = box + 1;
}

/* Neighbours in a row lie all over the tree: what later ones need is fetched early, first where
 * their children begin, then the children, then the size of the first. `node`: of the boxes from
 * this one to the row's end. */
static void fetch_ahead(const int32_t *node, size_t n, const struct sg_layout_tree *tree,
                        const struct families *families) {
    const uint32_t *start = families->start;
    if (n > STARTS_AHEAD)
        __builtin_prefetch(&start[node[STARTS_AHEAD]]);
    if (n > CHILDREN_AHEAD)
        __builtin_prefetch(&families->children[start[node[CHILDREN_AHEAD]]]);
    if (n > SIZES_AHEAD)
        __builtin_prefetch(&tree->size[families->children[start[node[SIZES_AHEAD]]]]);
}

static int place(const struct sg_layout_tree *tree, const struct families *families,
                 struct sg_layout *layout) {
    const uint32_t *start = families->start;
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
            fetch_ahead(sg_i32(&layout->node) + box, end - box, tree, families);
            int32_t *children = families->children + start[node];
            uint32_t n = start[node + 1] - start[node];
            if (n > 1)
                sort_family(tree, children, n, families->sorted);
            for (uint32_t i = 0; i < n; i++) {
                double left = edge + (double)used;
                used += (uint64_t)tree->size[children[i]];
                add_box(layout, children[i], left, edge + (double)used);
            }
        }
        row = end;
    }
    return sg_push_i32(&layout->row_start, (int32_t)row) < 0 ? NO_MEMORY : 0;
}

/* In the memory of `column`, which nothing else needs any more. */
static void number_boxes(struct sg_layout *layout, struct sg_vector *column, size_t n_nodes) {
    layout->box_of_node = *column;
    layout->box_of_node.n = n_nodes;
    memset(column, 0, sizeof *column);
    int32_t *box_of_node = sg_i32(&layout->box_of_node);
    memset(box_of_node, 0xFF, n_nodes * sizeof *box_of_node);
    for (size_t box = 0; box < layout->node.n; box++)
        box_of_node[sg_i32(&layout->node)[box]] = (int32_t)box;
}

int sg_layout_build(const struct sg_layout_tree *tree, struct sg_layout *layout) {
    memset(layout, 0, sizeof *layout);
    struct sg_vector start = {0};
    struct families families = {.children = malloc((tree->n_nodes + 1) * sizeof(int32_t))};
    int result = NO_MEMORY;
    if (families.children && sg_reserve(&start, tree->n_nodes + 2, sizeof(uint32_t)) == 0) {
        families.start = (uint32_t *)(void *)start.data;
        result = gather_children(tree, &families);
    }
    if (result == 0)
        result = reserve_boxes(layout, families.start[tree->n_nodes] + 1u);
    if (result == 0)
        result = place(tree, &families, layout);
    free(families.children);
    free(families.sorted);
    if (result == 0)
        number_boxes(layout, &start, tree->n_nodes);
    sg_release(&start);
    return result;
}
