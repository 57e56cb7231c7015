/* Names of calls, out of the comments below rows of addresses. */
#ifndef SG_ROW_NAMES_H
#define SG_ROW_NAMES_H

#include "column.h"

/* Rows, and what is known of each different comment. Calls are numbered; so are the two addresses
 * that a comment may be of: its own, where the row has such a call, else the one before it. */
struct sg_named_rows {
    size_t n_rows, n_calls, n_comments; /* calls: different ones */
    const int32_t *call;                /* of all rows */
    const int64_t *call_end;            /* by row */
    const int32_t *comment;             /* of all rows */
    const int64_t *comment_end;         /* by row */
    const int32_t *own, *before;        /* by comment: numbers of calls; -1 = it names no frame */
};

/* A call's names are those of the first row that has some. Its comments come again in a row that it
 * is in more than once. */
struct sg_row_names {
    struct sg_vector call, comment; /* int32: which comments name which calls */
    struct sg_vector n_times;       /* int32, by call: how often it is in the row that names it */
    struct sg_vector is_hidden;     /* int32, by call: above the first that a row names */
    struct sg_vector is_kept;       /* bytes, as `call` of the rows: not an unnamed root */
};

/* 0, or -1 if a reference is out of range. */
int sg_row_names_check(const struct sg_named_rows *rows, size_t n_in_rows, size_t n_comments);

/* 0, or -1 if there is no memory. To be freed in either case. */
int sg_row_names_find(const struct sg_named_rows *rows, struct sg_row_names *names);
void sg_row_names_free(struct sg_row_names *names);

#endif
