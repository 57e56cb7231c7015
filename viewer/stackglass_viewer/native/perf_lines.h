/* What `perf script` prints, to columns: every line once, without what its words mean.
 *
 *     my app  4711/4712 [003] 2530.900039:   1000000 task-clock:u:       thread 0, event 0, …
 *     \t    7f8fd18d92bc _dl_relocate_object+0x69c (/usr/lib/ld.so.2)    place 0 ┐ a stack
 *     \t           1a34f _dl_sysdep_start+0x7f (/usr/lib/ld.so.2)        place 1 ┘
 *
 * Equal threads, events and places have the same number; numbers are in order of appearance. */
#ifndef SG_PERF_LINES_H
#define SG_PERF_LINES_H

#include "perf_places.h"
#include "progress.h"

enum { SG_PERF_MOST_EVENTS = 64 };

/* Why the reading ended before the text. */
enum sg_perf_fault {
    SG_PERF_NONE,
    SG_PERF_BAD_LINE,  /* `fault_number` is its number, from 1 */
    SG_PERF_LONG_LINE, /* its length in bytes */
    SG_PERF_MANY_EVENTS,
    SG_PERF_LARGE_VALUE, /* a period that an int64 cannot hold */
};

struct sg_perf_script {
    struct sg_text_pieces threads, events; /* by number: their words */
    struct sg_text_pieces commands;        /* lines of comment that have the command */
    struct sg_perf_places places;
    /* By sample. */
    struct sg_vector stack_start;     /* int64, and one more: in `stack` */
    struct sg_vector thread, event;   /* int32 */
    struct sg_vector time_ns, period; /* int64; -1 = not printed */
    struct sg_vector stack;           /* int32: places, leaf first */
    int is_cut;                       /* the last sample has frames, but no empty line behind it */
    enum sg_perf_fault fault;
    uint64_t fault_number;
    size_t fault_begin, fault_end; /* of a bad line */
};

/* Read a text. 0; -2 if there is no memory; -3 if the progress ended it. To be freed in any case.
 */
int sg_perf_lines_read(const unsigned char *text, size_t size, struct sg_progress *progress,
                       struct sg_perf_script *script);
void sg_perf_lines_free(struct sg_perf_script *script);

#endif
