/* Row names: in pprof's old text formats, which comment names which call.
 *
 *     2: 4096 [3: 6144] @ 0x100010 0x100020      a row: return addresses, leaf first
 *     #  0x10000f  app.load+0x1f  app.py:12      a comment: the name of a call
 *
 * A call is one byte before its return address. Go's comments have the address of the call;
 * Stackglass's have the return address, which is the call's plus one. */
#ifndef SG_ROW_NAMES_H
#define SG_ROW_NAMES_H

#include "column.h"

/* All rows of a file, by numbers: equal calls have the same number, and so have equal comments. Row
 * r has the items [end[r - 1], end[r]) of the columns `call` and `comment`. */
struct sg_named_rows {
    size_t n_rows;
    size_t n_calls, n_comments; /* different ones */
    const int32_t *call;        /* numbers of the calls of all rows */
    const int64_t *call_end;
    const int32_t *comment; /* numbers of the comments of all rows */
    const int64_t *comment_end;
    /* By comment: the calls that it may name, those at its own address and one byte before. The
     * first counts, if the row has it. Both -1 = the comment names no frame. */
    const int32_t *own, *before;
};

/* The result. A call gets its names from the first row that names it: several, if calls were
 * inlined. If the call is in that row n times, its comments are there n times. */
struct sg_row_names {
    struct sg_vector call, comment; /* int32: pairs, this comment names this call */
    struct sg_vector n_times;       /* int32, by call: how often it is in the row that names it */
    /* int32, by call: 1 = in some row it lies above the first named call. Those are functions of
     * Go's runtime, which Go leaves without a name. */
    struct sg_vector is_hidden;
    /* bytes, as `call` of the rows: 0 = the root, if it has no name and its callee has one. That is
     * runtime.goexit, which Go leaves out of its protobuf. */
    struct sg_vector is_kept;
};

/* 0, or -1 if a reference is out of range. */
int sg_row_names_check(const struct sg_named_rows *rows, size_t n_in_rows, size_t n_comments);

/* 0, or -1 if there is no memory. The result must be freed in either case. */
int sg_row_names_find(const struct sg_named_rows *rows, struct sg_row_names *names);
void sg_row_names_free(struct sg_row_names *names);

#endif
