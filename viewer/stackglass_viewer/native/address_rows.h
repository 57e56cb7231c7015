/* Reader of pprof's old text formats: a row becomes numbers, addresses and the comments below it.
 */
#ifndef SG_ADDRESS_ROWS_H
#define SG_ADDRESS_ROWS_H

#include "address_numbers.h"
#include "comment_guesses.h"
#include "frame_comments.h"
#include "text_lines.h"

enum sg_address_form {
    SG_COUNT_ROWS,      /* 3 @ 0x10 0x20 */
    SG_CONTENTION_ROWS, /* 5000 1 @ 0x10 0x20 */
    SG_HEAP_ROWS,       /* 2: 4096 [3: 6144] @ 0x10 0x20 */
    SG_JEMALLOC_ROWS,   /* @ 0x10 0x20, then  t*: 13: 6688 [0: 0]  and a line for each thread */
    SG_JAVA_ROWS,       /*    4096     2 @ 0x10 0x20 */
    SG_ADDRESS_FORMS,
};

struct sg_address_rows {
    enum sg_address_form form;
    struct sg_text_lines lines;
    struct sg_text_pieces pieces;    /* the different comments */
    struct sg_frame_comments frames; /* what these name */
    struct sg_comment_guesses guesses;
    struct sg_address_numbers addresses; /* the different addresses */
    struct sg_vector value;              /* int64: 1, 2 or 4 a row */
    struct sg_vector address;     /* int32: the addresses of all rows, as numbers of `addresses` */
    struct sg_vector address_end; /* int64, by row: where its addresses end in `address` */
    struct sg_vector comment;     /* int32: the comments of all rows, as numbers of `pieces` */
    struct sg_vector comment_end; /* int64, by row: where its comments end in `comment` */
    size_t row_different;         /* number of different addresses before the last row */
    size_t row_at;                /* byte offset of the last row */
    int64_t row_number;           /* line number of the last row, from 1 */
    size_t at;                    /* byte offset of the first line that was not read */
    int64_t number;               /* number of lines before `at` */
};

/* Read rows from byte `at`, before which there are `number` lines. The reading ends before the
 * first line that is neither empty, nor a comment, nor a row in plain form; before a jemalloc row
 * that has no sum; and before the row above a line of more than SG_MOST_LINE_BYTES, because this
 * line may be a comment of the row. In plain form, numbers are not negative and have at most 18
 * digits, addresses have at most 16 hex digits, and a row with bytes also has objects. A row of
 * Java has objects and addresses, and there are no comments. Only comments that name a frame or
 * labels are kept, at most 10 000 a row. Returns 0, -1 if memory is short, or -2 if `progress`
 * stopped it. Free `rows` in each case. */
int sg_address_rows_read(struct sg_address_rows *rows, enum sg_address_form form,
                         const unsigned char *text, size_t size, size_t at, int64_t number,
                         struct sg_progress *progress);
void sg_address_rows_free(struct sg_address_rows *rows);

#endif
