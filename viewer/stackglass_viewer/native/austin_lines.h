/* Lines of Austin's text to columns: equal stacks of a thread are one row.
 *
 *     # mode: full                                  a remark, left to Python but for its mode
 *     P4711;T0:4712;app.py:main:12;app.py:work:7 520,0,-16
 *
 * A sample has the time since the one before it, not when it was. Austin goes from thread to thread
 * again and again: where one comes a second time another round has begun, and the longest time of a
 * round is how long that took. */
#ifndef SG_AUSTIN_LINES_H
#define SG_AUSTIN_LINES_H

#include "text_lines.h"
#include "text_stacks.h"

enum sg_austin_mode { SG_AUSTIN_TIME, SG_AUSTIN_MEMORY, SG_AUSTIN_FULL };

enum sg_austin_misfit {
    SG_AUSTIN_NO_MISFIT,
    SG_AUSTIN_NO_SAMPLE, /* the last line of `lines` is none */
    SG_AUSTIN_OVERFLOW,  /* it has more than 64 bits hold, with what came before */
};

enum { SG_AUSTIN_SUMS = 4 }; /* of a row: samples, memory, time of a processor, time */

struct sg_austin_lines {
    struct sg_text_pieces rows;    /* process, thread and stack, as they are written */
    struct sg_text_pieces threads; /* "P4711;T0:4712" */
    struct sg_text_stacks stacks;  /* of the rows, without processes and threads */
    struct sg_vector row_thread;   /* int32, by row */
    struct sg_vector sums;         /* int64, (n_rows, SG_AUSTIN_SUMS); bytes and ns */
    struct sg_vector remark_begin, remark_end, remark_number; /* int64: places of lines */
    /* Of each sample, as they were seen: int32, and int64 thrice. The last two are empty while all
     * are 0. None is kept if there are more than `most_times`. */
    struct sg_vector timed_row, begin_us, time_us, memory_bytes, idle;
    size_t most_times, n_timed;
    enum sg_austin_mode mode;
    int64_t plain_from; /* samples of mode "full" have times alone: so many remarks came before the
                         * first; -1 = they have not */
    int has_samples;
    struct sg_vector round_of; /* int64, by thread: the last round in which it was seen */
    int64_t round, round_us, now_us;
    enum sg_austin_misfit misfit;
    int is_out_of_memory;
    struct sg_text_lines lines;
};

/* Read a text. 0; -1 if it was stopped by the progress, or is out of memory. To be freed in any
 * case. */
int sg_austin_lines_read(struct sg_austin_lines *austin, const unsigned char *text, size_t size,
                         size_t most_times, struct sg_progress *progress);
void sg_austin_lines_free(struct sg_austin_lines *austin);

#endif
