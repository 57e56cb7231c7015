/* The next row has the children of a row's boxes, from left to right. */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "kept_order.h"

enum {
    BROKEN = -1,
    NO_MEMORY = -2,
    SMALL = 24,       /* children up to this number are sorted by insertion */
    SPREAD = 6,       /* about 2.4 standard deviations, squared */
    ENOUGH_PARTS = 16 /* a difference of 1/16 of the root is taken as more than chance */
};

/* A child of the node whose children are being sorted. */
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

/* Sort by insertion if there are few children, as nearly all nodes have. */
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

/* Return the sort key of a node: its frame's rank, its box in the last layout, or its size. New
 * boxes come after those of the last layout, the largest first. */
static int64_t make_key(const struct sg_layout_tree *tree, int32_t node) {
    if (tree->rank)
        return tree->rank[tree->frame[node]];
    if ((size_t)node >= tree->n_before)
        return tree->n_before ? INT64_MAX - tree->size[node] : -tree->size[node];
    return tree->before[node] < 0 ? INT64_MAX - tree->size[node] : tree->before[node];
}

/* Children with a box, grouped by parent. Keys are not kept, because most children have no sibling:
 * to sort the children of one parent, they are copied to `sorted` with their keys. */
struct families {
    uint32_t *start;   /* (n_nodes + 2) children of node i are start[i] … start[i + 1] - 1 */
    int32_t *children; /* (n_nodes + 1) */
    struct child *sorted;
    struct sg_chance chance;
};

static int gather_children(const struct sg_layout_tree *tree, struct families *families) {
    uint32_t *start = families->start, most = 0;
    int64_t smallest = INT64_MAX;
    memset(start, 0, (tree->n_nodes + 2) * sizeof *start);
    for (size_t i = 1; i < tree->n_nodes; i++) {
        if ((size_t)tree->parent[i] >= i || (size_t)tree->frame[i] >= tree->n_frames)
            return BROKEN;
        if (tree->size[i] > 0) {
            start[tree->parent[i] + 2]++;
            smallest = tree->size[i] < smallest ? tree->size[i] : smallest;
        }
    }
    families->chance.spread = SPREAD * (double)smallest;
    families->chance.enough = tree->n_nodes ? (double)(tree->size[0] / ENOUGH_PARTS) : 0;
    for (size_t i = 2; i < tree->n_nodes + 2; i++) {
        most = start[i] > most ? start[i] : most;
        start[i] += start[i - 1];
    }
    for (size_t i = 1; i < tree->n_nodes; i++)
        if (tree->size[i] > 0)
            families->children[start[tree->parent[i] + 1]++] = (int32_t)i;
    families->sorted = malloc((most + 1u) * sizeof *families->sorted);
    return families->sorted ? 0 : NO_MEMORY;
}

static void sort_family(const struct sg_layout_tree *tree, const struct families *families,
                        int32_t *children, size_t n) {
    struct child *sorted = families->sorted;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct child){make_key(tree, children[i]), children[i]};
    sort_children(sorted, n);
    for (size_t i = 0; i < n; i++)
        children[i] = sorted[i].node;
    if (tree->n_before && !tree->rank)
        sg_kept_order_pull(tree->size, &families->chance, children, n);
}

/* Set `row_start` to where each row of boxes begins. A node has a box if it and all its ancestors
 * have a size. `depth` (n_nodes) is scratch memory. Returns 0, or NO_MEMORY. */
static int count_rows(const struct sg_layout_tree *tree, int32_t *depth,
                      struct sg_vector *row_start) {
    size_t n_rows = 0;
    for (size_t i = 0; i < tree->n_nodes; i++) {
        int32_t above = i ? depth[tree->parent[i]] : 0; /* 1 = the root; 0 = no box */
        depth[i] = tree->size[i] > 0 && (above || i == 0) ? above + 1 : 0;
        if ((size_t)depth[i] > n_rows) {
            if (sg_push_i32(row_start, 0) < 0)
                return NO_MEMORY;
            n_rows++;
        }
        if (depth[i])
            sg_i32(row_start)[depth[i] - 1]++;
    }
    int32_t n_boxes = 0;
    for (size_t row = 0; row < n_rows; row++) {
        int32_t n = sg_i32(row_start)[row];
        sg_i32(row_start)[row] = n_boxes;
        n_boxes += n;
    }
    return sg_push_i32(row_start, n_boxes) < 0 ? NO_MEMORY : 0;
}

