/* Calls over time: which function was open from when to when, out of stacks one after another. */
#ifndef SG_CALLS_H
#define SG_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

struct sg_stretches {
    const int32_t *parent; /* of the tree; parents come before their children; node 0 is the root */
    const int32_t *depth;  /* 0 for the root */
    size_t n_nodes;
    const int32_t *node; /* (n) the node of each stretch */
    const int64_t *begin;
    const int64_t *end; /* (n) not before its begin, nor after the next one's begin */
    size_t n;
    int64_t gap; /* a longer pause between stretches ends all calls */
};

struct sg_calls {
    struct sg_vector parent; /* i32 (n_calls); call 0 is the whole, -1 */
    struct sg_vector node;   /* i32 (n_calls) of the tree */
    struct sg_vector begin;  /* i64 (n_calls) */
    struct sg_vector end;    /* i64 (n_calls) */
    struct sg_vector own;    /* i64 (n_calls) the length of the stretches that end in the call */
};

/* Calls in the order in which they begin, callers before callees. 0; -1 if a reference is out of
 * range or stretches overlap; -2 out of memory. Columns are to be released. */
int sg_list_calls(const struct sg_stretches *stretches, struct sg_calls *calls);

#endif
