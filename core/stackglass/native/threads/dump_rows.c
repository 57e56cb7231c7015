/* All texts of a dump lie in one array, and a row has the place of its text in it. The array begins
 * with a NUL, so place 0 is "". */
#include "threads/dump_rows.h"

#include <string.h>

#include "platform/vector.h"

uint32_t sg_dump_rows_add_text(struct sg_thread_dump *into, const char *text) {
    return sg_dump_rows_add_bytes(into, text, strlen(text));
}

uint32_t sg_dump_rows_add_bytes(struct sg_thread_dump *into, const char *text, size_t n) {
    size_t size = n + 1, lead = into->texts.n ? 0 : 1;
    if (!n || into->texts.n + size > UINT32_MAX / 2 || !SG_ROWS_RESERVE(&into->texts, size + lead))
        return 0;
    if (lead)
        into->texts.at[into->texts.n++] = '\0';
    uint32_t at = (uint32_t)into->texts.n;
    memcpy(into->texts.at + at, text, n);
    into->texts.at[at + n] = '\0';
    into->texts.n += size;
    return at;
}
