/* Reader of a tree of massif's format: what each allocation and its callers took.
 *
 *     n2: 8000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n0: 4000 0x1091F9: main (app.c:9)
 *      n1: 4000 0x4892DBC: qsort_r (msort.c:221)
 *       n0: 4000 0x109250: main (app.c:9)
 */
#ifndef SG_MASSIF_TREE_H
#define SG_MASSIF_TREE_H

#include "text_lines.h"
#include "text_pieces.h"

enum { SG_MASSIF_DEEPEST = 4096 }; /* frames of a stack */

enum sg_massif_fault {
    SG_MASSIF_WHOLE,
    SG_MASSIF_CUT,         /* the text ends within the tree */
    SG_MASSIF_NO_NODE,     /* a line is no node, or not at the depth of its place */
    SG_MASSIF_TOO_MUCH,    /* the nodes below one have more bytes than that */
    SG_MASSIF_TOO_DEEP,    /* a stack has more than SG_MASSIF_DEEPEST frames */
    SG_MASSIF_LARGE_VALUE, /* an int64 cannot hold the bytes of a stack, which are `fault_value` */
    SG_MASSIF_LONG_LINE,   /* a line of `fault_value` bytes, more than SG_MOST_LINE_BYTES */
};

struct sg_massif_tree {
    struct sg_text_lines lines;
    struct sg_text_pieces frames; /* what the different nodes below the root say */
    struct sg_vector path;        /* int32: frames from the allocation to the open node */
    struct sg_vector own;         /* uint64, by open node: bytes of no node below it */
    struct sg_vector n_below;     /* int64, by open node: nodes that are still to come below it */
    struct sg_vector stack;       /* int32: frames of all stacks, from the allocation on */
    struct sg_vector stack_start; /* int64, by stack, and the end of the last one */
    struct sg_vector value;       /* int64, by stack: bytes, more than 0 */
    size_t at;                    /* offset after the tree, or of the line with the fault */
    int64_t number;               /* number of lines before `at` */
    enum sg_massif_fault fault;
    uint64_t fault_value;
};

/* Read the tree that begins at byte `at`, before which there are `number` lines. Returns 0, -1 if
 * memory is short, or -2 if `progress` stopped it. Free `tree` in each case. */
int sg_massif_tree_read(struct sg_massif_tree *tree, const unsigned char *text, size_t size,
                        size_t at, int64_t number, struct sg_progress *progress);
void sg_massif_tree_free(struct sg_massif_tree *tree);

#endif
