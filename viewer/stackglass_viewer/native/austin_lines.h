/* Reader of Austin's text: samples with the same thread and stack become one row of the columns.
 *
 *     # mode: full                                  a remark: Python reads all but the mode
 *     P4711;T0:4712;app.py:main:12;app.py:work:7 520,0,-16
 *     520 µs, 0 = busy (1 = idle), 16 bytes freed
 *
 * A sample has the time since the one before it, but no timestamp. Austin samples all threads in
 * rounds: a thread that is seen again begins the next round, and a round takes as long as its
 * longest time. */
#ifndef SG_AUSTIN_LINES_H
#define SG_AUSTIN_LINES_H

#include "text_lines.h"
#include "text_stacks.h"

enum sg_austin_mode { SG_AUSTIN_TIME, SG_AUSTIN_MEMORY, SG_AUSTIN_FULL };

enum sg_austin_misfit {
    SG_AUSTIN_NO_MISFIT,
    SG_AUSTIN_NO_SAMPLE, /* the line that `lines` is at is no sample */
    SG_AUSTIN_OVERFLOW,  /* with the line that `lines` is at, a sum or the time exceeds 64 bits */
};

enum { SG_AUSTIN_SUMS = 4 }; /* the sums of a row: samples, memory, time while not idle, time */

struct sg_austin_lines {
    struct sg_text_pieces rows;    /* the text of process, thread and stack */
    struct sg_text_pieces threads; /* "P4711;T0:4712" */
    struct sg_text_stacks stacks;  /* the rows' stacks, without processes and threads */
    struct sg_vector row_thread;   /* int32, by row */
    struct sg_vector sums;         /* int64, (n_rows, SG_AUSTIN_SUMS); bytes and ns */
    struct sg_vector remark_begin, remark_end, remark_number; /* int64: offsets, line number */
    /* One item a sample, in the file's order; all empty if there are more than `most_times`. */
    struct sg_vector timed_row;         /* int32 */
    struct sg_vector begin_us, time_us; /* int64 */
    struct sg_vector memory_bytes;      /* int64; empty while all are 0 */
    struct sg_vector idle;              /* int32; empty while all are 0 */
    size_t most_times, n_timed;
    enum sg_austin_mode mode;
    int64_t plain_from; /* number of remarks before the first sample, if samples of mode "full"
                         * have only times; else -1 */
    int has_samples;
    struct sg_vector round_of; /* int64, by thread: the last round in which it was seen */
    int64_t round, round_us, now_us;
    enum sg_austin_misfit misfit;
    int is_out_of_memory;
    struct sg_text_lines lines;
};

/* Read `text` up to its end or the first misfit. Returns 0, or -1 if `progress` stopped it or
 * memory is short (`is_out_of_memory`). Free `austin` in any case. */
int sg_austin_lines_read(struct sg_austin_lines *austin, const unsigned char *text, size_t size,
                         size_t most_times, struct sg_progress *progress);
void sg_austin_lines_free(struct sg_austin_lines *austin);

#endif
