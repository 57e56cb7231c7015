/* Reader of the collapsed format: a line has a stack, root first, and its values.
 *
 *     main;work 5          one value in every line
 *     main;work 5 9        two values in every line
 *
 * Empty lines and lines that begin with "#" are skipped. */
#ifndef SG_STACK_LINES_H
#define SG_STACK_LINES_H

#include "text_lines.h"
#include "text_stacks.h"

enum { SG_MOST_STACK_VALUES = 2 };

struct sg_stack_lines {
    struct sg_text_stacks stacks;                  /* one for each row */
    struct sg_vector values[SG_MOST_STACK_VALUES]; /* int64, by row */
    /* Odd rows have a value with more digits than this loop reads exactly. The value is 0 in
     * `values`, and Python reads it again from the line, the bytes [odd_begin, odd_end). */
    struct sg_vector odd_row, odd_begin, odd_end; /* int64 */
    int32_t none;      /* the frame of lines without a stack; -1 = no such line */
    int has_fractions; /* a value has a fraction; values are rounded as Python rounds */
    int has_misfit;    /* the reading ended at a line that is no stack; `lines` is at this line */
    int is_out_of_memory;
    struct sg_text_lines lines;
};

/* Read a text with `n_values` values in each line. Returns 0, or -1 if `progress` stopped it or
 * memory is short (`is_out_of_memory`). Free `rows` in either case. */
int sg_stack_lines_read(struct sg_stack_lines *rows, const unsigned char *text, size_t size,
                        int n_values, struct sg_progress *progress);
void sg_stack_lines_free(struct sg_stack_lines *rows);

#endif
