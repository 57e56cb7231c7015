/* Iterator over the lines of a text, with the rules of `text_rows.list_lines` in Python. */
#ifndef SG_TEXT_LINES_H
#define SG_TEXT_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "progress.h"

enum { SG_MOST_LINE_BYTES = 1 << 20, SG_LINE_REPORT_BYTES = 1 << 20 };

struct sg_text_lines {
    const unsigned char *text;
    size_t size;
    size_t at;            /* where the next line begins */
    size_t reported;      /* offset at which progress was last reported */
    int64_t number;       /* number of the current line, from 1 */
    size_t begin, end;    /* the current line, without "\n" or "\r\n" */
    size_t refused_bytes; /* length of the current line if it was cut off; 0 = it was not */
    int is_stopped;       /* the progress has stopped the iteration */
    struct sg_progress *progress;
};

static inline void sg_text_lines_init(struct sg_text_lines *lines, const unsigned char *text,
                                      size_t size, struct sg_progress *progress) {
    *lines = (struct sg_text_lines){.text = text, .size = size, .progress = progress};
}

/* Go to the next line. Returns 1, or 0 at the end or if the progress has stopped the iteration. A
 * line of more than SG_MOST_LINE_BYTES is cut off and ends the iteration. */
static inline int sg_text_lines_next(struct sg_text_lines *lines) {
    if (lines->at >= lines->size || lines->refused_bytes)
        return 0;
    if (lines->at - lines->reported >= SG_LINE_REPORT_BYTES) {
        lines->reported = lines->at;
        if (sg_progress_report(lines->progress, (double)lines->at / (double)lines->size) < 0) {
            lines->is_stopped = 1;
            return 0;
        }
    }
    const unsigned char *line = lines->text + lines->at;
    const unsigned char *found = memchr(line, '\n', lines->size - lines->at);
    size_t n = found ? (size_t)(found - line) : lines->size - lines->at;
    lines->number++;
    lines->begin = lines->at;
    lines->at += n + 1;
    if (n > SG_MOST_LINE_BYTES) {
        lines->refused_bytes = n;
        n = SG_MOST_LINE_BYTES;
    } else if (n && line[n - 1] == '\r') {
        n--;
    }
    lines->end = lines->begin + n;
    return 1;
}

#endif
