/* callgrind's format to columns of functions and calls. */
#ifndef SG_CALLGRIND_H
#define SG_CALLGRIND_H

#include "callgrind_names.h"
#include "text_lines.h"

enum { SG_CALLGRIND_MOST_EVENTS = 32 };

/* What a file's headers say about the lines below them. */
struct sg_callgrind_form {
    int64_t n_positions;                      /* fields before the costs */
    int64_t line_position;                    /* which of them is the line; -1 = none */
    size_t n_events;                          /* 0 = not known yet; then it never changes */
    int64_t factor[SG_CALLGRIND_MOST_EVENTS]; /* of an event's costs */
};

/* Caller's reader of headers: every line other than costs, names, calls and jumps. 0, or -1 to
 * stop. */
struct sg_callgrind_host {
    int (*read_header)(struct sg_callgrind_host *host, size_t begin, size_t end, int64_t number,
                       struct sg_callgrind_form *form);
};

struct sg_callgrind {
    struct sg_text_lines lines;
    struct sg_callgrind_names names;
    struct sg_callgrind_form form;
    struct sg_vector line;           /* int32, by function: the first one; 0 = unknown */
    struct sg_vector own;            /* int64, by function and event */
    struct sg_vector caller, called; /* int32, by call, in the order of the file */
    struct sg_vector n_calls;        /* int64, by call */
    struct sg_vector caused;         /* int64, by call and event */
    int32_t callee;                  /* of the `calls=` whose cost is the next line; -1 = none */
    __int128 n_next_calls;
    int64_t at_line; /* last line number of a cost: `+2` and `-2` are relative to it */
};

/* Read a text into columns. 0; or an enum sg_callgrind_fault: what is wrong with the line that
 * `lines` is at, or no memory; or -2 = stopped by the host or the progress. To be freed in each
 * case. `alias`: as in struct sg_callgrind_names. */
int sg_callgrind_read(struct sg_callgrind *reading, const unsigned char *text, size_t size,
                      const int32_t *alias, size_t n_aliases, struct sg_callgrind_host *host,
                      struct sg_progress *progress);
void sg_callgrind_free(struct sg_callgrind *reading);

#endif
