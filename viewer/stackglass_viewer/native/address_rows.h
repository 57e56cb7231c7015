/* Rows of pprof's old text formats to columns: numbers, addresses, and the comments below them. */
#ifndef SG_ADDRESS_ROWS_H
#define SG_ADDRESS_ROWS_H

#include "comment_guesses.h"
#include "frame_comments.h"
#include "text_lines.h"

enum sg_address_form {
    SG_COUNT_ROWS,      /* 3 @ 0x10 0x20 */
    SG_CONTENTION_ROWS, /* 5000 1 @ 0x10 0x20 */
    SG_HEAP_ROWS,       /* 2: 4096 [3: 6144] @ 0x10 0x20 */
    SG_JEMALLOC_ROWS,   /* @ 0x10 0x20, and below it  t*: 13: 6688 [0: 0]  and more of its kind */
    SG_ADDRESS_FORMS,
};

struct sg_address_rows {
    enum sg_address_form form;
    struct sg_text_lines lines;
    struct sg_text_pieces pieces;    /* the different comments */
    struct sg_frame_comments frames; /* what these name */
    struct sg_comment_guesses guesses;
    struct sg_vector value;       /* int64: 1, 2 or 4 a row */
    struct sg_vector address;     /* uint64, of all rows */
    struct sg_vector address_end; /* int64, by row: how many addresses there are up to its end */
    struct sg_vector comment;     /* int32: the comments of all rows, by their numbers */
    struct sg_vector comment_end; /* int64, by row */
    size_t row_at;                /* where the last row begins */
    int64_t row_number;           /* of its line */
    size_t at;                    /* of the first line that was not read */
    int64_t number;               /* of the last line before it */
};

/* Rows from the line at `at`, of which `number` are before it, up to the first line that is neither
 * empty, nor a comment, nor a row in its plain form: numbers of up to 18 digits, none of them below
 * 0, and addresses of up to 16. Comments that name a frame or labels, up to 10 000 a row, are kept.
 * A row without objects but with bytes is none. 0; -1 = no memory; -2 = stopped by the progress. To
 * be freed in each case. */
int sg_address_rows_read(struct sg_address_rows *rows, enum sg_address_form form,
                         const unsigned char *text, size_t size, size_t at, int64_t number,
                         struct sg_progress *progress);
void sg_address_rows_free(struct sg_address_rows *rows);

#endif
