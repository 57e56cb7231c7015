/* Reader of goroutine and thread dumps: they become columns of stacks and labels.
 *
 *     goroutine 18 [chan receive, 5 minutes]:     a stack begins, with labels from this header
 *     main.worker(0xc000012345, ...)              call "main.worker"   ┐ a frame
 *         /src/main.go:230 +0x58                  place "/src/main.go:230" ┘
 *     created by main.start in goroutine 1        label "main.start"
 *                                                 the stack ends
 *
 * Equal calls have the same number, and so have equal places, label texts and frames; numbers are
 * in order of appearance. A line that is not in plain form is odd: the host says what it is, once
 * for equal lines. */
#ifndef SG_DUMP_STACKS_H
#define SG_DUMP_STACKS_H

#include "dump_header.h"
#include "number_pairs.h"
#include "text_lines.h"

/* Kind of an odd line. */
enum sg_dump_kind {
    SG_DUMP_IS_END,
    SG_DUMP_IS_HEADER,
    SG_DUMP_IS_CALL,
    SG_DUMP_IS_PLACE,
    SG_DUMP_IS_CREATOR,
    SG_DUMP_IS_ELIDED, /* frames that are not in the dump */
    SG_DUMP_IS_NOTHING,
};

#define SG_DUMP_ELIDED_FRAME INT32_MIN /* both numbers of a frame that stands for elided frames */

/* Callback for odd lines. `read_line` returns an enum sg_dump_kind, or -1 to stop the reading. */
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
    struct sg_number_pairs frames; /* a call and a place; -1 - n stands for odd line n */
    struct sg_number_pairs fields; /* a label's text (or odd line) and its enum sg_dump_field */
    struct sg_vector frame_stack, field_stack; /* int32, by frame or field: its first stack */
    struct sg_vector stack_start;              /* int64, (n_stacks + 1): offsets into `stack` */
    struct sg_vector stack;                    /* int32: frames, leaf first */
    struct sg_vector label_stack, label_field; /* int32, by label: ascending stack; field */
    struct sg_vector label_number;             /* int64, by label: the value of SG_DUMP_NUMBER */
    int is_open;                               /* a stack has begun and not ended */
    int has_call;                              /* `call` waits for its place */
    int32_t call;
};

/* Read all lines. Returns 0, -1 if memory is short, or -2 if `host` or `progress` stopped the
 * reading. Free `dump` in each case. */
int sg_dump_read(struct sg_dump *dump, const unsigned char *text, size_t size,
                 enum sg_dump_form form, struct sg_dump_host *host, struct sg_progress *progress);
void sg_dump_free(struct sg_dump *dump);

#endif
