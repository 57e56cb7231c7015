/* Dumps of goroutines and threads, to columns of stacks and labels.
 *
 *     goroutine 18 [chan receive, 5 minutes]:     a stack, and labels of its header
 *     main.worker(0xc000012345, ...)              call "main.worker"   ┐ a frame
 *         /src/main.go:230 +0x58                  place "/src/main.go:230" ┘
 *     created by main.start in goroutine 1        label "main.start"
 *                                                 its end
 *
 * Equal calls, places and texts of labels have the same number, and so have frames; numbers are in
 * order of appearance. A line that is not in its plain form is odd: the host reads it, once. */
#ifndef SG_DUMP_STACKS_H
#define SG_DUMP_STACKS_H

#include "dump_header.h"
#include "number_pairs.h"
#include "text_lines.h"

/* What an odd line is. */
enum sg_dump_kind {
    SG_DUMP_IS_END,
    SG_DUMP_IS_HEADER,
    SG_DUMP_IS_CALL,
    SG_DUMP_IS_PLACE,
    SG_DUMP_IS_CREATOR,
    SG_DUMP_IS_ELIDED, /* frames that are not in the dump */
    SG_DUMP_IS_NOTHING,
};

#define SG_DUMP_ELIDED_FRAME INT32_MIN /* in place of its call and its place */

/* Reads a line: an enum sg_dump_kind, or -1 to stop. */
struct sg_dump_host {
    int (*read_line)(struct sg_dump_host *host, size_t begin, size_t end);
};

struct sg_dump {
    struct sg_text_lines lines;
    enum sg_dump_form form;
    struct sg_dump_host *host;
    struct sg_text_pieces calls, places, texts;
    struct sg_text_pieces odd;     /* whole lines */
    struct sg_vector odd_kind;     /* int32, by odd line */
    struct sg_number_pairs frames; /* a call and a place; -1 - n is odd line n */
    struct sg_number_pairs fields; /* what a label is made of: a text, and enum sg_dump_field */
    struct sg_vector stack_start;  /* int64, and one more: in `stack` */
    struct sg_vector stack;        /* int32: frames, leaf first */
    struct sg_vector label_stack, label_field; /* int32, by label: in the order of stacks */
    struct sg_vector label_number;             /* int64 */
    int is_open;                               /* a stack has begun */
    int has_call;                              /* without its place */
    int32_t call;
};

/* All lines. 0; -1 = no memory; -2 = stopped by the host or the progress. To be freed in each case.
 */
int sg_dump_read(struct sg_dump *dump, const unsigned char *text, size_t size,
                 enum sg_dump_form form, struct sg_dump_host *host, struct sg_progress *progress);
void sg_dump_free(struct sg_dump *dump);

#endif
