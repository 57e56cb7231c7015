/* Headers of stacks in goroutine and thread dumps, split into fields, which become labels.
 *
 *     goroutine 18 [chan receive, 5 minutes]:         NUMBER 18, STATE "chan receive, 5 minutes"
 *     thread 47 "main" running task "a" [idle] {route: /a}:
 *                      THREAD "main", NUMBER 47, TASK "a", STATE "idle", LABELS "route: /a" */
#ifndef SG_DUMP_HEADER_H
#define SG_DUMP_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum sg_dump_form { SG_DUMP_GOROUTINES, SG_DUMP_THREADS };

enum sg_dump_field {
    SG_DUMP_NUMBER, /* number of the goroutine or thread; this field has no text */
    SG_DUMP_STATE,
    SG_DUMP_THREAD,
    SG_DUMP_TASK,
    SG_DUMP_GREENLET,
    SG_DUMP_LABELS,
    SG_DUMP_CREATOR, /* comes from a line `created by`, never from a header */
    SG_DUMP_ODD,     /* number of an odd line, from which Python reads the fields */
};

enum { SG_DUMP_MOST_FIELDS = 5 };

struct sg_dump_header {
    size_t n;
    struct sg_dump_part {
        enum sg_dump_field field;
        const unsigned char *at, *end; /* the text */
        int64_t number;
    } parts[SG_DUMP_MOST_FIELDS]; /* in the order of the labels */
};

/* Whether an ASCII letter is white space for Python's str. */
static inline int sg_dump_is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r') || (letter >= 28 && letter <= 31);
}

static inline int sg_dump_is_digit(unsigned char letter) { return letter >= '0' && letter <= '9'; }

/* Read a line, which has no white space at its end. Returns 1, or 0 if the line is not a header in
 * plain form; if it is a header at all, Python reads it. */
int sg_dump_header_read(enum sg_dump_form form, const unsigned char *at, const unsigned char *end,
                        struct sg_dump_header *header);

#endif
