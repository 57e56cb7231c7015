/* All texts of a dump lie in one array, and a row has the place of its text in it. The array begins
 * with a NUL, so place 0 is "". */
#include "threads/dump_rows.h"

#include <string.h>

#include "platform/vector.h"

uint32_t sg_dump_rows_add_text(struct sg_thread_dump *into, const char *text) {
    size_t size = strlen(text) + 1, lead = into->texts.n ? 0 : 1;
    if (size == 1 || into->texts.n + size > UINT32_MAX / 2 ||
        !SG_ROWS_RESERVE(&into->texts, size + lead))
        return 0;
    if (lead)
        into->texts.at[into->texts.n++] = '\0';
    uint32_t at = (uint32_t)into->texts.n;
    memcpy(into->texts.at + at, text, size);
    into->texts.n += size;
    return at;
}