static int reserve_boxes(struct sg_layout *layout, size_t n_boxes) {
    if (sg_reserve(&layout->left, n_boxes, sizeof(double)) < 0 ||
        sg_reserve(&layout->right, n_boxes, sizeof(double)) < 0)
        return NO_MEMORY;
    layout->left.n = layout->right.n = layout->node.n = n_boxes;
    return 0;
}

/* A box whose children are being placed. */
struct open_box {
    uint32_t child, end; /* in `families->children`: the next child, and the end of the children */
    double left;
    uint64_t used; /* width taken by the children placed so far */
    int32_t next;  /* next free box of this row */
};

static void open_node(const struct sg_layout_tree *tree, const struct families *families,
                      int32_t node, struct open_box *box) {
    uint32_t start = families->start[node], end = families->start[node + 1];
    if (end - start > 1)
        sort_family(tree, families, families->children + start, end - start);
    box->child = start;
    box->end = end;
    box->used = 0;
}

/* Place the boxes depth first, because that is the order of the nodes in memory; breadth first
 * would access them at random. Each row is filled from left to right. `open` has an item for each
 * row. */
static void place(const struct sg_layout_tree *tree, const struct families *families,
                  struct open_box *open, struct sg_layout *layout) {
    double *lefts = (double *)(void *)layout->left.data;
    double *rights = (double *)(void *)layout->right.data;
    int32_t *nodes = sg_i32(&layout->node);
    size_t n_rows = layout->row_start.n - 1;
    for (size_t row = 0; row < n_rows; row++)
        open[row].next = sg_i32(&layout->row_start)[row];
    lefts[0] = open[0].left = 0;
    rights[0] = (double)tree->size[0];
    nodes[0] = 0;
    open_node(tree, families, 0, &open[0]);
    for (size_t row = 0;;) {
        struct open_box *parent = &open[row];
        if (parent->child == parent->end) {
            if (row-- == 0)
                break;
            continue;
        }
        struct open_box *below = &open[++row];
        int32_t node = families->children[parent->child++], box = below->next++;
        below->left = lefts[box] = parent->left + (double)parent->used;
        parent->used += (uint64_t)tree->size[node];
        rights[box] = parent->left + (double)parent->used;
        nodes[box] = node;
        open_node(tree, families, node, below);
    }
}

/* Set `box_of_node`, in the memory of `column`, which is not needed any more. */
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
    struct open_box *open = NULL;
    int result = NO_MEMORY;
    if (families.children && sg_reserve(&start, tree->n_nodes + 2, sizeof(uint32_t)) == 0 &&
        sg_reserve(&layout->node, tree->n_nodes, sizeof(int32_t)) == 0) {
        families.start = (uint32_t *)(void *)start.data;
        result = gather_children(tree, &families);
    }
    if (result == 0) /* boxes get their nodes only after the rows are counted */
        result = count_rows(tree, sg_i32(&layout->node), &layout->row_start);
    if (result == 0) {
        size_t n_rows = layout->row_start.n - 1;
        result = reserve_boxes(layout, (size_t)sg_i32(&layout->row_start)[n_rows]);
        open = malloc((n_rows + 1) * sizeof *open);
        if (!open)
            result = NO_MEMORY;
    }
    if (result == 0 && layout->node.n)
        place(tree, &families, open, layout);
    free(open);
    free(families.children);
    free(families.sorted);
    if (result == 0)
        number_boxes(layout, &start, tree->n_nodes);
    sg_release(&start);
    return result;
}
