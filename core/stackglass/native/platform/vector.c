/* Growing arrays of integers, and the growth of arrays of rows: by half each time. */
#include "platform/vector.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

bool sg_vector_make_room(void **memory, size_t used, size_t *capacity, size_t n, size_t size) {
    size_t wanted = *capacity ? *capacity : FIRST_CAPACITY;

    if (used + n <= *capacity)
        return true;
    while (wanted < used + n)
        wanted += wanted / 2;
    void *moved = realloc(*memory, wanted * size);
    if (!moved)
        return false;
    *memory = moved;
    *capacity = wanted;
    return true;
}

bool sg_vector_add(struct sg_vector *column, uint32_t value) {
    if (!sg_vector_make_room((void **)&column->values, column->n, &column->capacity, 1,
                             sizeof value))
        return false;
    column->values[column->n++] = value;
    return true;
}

void sg_vector_free(struct sg_vector *column) {
    free(column->values);
    memset(column, 0, sizeof *column);
}
