/* Spans of threads nested by time: which stack was open from when to when. */
#ifndef SG_SPANS_H
#define SG_SPANS_H

#include "column.h"

struct sg_spans {
    const int32_t *thread; /* (n) those of a thread one after the other */
    const double *begin;   /* (n) in order within a thread; of equal ones the longest first */
    const double *end;     /* (n) not before its begin */
    const int32_t *frame;
    size_t n, deepest; /* how many may be open at once */
};

struct sg_nesting {
    struct sg_vector parent; /* i32 (n_nodes) of the tree of stacks; -1 = a thread's empty stack */
    struct sg_vector frame; /* i32 (n_nodes); -1 = a thread's empty stack, before its other nodes */
    struct sg_vector node;  /* i32 (n) of each time that a stack was open */
    struct sg_vector begin; /* f64 (n) */
    struct sg_vector end;   /* f64 (n) */
};

/* A span that outlasts the one around it is cut there. 0; -1 if more than `deepest` are open; -2
 * out of memory. Columns are to be released. */
int sg_nest_spans(const struct sg_spans *spans, struct sg_nesting *nesting);

#endif
