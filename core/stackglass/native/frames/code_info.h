/* Code info: names and line table of a code object, copied with the GIL held and used without it.
 */
#ifndef STACKGLASS_FRAMES_CODE_INFO_H
#define STACKGLASS_FRAMES_CODE_INFO_H

#include <stddef.h>
#include <stdint.h>

#include "interpreter/contextvars.h"

struct sg_code_info {
    char *name;         /* co_name, UTF-8 */
    char *qualname;     /* co_qualname, UTF-8; 3.9 and 3.10 have none: same as name */
    char *filename;     /* co_filename, UTF-8 */
    int32_t first_line; /* co_firstlineno */
    uint8_t *line_table;
    size_t line_table_size;
};

/* Learn the layout of str from two borrowed compact strings: `ascii`, and `wide` with 16-bit
 * characters. Returns 0, or -1 if the layout is not supported. Called once, before any copy, with
 * the GIL held. */
int sg_code_info_prepare(const void *ascii, const void *wide);

/* Copy the info of `code`, a borrowed PyCodeObject. Returns 0, or -1 if memory ran out; then
 * `info` is all zero. The caller holds the GIL. Runs no Python code and touches no reference
 * count, so a dying code object may be copied. Free the copy with sg_code_info_free. */
int sg_code_info_copy(const void *code, struct sg_code_info *info);
/* As sg_code_info_copy, for a code object of an interpreter with its own GIL, where a thread may
 * free it during the copy. The reads cannot fault. The caller must check that `code` is alive
 * afterwards: otherwise the copy may be wrong. Returns -1 also if the memory has been unmapped. */
int sg_code_info_copy_foreign(const void *code, struct sg_code_info *info);
void sg_code_info_free(struct sg_code_info *info);

/* Return the characters of `str`, borrowed from it; NULL if it is not compact ASCII. The caller
 * holds the GIL. */
const char *sg_code_info_ascii(const void *str, size_t *length);

/* Copy the str object at `str` to `text` as UTF-8, NUL-terminated. A text longer than `capacity` (≥
 * 8) bytes is cut and ends in "…". Returns the number of bytes without the NUL, or -1 if the object
 * cannot be read or is no compact str. Async-signal-safe if `read` is. */
int sg_code_info_read_text(uintptr_t str, sg_read_fn *read, char *text, size_t capacity);

/* Return the line of the instruction at byte offset `lasti`: 0 if unknown, first_line if `lasti` is
 * negative. The line table has the format of Python 3.`minor`. Pure. */
int32_t sg_code_info_line(const struct sg_code_info *info, int32_t lasti, int minor);

#endif
