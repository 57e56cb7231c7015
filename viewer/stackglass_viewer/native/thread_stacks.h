/* Reader of `threadz`: the stacks of a C++ server's threads become numbered addresses.
 *
 *     --- Thread 7f794ab90940 (name: main/14748) stack: ---
 *       PC:  0x00bc8f1c: helper(arg *)
 *           0x0040be31: main
 */
#ifndef SG_THREAD_STACKS_H
#define SG_THREAD_STACKS_H

#include "address_numbers.h"
#include "text_lines.h"

struct sg_thread_stacks {
    struct sg_text_lines lines;
    struct sg_address_numbers calls; /* the different addresses of calls */
    struct sg_vector call;           /* int32: those of all stacks, leaf first, as their numbers */
    struct sg_vector call_end;       /* int64, by stack: where it ends in `call` */
    struct sg_vector count;          /* int64, by stack: its threads */
    struct sg_vector address;        /* uint64: what the lines of one thread have */
    size_t at;                       /* byte offset of the first line that was not read */
    int64_t number;                  /* number of lines before `at` */
};

/* Read threads from byte `at`, before which there are `number` lines. The reading ends before the
 * first line that begins no thread in plain form; before a thread whose addresses have more than 16
 * digits, or that has a line of more than SG_MOST_LINE_BYTES; and before one without a stack of its
 * own if no stack was read before it. A name in plain form has no colon. Returns 0, -1 if memory is
 * short, or -2 if `progress` stopped it. Free `stacks` in each case. */
int sg_thread_stacks_read(struct sg_thread_stacks *stacks, const unsigned char *text, size_t size,
                          size_t at, int64_t number, struct sg_progress *progress);
void sg_thread_stacks_free(struct sg_thread_stacks *stacks);

#endif
