/* Reader of callgrind's format: its lines become columns of functions and calls. */
#ifndef SG_CALLGRIND_H
#define SG_CALLGRIND_H

#include "callgrind_names.h"
#include "text_lines.h"

enum { SG_CALLGRIND_MOST_EVENTS = 32 };

/* Limit for the costs of functions and calls, of all events: so many, and one for so many bytes of
 * the file. A line of few bytes may stand for 32 costs, most of which it leaves out. valgrind's
 * files have a tenth of that. */
enum { SG_CALLGRIND_FREE_COSTS = 1 << 19, SG_CALLGRIND_BYTES_A_COST = 4 };

/* Form of the cost lines, as the headers above them set it. */
struct sg_callgrind_form {
    int64_t n_positions;                      /* fields before the costs */
    int64_t line_position;                    /* index of the line number in them; -1 = none */
    size_t n_events;                          /* 0 = not known yet; does not change once set */
    int64_t factor[SG_CALLGRIND_MOST_EVENTS]; /* multiplies an event's costs */
};

/* Callback for headers, which are all lines other than costs, names, calls and jumps. `read_header`
 * may change `form`. It returns 0, or -1 to stop the reading. */
struct sg_callgrind_host {
    int (*read_header)(struct sg_callgrind_host *host, size_t begin, size_t end, int64_t number,
                       struct sg_callgrind_form *form);
};

struct sg_callgrind {
    struct sg_text_lines lines;
    struct sg_callgrind_names names;
    struct sg_callgrind_form form;
    struct sg_vector line;           /* int32, by function: its lowest line; 0 = unknown */
    struct sg_vector own;            /* int64, by function and event: cost without callees */
    struct sg_vector caller, called; /* int32, by call, in the order of the file */
    struct sg_vector n_calls;        /* int64, by call */
    struct sg_vector caused;         /* int64, by call and event: the callee's cost in the call */
    size_t most_costs;               /* items that `own` and `caused` may have together */
    int32_t callee;                  /* function called by a `calls=` line just read; -1 = none */
    __int128 n_next_calls;           /* number of calls in that `calls=` line */
    int64_t at_line;                 /* line of the last cost; `+2` and `-2` are relative to it */
};

/* Read `text` into columns. Returns 0; or an enum sg_callgrind_fault, which is memory shortage or
 * what is wrong with the line that `lines` is at; or -2 if `host` or `progress` stopped the
 * reading. Free `reading` in each case. `alias` is explained in struct sg_callgrind_names. */
int sg_callgrind_read(struct sg_callgrind *reading, const unsigned char *text, size_t size,
                      const int32_t *alias, size_t n_aliases, struct sg_callgrind_host *host,
                      struct sg_progress *progress);
void sg_callgrind_free(struct sg_callgrind *reading);

#endif
