/* Reader of the text that `perf script` prints: it becomes columns of samples, stacks and places.
 * Python interprets the words; each distinct text is kept once.
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

/* Why the reading ended before the end of the text. */
enum sg_perf_fault {
    SG_PERF_NONE,
    SG_PERF_BAD_LINE,    /* `fault_number` is the line's number, from 1 */
    SG_PERF_LONG_LINE,   /* `fault_number` is the line's length in bytes */
    SG_PERF_MANY_EVENTS, /* `fault_number` is the limit */
    SG_PERF_LARGE_VALUE, /* `fault_number` is a period that an int64 cannot hold */
};

struct sg_perf_script {
    struct sg_text_pieces threads, events; /* the distinct threads and events */
    struct sg_text_pieces commands;        /* comments that have the command line */
    struct sg_perf_places places;
    /* Columns by sample. */
    struct sg_vector stack_start;     /* int64, (n_samples + 1): offsets into `stack` */
    struct sg_vector thread, event;   /* int32 */
    struct sg_vector time_ns, period; /* int64; -1 = not printed */
    struct sg_vector stack;           /* int32: places, leaf first */
    int is_cut;                       /* no empty line ends the last sample, as one should */
    enum sg_perf_fault fault;
    uint64_t fault_number;
    size_t fault_begin, fault_end; /* byte offsets of a bad line */
};

/* Read a text. Returns 0, also with a fault; -2 if memory is short; or -3 if `progress` stopped it.
 * Free `script` in any case. */
int sg_perf_lines_read(const unsigned char *text, size_t size, struct sg_progress *progress,
                       struct sg_perf_script *script);
void sg_perf_lines_free(struct sg_perf_script *script);

#endif
