/* Small columns are allocated by malloc; a large column is a mapping of its own.
 *
 * A reader appends to many columns alternately. In malloc's heap, each growth would move a column
 * behind the others and leave a hole of its old size: the heap would take up to twice the memory,
 * and the holes would not go back to the system. mremap grows a mapping in place or moves its page
 * table entries, without a copy.
 */
#include "column.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, MAPPED_FROM_BYTES = 256 << 10 };

static size_t round_to_pages(size_t bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static char *map(size_t bytes) {
    void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

static char *remap(char *data, size_t old_bytes, size_t bytes) {
    void *moved = mremap(data, old_bytes, bytes, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

int sg_column_resize(struct sg_vector *column, size_t capacity, size_t width) {
    size_t bytes = capacity * width, mapped_bytes = 0;
    char *data;
    if (column->mapped_bytes) { /* also if it has become small */
        mapped_bytes = round_to_pages(bytes ? bytes : 1);
        data = remap(column->data, column->mapped_bytes, mapped_bytes);
    } else if (bytes < MAPPED_FROM_BYTES) {
        data = realloc(column->data, bytes ? bytes : 1);
    } else {
        mapped_bytes = round_to_pages(bytes);
        data = map(mapped_bytes);
        if (data && column->n)
            memcpy(data, column->data, column->n * width);
        if (data)
            free(column->data);
    }
    if (!data)
        return -1;
    column->data = data;
    column->capacity = capacity;
    column->mapped_bytes = mapped_bytes;
    return 0;
}

void sg_column_free(char *data, size_t mapped_bytes) {
    if (mapped_bytes)
        munmap(data, mapped_bytes);
    else
        free(data);
}
