/* Row names: find which comment names which call in pprof's old text formats.
 *
 *     2: 4096 [3: 6144] @ 0x100010 0x100020      a row: return addresses, leaf first
 *     #  0x10000f  app.load+0x1f  app.py:12      a comment: the name of a call
 *
 * A call is one byte before its return address. Go's comments have the address of the call;
 * Stackglass's have the return address, which is the call's plus one. */
#ifndef SG_ROW_NAMES_H
#define SG_ROW_NAMES_H

#include "column.h"

/* All rows of a file. Equal calls have the same number, and so have equal comments. Row r has the
 * items [end[r - 1], end[r]) of the columns `call` and `comment`. */
struct sg_named_rows {
    size_t n_rows;
    size_t n_calls, n_comments; /* numbers of different calls and comments */
    const int32_t *call;        /* numbers of the calls of all rows */
    const int64_t *call_end;
    const int32_t *comment; /* numbers of the comments of all rows */
    const int64_t *comment_end;
    /* By comment: the calls that it may name, at its own address and at one byte before it. It
     * names the first if the row has that call. Both -1 = the comment names no frame. */
    const int32_t *own, *before;
};

/* The result. A call gets its names from the first row that names it; it has several names if calls
 * were inlined there. If the call is in that row n times, so are its comments. */
struct sg_row_names {
    struct sg_vector call, comment; /* int32: pairs of a call and a comment that names it */
    struct sg_vector n_times;       /* int32, by call: how often it is in the row that names it */
    /* int32, by call: 1 = in some row the call is nearer to the leaf than all named calls. Such
     * calls are functions of Go's runtime, which Go does not name. */
    struct sg_vector is_hidden;
    /* bytes, by item of the rows' `call`: 0 = a root without a name whose callee has one. It is
     * runtime.goexit, which Go leaves out of its protobuf. */
    struct sg_vector is_kept;
};

/* Check all indexes. Returns 0, or -1 if one is out of range. */
int sg_row_names_check(const struct sg_named_rows *rows, size_t n_in_rows, size_t n_comments);

/* Find the names of all calls. Returns 0, or -1 if memory is short; free `names` in either case. */
int sg_row_names_find(const struct sg_named_rows *rows, struct sg_row_names *names);
void sg_row_names_free(struct sg_row_names *names);

#endif
