/* Parser of the head of a sample, its first line, as `perf script` prints it. */
#ifndef SG_PERF_HEAD_H
#define SG_PERF_HEAD_H

#include <stdint.h>

#include "perf_frame.h"

/* The event must end within so many bytes of a line; the text after it may be longer. */
enum { SG_PERF_HEAD_BYTES = 1024 };

struct sg_perf_head {
    struct sg_range thread; /* from the program's name to the number of the thread */
    struct sg_range event;
    struct sg_range text; /* text after the event, without white space around it: a frame, or the
                             fields of a tracepoint; often empty */
    int64_t time_ns;      /* -1 = not printed */
    uint64_t period;
    int has_period;
};

/* Read `my app  4711/4712 [003] d..1. 2530.900039:   1000000 task-clock:u: text`, in which
 * processor, flags, time and period are optional. The result is that of this pattern in Python:
 *
 *     \s*(\S.*?)\s+(?:\d+/)?(-?\d+)\s+(?:\[\d+\]\s+)?(?:(?!\d+\s)[\w.]{4,8}\s+)?
 *     (?:(\d{1,9})\.(\d{1,9}):\s+)?(?:(\d{1,19})\s+)?(\S+):(\s.*)?
 *
 * A line without a time is a head only if its text is empty or a frame; otherwise any text with a
 * colon would be a head. Returns 1, or 0 if the line is not a head. */
int sg_perf_head_read(const unsigned char *text, struct sg_range line, struct sg_perf_head *head);

#endif
