/* Parser of a frame that `perf script` prints, and of the source line that may follow it. */
#ifndef SG_PERF_FRAME_H
#define SG_PERF_FRAME_H

#include <stddef.h>

/* A range of a text. */
struct sg_range {
    size_t begin, end;
};

struct sg_perf_frame {
    struct sg_range name; /* without the offset */
    struct sg_range file; /* the text in the last brackets */
    int has_tab;          /* a space follows the address, and a tab somewhere after that space */
};

/* Whether a letter is white space for Python's bytes. */
static inline int sg_is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static inline int sg_is_digit(unsigned char letter) { return letter >= '0' && letter <= '9'; }

/* Return the range without white space around it. */
struct sg_range sg_strip(const unsigned char *text, struct sg_range range);

/* Split `7f8f name+0x69c (file)`, which has no white space around it. simpleperf, the perf of
 * Android, puts a tab after the address. Returns 1, or 0 if the text is not a frame. */
int sg_perf_frame_split(const unsigned char *text, struct sg_range range,
                        struct sg_perf_frame *frame);

/* Whether a text ends like a source line: `load.c:12` or `[kernel][ffffffff821f2fa7]`. */
int sg_perf_is_source(const unsigned char *text, struct sg_range range);

#endif
