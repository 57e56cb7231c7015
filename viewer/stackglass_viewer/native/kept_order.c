/* A child that is clearly larger than one sibling is clearly larger than all smaller ones. So the
 * first sibling that it passes is a record: smaller than all siblings on its left. Records are
 * descending, and are found by size in a tree:
 *
 *     children   9  4  6  3  5          the next child, 7, is clearly larger than 4 and less
 *     records    9  4     3             the largest record among these is 4: 7 moves before it
 */
#include <stdlib.h>
#include <string.h>

#include "kept_order.h"

enum { FEW = 64 }; /* up to this number of children, the list is searched from the left */

/* Whether `size` is larger than `other` by more than chance. The number of samples in a box has a
 * standard deviation of its square root. The smallest box is taken as one sample; that is too much
 * if no box is small, so a difference of a part of the root is enough, too. */
static int is_clearly_larger(const struct sg_chance *chance, int64_t size, int64_t other) {
    double more = (double)(size - other);
    return size - other > other / 5 &&
           (more > chance->enough || more * more > chance->spread * (double)(size + other));
}

/* Siblings between the old and the new place are smaller, too: none of them is clearly larger than
 * the first one that is passed. */
static void pull_few(const int64_t *size, const struct sg_chance *chance, int32_t *children,
                     size_t n) {
    int64_t least = size[children[0]];
    for (size_t i = 1; i < n; i++) {
        int32_t node = children[i];
        if (is_clearly_larger(chance, size[node], least)) {
            size_t at = 0;
            while (!is_clearly_larger(chance, size[node], size[children[at]]))
                at++;
            memmove(&children[at + 1], &children[at], (i - at) * sizeof *children);
            children[at] = node;
        } else if (size[node] < least) {
            least = size[node];
        }
    }
}

/* Children are given by their first places, 0 … n - 1; n is the end of the list. Ranks are indices
 * of `sizes`. */
struct order {
    int64_t *sizes; /* (n_sizes) different sizes, ascending */
    size_t n_sizes;
    uint8_t *has_record;     /* (2 * n_leaves) binary tree, node 1 is the root */
    size_t n_leaves;         /* a power of two, at least n_sizes */
    size_t *record;          /* by rank: the place of the record with this size */
    size_t *previous, *next; /* (n + 1) */
    int32_t *nodes;          /* (n) by place */
};

static int compare_sizes(const void *a, const void *b) {
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static int init_order(struct order *order, const int64_t *size, const int32_t *children, size_t n) {
    for (order->n_leaves = 1; order->n_leaves < n;)
        order->n_leaves *= 2;
    order->sizes = malloc(n * sizeof *order->sizes);
    order->nodes = malloc(n * sizeof *order->nodes);
    order->record = malloc(n * sizeof *order->record);
    order->previous = malloc((n + 1) * sizeof *order->previous);
    order->next = malloc((n + 1) * sizeof *order->next);
    order->has_record = calloc(2 * order->n_leaves, 1);
    if (!order->sizes || !order->nodes || !order->record || !order->previous || !order->next ||
        !order->has_record)
        return -1;
    memcpy(order->nodes, children, n * sizeof *children);
    for (size_t i = 0; i < n; i++)
        order->sizes[i] = size[children[i]];
    qsort(order->sizes, n, sizeof *order->sizes, compare_sizes);
    for (size_t i = 0; i < n; i++)
        if (!i || order->sizes[i] != order->sizes[order->n_sizes - 1])
            order->sizes[order->n_sizes++] = order->sizes[i];
    order->previous[n] = order->next[n] = n;
    return 0;
}

static void free_order(struct order *order) {
    free(order->sizes);
    free(order->nodes);
    free(order->record);
    free(order->previous);
    free(order->next);
    free(order->has_record);
}

/* Return the number of sizes below `size`, which is its rank if it is among the sizes. */
static size_t find_rank(const struct order *order, int64_t size) {
    size_t low = 0, high = order->n_sizes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->sizes[middle] < size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return the number of sizes that `size` is clearly larger than: these are the smallest. */
static size_t count_passed(const struct order *order, const struct sg_chance *chance,
                           int64_t size) {
    size_t low = 0, high = order->n_sizes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_clearly_larger(chance, size, order->sizes[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_record(struct order *order, size_t rank, size_t place) {
    order->record[rank] = place;
    for (size_t i = rank + order->n_leaves; i && !order->has_record[i]; i /= 2)
        order->has_record[i] = 1;
}

/* Return the rank of the record next to `rank`, below it for side 0, above it for side 1; n_leaves
 * if there is none. */
static size_t find_record(const struct order *order, size_t rank, size_t side) {
    size_t i = rank + order->n_leaves;
    while (i > 1 && (i % 2 == side || !order->has_record[i ^ 1]))
        i /= 2;
    if (i <= 1)
        return order->n_leaves;
    for (i ^= 1; i < order->n_leaves;) {
        size_t near = 2 * i + (1 - side);
        i = order->has_record[near] ? near : near ^ 1;
    }
    return i - order->n_leaves;
}

static void insert(struct order *order, size_t place, size_t before) {
    order->previous[place] = order->previous[before];
    order->next[place] = before;
    order->next[order->previous[before]] = place;
    order->previous[before] = place;
}

static void pull(struct order *order, const int64_t *size, const struct sg_chance *chance,
                 size_t n) {
    for (size_t place = 0; place < n; place++) {
        int64_t own = size[order->nodes[place]];
        size_t rank = find_rank(order, own), n_passed = count_passed(order, chance, own);
        /* `own` itself is not passed, so n_passed is a rank. */
        size_t passed = order->n_leaves;
        if (n_passed && order->has_record[n_passed - 1 + order->n_leaves])
            passed = n_passed - 1;
        else if (n_passed)
            passed = find_record(order, n_passed - 1, 0);
        int is_passing = passed != order->n_leaves;
        insert(order, place, is_passing ? order->record[passed] : n);
        /* It is a record if it is smaller than the next record on its left, which is the next
         * larger one. Behind all others, it must have none below or beside it. */
        size_t left = is_passing ? find_record(order, passed, 1) : order->n_leaves;
        int is_record = is_passing ? left == order->n_leaves || rank < left
                                   : !order->has_record[rank + order->n_leaves] &&
                                         find_record(order, rank, 0) == order->n_leaves;
        if (is_record)
            add_record(order, rank, place);
    }
}

void sg_kept_order_pull(const int64_t *size, const struct sg_chance *chance, int32_t *children,
                        size_t n) {
    struct order order = {0};
    if (n > FEW && init_order(&order, size, children, n) == 0) {
        pull(&order, size, chance, n);
        for (size_t i = 0, place = order.next[n]; i < n; i++, place = order.next[place])
            children[i] = order.nodes[place];
    } else if (n) { /* or memory is short */
        pull_few(size, chance, children, n);
    }
    free_order(&order);
}
