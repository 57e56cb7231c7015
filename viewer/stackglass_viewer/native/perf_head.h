/* First lines of samples as `perf script` prints them. */
#ifndef SG_PERF_HEAD_H
#define SG_PERF_HEAD_H

#include <stdint.h>

#include "perf_frame.h"

enum { SG_PERF_HEAD_BYTES = 1024 }; /* of a line, at most */

struct sg_perf_head {
    struct sg_range thread; /* from the program's name to the number of the thread */
    struct sg_range event;
    struct sg_range text; /* behind the event, without space around it: a frame, or what a
                             tracepoint says; often empty */
    int64_t time_ns;      /* -1 = not printed */
    uint64_t period;
    int has_period;
};

/* Read `my app  4711/4712 [003] d..1. 2530.900039:   1000000 task-clock:u: text`, in which
 * processor, flags, time and period may be missing, as this pattern of Python's does:
 *
 *     \s*(\S.*?)\s+(?:\d+/)?(-?\d+)\s+(?:\[\d+\]\s+)?(?:(?!\d+\s)[\w.]{4,8}\s+)?
 *     (?:(\d{1,9})\.(\d{1,9}):\s+)?(?:(\d{1,19})\s+)?(\S+):(\s.*)?
 *
 * Without a time, the text is empty or a frame: else it is any text with a colon. 0 = it is no
 * first line. */
int sg_perf_head_read(const unsigned char *text, struct sg_range line, struct sg_perf_head *head);

#endif
