/* Lines of dumps of goroutines and threads: each by what it is, and a number of its text.
 *
 *     goroutine 18 [chan receive, 5 minutes]:     HEADER, state 0, number 18
 *     main.worker(0xc000012345, ...)              CALL 0, "main.worker"
 *         /src/main.go:230 +0x58                  OTHER 0
 *                                                 END
 */
#ifndef SG_DUMP_LINES_H
#define SG_DUMP_LINES_H

#include "text_lines.h"
#include "text_pieces.h"

enum sg_dump_kind { SG_DUMP_END, SG_DUMP_HEADER, SG_DUMP_CALL, SG_DUMP_OTHER };

struct sg_dump_lines {
    struct sg_text_lines lines;
    struct sg_text_pieces states, calls, others;
    struct sg_vector kind;   /* bytes, by line */
    struct sg_vector piece;  /* int32, by line: of the pieces of its kind; 0 = END */
    struct sg_vector number; /* int64, by HEADER */
};

/* All lines. `has_goroutines`: those of goroutines are headers, in their plain form; all that may
 * be something else than it seems is OTHER. 0; -1 = no memory; -2 = stopped by the progress. To be
 * freed in each case. */
int sg_dump_lines_read(struct sg_dump_lines *dump, const unsigned char *text, size_t size,
                       int has_goroutines, struct sg_progress *progress);
void sg_dump_lines_free(struct sg_dump_lines *dump);

#endif
