/* Nesting of a trace's spans: it finds the stack of spans that each thread had at each time. */
#ifndef SG_SPANS_H
#define SG_SPANS_H

#include "column.h"

struct sg_spans {
    const int32_t *thread; /* (n) grouped by thread */
    const double *begin;   /* (n) ascending within a thread; if equal, the longest span first */
    const double *end;     /* (n) not before the begin */
    const int32_t *frame;
    size_t n, deepest; /* deepest: the most spans of a thread that may be open together */
};

struct sg_nesting {
    /* The tree of stacks. Each thread has a root, its empty stack, before its other nodes. */
    struct sg_vector parent; /* i32 (n_nodes); -1 = a root */
    struct sg_vector frame;  /* i32 (n_nodes); -1 = a root */
    /* Intervals in which a thread's stack did not change; `node` is the stack's node. */
    struct sg_vector node;  /* i32 (n_intervals) */
    struct sg_vector begin; /* f64 (n_intervals) */
    struct sg_vector end;   /* f64 (n_intervals) */
};

/* Nest spans. A span that ends after the span around it is cut off at that one's end. Returns 0, -1
 * if more than `deepest` spans are open together, or -2 if memory is short. Release the columns in
 * any case. */
int sg_nest_spans(const struct sg_spans *spans, struct sg_nesting *nesting);

#endif
