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

/* Learn the layout of str from two compact strings (borrowed): an ASCII one, and one with 16-bit
 * characters. Needs the GIL; once, before any copy. 0, or -1 if the layout is not supported. */
int sg_code_info_prepare(const void *ascii, const void *wide);

/* Copy the facts of `code` (a PyCodeObject*, borrowed from the caller). Needs the GIL; runs no
 * Python code and touches no reference count, so that a dying code object may be copied.
 * 0, or -1 if memory ran out (then `facts` is all zero). */
int sg_code_info_copy(const void *code, struct sg_code_info *facts);
/* The same of a code object that another interpreter's thread may free meanwhile, under a GIL of
 * its own: what is read is safe and may be wrong, unless `code` turns out to be alive afterwards.
 * -1 also if it is not there any more. */
int sg_code_info_copy_foreign(const void *code, struct sg_code_info *facts);
void sg_code_info_free(struct sg_code_info *facts);

/* The characters of a str that is compact ASCII, which belong to it; NULL = it is not. Caller holds
 * the GIL. */
const char *sg_code_info_ascii(const void *str, size_t *length);

/* A str object as UTF-8 in `text`, NUL-terminated; what does not fit in `capacity` (≥ 8) is cut,
 * and ends in "…". Returns the bytes without the NUL; -1 = it cannot be read, or is no compact str.
 * Async-signal-safe if `read` is. */
int sg_code_info_read_text(uintptr_t str, sg_read_fn *read, char *text, size_t capacity);

/* The line of instruction `lasti` (byte offset), 0 = unknown, first_line if lasti < 0. The line
 * table has the format of 3.`minor`. Any thread; pure. */
int32_t sg_code_info_line(const struct sg_code_info *facts, int32_t lasti, int minor);

#endif
