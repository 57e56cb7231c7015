/* Calls over time of one thread, found from its stretches: successive times, each with a stack. */
#ifndef SG_CALLS_H
#define SG_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "column.h"

struct sg_stretches {
    const int32_t *parent; /* (n_nodes) of the call tree; less than the child; node 0 is the root */
    const int32_t *depth;  /* 0 for the root */
    size_t n_nodes;
    const int32_t *node; /* (n) the node of each stretch */
    const int64_t *begin;
    const int64_t *end; /* (n) from the begin of this stretch to the begin of the next */
    size_t n;
    int64_t gap; /* a longer pause between stretches ends all calls */
};

struct sg_calls {
    struct sg_vector parent; /* i32 (n_calls); -1 for call 0, which spans all stretches */
    struct sg_vector node;   /* i32 (n_calls) the call's node in the tree */
    struct sg_vector begin;  /* i64 (n_calls) */
    struct sg_vector end;    /* i64 (n_calls) */
    struct sg_vector own;    /* i64 (n_calls) length of the stretches with the call as their leaf */
};

/* List the calls in the order in which they begin, callers before callees. Returns 0, -1 if an
 * index is out of range or stretches overlap, or -2 if memory is short. Release the columns in any
 * case. */
int sg_list_calls(const struct sg_stretches *stretches, struct sg_calls *calls);

#endif
