/* Frames as `perf script` prints them, and the lines of source below them. */
#ifndef SG_PERF_FRAME_H
#define SG_PERF_FRAME_H

#include <stddef.h>

/* A range of a text. */
struct sg_range {
    size_t begin, end;
};

struct sg_perf_frame {
    struct sg_range name; /* without the offset */
    struct sg_range file; /* what is in the last brackets */
    int has_tab;          /* behind the address is a space, and a tab somewhere after it */
};

/* White space as Python's bytes have it. */
static inline int sg_is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static inline int sg_is_digit(unsigned char letter) { return letter >= '0' && letter <= '9'; }

/* The range without white space around it. */
struct sg_range sg_strip(const unsigned char *text, struct sg_range range);

/* Split `7f8f name+0x69c (file)`, which has no space around it; simpleperf, the perf of Android,
 * puts a tab behind the address. 0 = it is no frame. */
int sg_perf_frame_split(const unsigned char *text, struct sg_range range,
                        struct sg_perf_frame *frame);

/* Whether it ends as the place of a source does: `load.c:12`, `[kernel][ffffffff821f2fa7]`. */
int sg_perf_is_source(const unsigned char *text, struct sg_range range);

#endif
