/* Texts of a dump: see dump_rows.h. */
#include "threads/dump_rows.h"

#include <string.h>

#include "platform/vector.h"

uint32_t sg_dump_rows_add_text(struct sg_thread_dump *into, const char *text) {
    size_t size = strlen(text) + 1, lead = into->n_texts ? 0 : 1;
    if (size == 1 || into->n_texts + size > UINT32_MAX / 2 ||
        !sg_vector_make_room((void **)&into->texts, into->n_texts, &into->texts_capacity,
                             size + lead, 1))
        return 0;
    if (lead)
        into->texts[into->n_texts++] = '\0';
    uint32_t at = (uint32_t)into->n_texts;
    memcpy(into->texts + at, text, size);
    into->n_texts += size;
    return at;
}
