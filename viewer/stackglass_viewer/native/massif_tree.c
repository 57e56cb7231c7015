/* A node says how many nodes follow below it. It is complete when they are, and has a stack of its
 * own if it has bytes that none of them has. */
#include "massif_tree.h"

enum { NO_MEMORY = -1, DONE = 0, STOPPED = -2 };
enum { MOST_BELOW_DIGITS = 9, MOST_BYTES_DIGITS = 19 };

struct node {
    size_t depth; /* the root has 0 */
    uint64_t n_below, n_bytes;
    const unsigned char *text, *end;
};

/* Read digits, at most `most`, and what must follow them. Returns where that ends, or NULL. */
static const unsigned char *read_number(const unsigned char *at, const unsigned char *end,
                                        ptrdiff_t most, const char *after, uint64_t *number) {
    const unsigned char *first = at;
    uint64_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9' && at - first < most; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at == first)
        return NULL;
    for (; *after; after++, at++)
        if (at == end || *at != (unsigned char)*after)
            return NULL;
    *number = value;
    return at;
}

/* Read `  n1: 60 0x1091F9: load (app.c:9)`. Returns whether the line has this form. */
static int read_node(const struct sg_text_lines *lines, struct node *node) {
    const unsigned char *first = lines->text + lines->begin, *at = first;
    node->end = lines->text + lines->end;
    while (at < node->end && *at == ' ')
        at++;
    node->depth = (size_t)(at - first);
    if (at == node->end || *at != 'n')
        return 0;
    at = read_number(at + 1, node->end, MOST_BELOW_DIGITS, ": ", &node->n_below);
    node->text = at ? read_number(at, node->end, MOST_BYTES_DIGITS, " ", &node->n_bytes) : NULL;
    return node->text != NULL;
}

/* End the reading before the current line. */
static int end_with(struct sg_massif_tree *tree, enum sg_massif_fault fault, uint64_t value) {
    tree->fault = fault;
    tree->fault_value = value;
    tree->at = tree->lines.begin;
    tree->number = tree->lines.number - 1;
    return DONE;
}

/* Add the stack of the open node. */
static int push_stack(struct sg_massif_tree *tree, uint64_t n_bytes) {
    const struct sg_vector *path = &tree->path;
    if (n_bytes > INT64_MAX)
        return end_with(tree, SG_MASSIF_LARGE_VALUE, n_bytes);
    if (sg_reserve(&tree->stack, path->n, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    if (path->n)
        memcpy(sg_i32(&tree->stack) + tree->stack.n, path->data, path->n * sizeof(int32_t));
    tree->stack.n += path->n;
    return sg_push_i64(&tree->value, (int64_t)n_bytes) < 0 ||
                   sg_push_i64(&tree->stack_start, (int64_t)tree->stack.n) < 0
               ? NO_MEMORY
               : DONE;
}

/* Close the open node, below which no more nodes come. */
static int close_node(struct sg_massif_tree *tree) {
    uint64_t n_bytes = sg_u64(&tree->own)[tree->own.n - 1];
    int result = n_bytes ? push_stack(tree, n_bytes) : DONE;
    tree->own.n--;
    tree->n_below.n--;
    if (tree->path.n)
        tree->path.n--;
    return result;
}

/* Open the node of the current line. */
static int open_node(struct sg_massif_tree *tree, const struct node *node) {
    const struct sg_text_lines *lines = &tree->lines;
    if (tree->own.n) {
        uint64_t *own = &sg_u64(&tree->own)[tree->own.n - 1];
        sg_i64(&tree->n_below)[tree->own.n - 1]--;
        if (node->n_bytes > *own)
            return end_with(tree, SG_MASSIF_TOO_MUCH, 0);
        *own -= node->n_bytes;
        if (node->depth > SG_MASSIF_DEEPEST)
            return end_with(tree, SG_MASSIF_TOO_DEEP, 0);
        int32_t frame = sg_text_pieces_number(&tree->frames, (size_t)(node->text - lines->text),
                                              (size_t)(node->end - node->text));
        if (frame < 0 || sg_push_i32(&tree->path, frame) < 0)
            return NO_MEMORY;
    }
    return sg_push_u64(&tree->own, node->n_bytes) < 0 ||
                   sg_push_i64(&tree->n_below, (int64_t)node->n_below) < 0
               ? NO_MEMORY
               : DONE;
}

static int read_line(struct sg_massif_tree *tree) {
    struct sg_text_lines *lines = &tree->lines;
    struct node node;
    if (!sg_text_lines_next(lines)) {
        lines->begin = lines->at < lines->size ? lines->at : lines->size;
        lines->number++;
        (void)end_with(tree, SG_MASSIF_CUT, 0);
        return lines->is_stopped ? STOPPED : DONE;
    }
    if (lines->refused_bytes)
        return end_with(tree, SG_MASSIF_LONG_LINE, lines->refused_bytes);
    if (!read_node(lines, &node) || node.depth != tree->own.n)
        return end_with(tree, SG_MASSIF_NO_NODE, 0);
    return open_node(tree, &node);
}

int sg_massif_tree_read(struct sg_massif_tree *tree, const unsigned char *text, size_t size,
                        size_t at, int64_t number, struct sg_progress *progress) {
    *tree = (struct sg_massif_tree){0};
    struct sg_text_lines *lines = &tree->lines;
    sg_text_lines_init(lines, text, size, progress);
    lines->at = lines->reported = at;
    lines->number = number;
    if (sg_text_pieces_init(&tree->frames, text) < 0 || sg_push_i64(&tree->stack_start, 0) < 0)
        return NO_MEMORY;
    int result = read_line(tree);
    while (result == DONE && !tree->fault && tree->own.n)
        result = sg_i64(&tree->n_below)[tree->own.n - 1] ? read_line(tree) : close_node(tree);
    if (!tree->fault) {
        tree->at = lines->at < size ? lines->at : size;
        tree->number = lines->number;
    }
    return result;
}

void sg_massif_tree_free(struct sg_massif_tree *tree) {
    sg_text_pieces_free(&tree->frames);
    sg_release(&tree->path);
    sg_release(&tree->own);
    sg_release(&tree->n_below);
    sg_release(&tree->stack);
    sg_release(&tree->stack_start);
    sg_release(&tree->value);
}
