/* Lines of stacks and their values, root first, to columns.
 *
 *     main;work 5          one value in every line
 *     main;work 5 9        two
 *
 * Empty lines and those that begin with "#" are left out. */
#ifndef SG_STACK_LINES_H
#define SG_STACK_LINES_H

#include "text_lines.h"
#include "text_stacks.h"

enum { SG_MOST_STACK_VALUES = 2 };

struct sg_stack_lines {
    struct sg_text_stacks stacks;                  /* of the rows */
    struct sg_vector values[SG_MOST_STACK_VALUES]; /* int64, by row */
    /* Rows with a value of too many digits for this loop, 0 in `values`: and where their lines are.
     */
    struct sg_vector odd_row, odd_begin, odd_end; /* int64 */
    int32_t none;      /* the frame that stands for those of an empty stack; -1 = no stack is */
    int has_fractions; /* some value had one; it is rounded as Python rounds */
    int has_misfit;    /* the last line of `lines` is no stack; the reading ended there */
    int is_out_of_memory;
    struct sg_text_lines lines;
};

/* Read a text, of `n_values` values a line. 0; -1 if it was stopped by the progress, or is out of
 * memory. To be freed in any case. */
int sg_stack_lines_read(struct sg_stack_lines *rows, const unsigned char *text, size_t size,
                        int n_values, struct sg_progress *progress);
void sg_stack_lines_free(struct sg_stack_lines *rows);

#endif
