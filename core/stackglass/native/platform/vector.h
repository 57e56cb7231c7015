/* Growing arrays: of integers (the columns of tables), and of rows. One thread at a time uses an
 * array. */
#ifndef STACKGLASS_PLATFORM_VECTOR_H
#define STACKGLASS_PLATFORM_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct sg_vector {
    uint32_t *values; /* owned */
    size_t n;
    size_t capacity;
};

/* Append `value`. Returns false if memory runs out; then nothing is added. */
bool sg_vector_add(struct sg_vector *column, uint32_t value);
void sg_vector_free(struct sg_vector *column);

/* Make room for `n` more items of `size` bytes each after the first `used` items; may move
 * `*memory`. Returns false if memory runs out. */
bool sg_vector_make_room(void **memory, size_t used, size_t *capacity, size_t n, size_t size);

/* The members of a growing array of rows, zeroed = empty: struct lines SG_ROWS_OF(struct line); */
#define SG_ROWS_OF(type)                                                                           \
    {                                                                                              \
        type *at; /* (n,); owned */                                                                \
        size_t n, capacity;                                                                        \
    }
/* Make room for `n_more` more rows. False if memory runs out. */
#define SG_ROWS_RESERVE(rows, n_more)                                                              \
    sg_vector_make_room((void **)&(rows)->at, (rows)->n, &(rows)->capacity, n_more,                \
                        sizeof *(rows)->at)
/* Append a row. False if memory runs out; then nothing is added. */
#define SG_ROWS_ADD(rows, ...)                                                                     \
    (SG_ROWS_RESERVE(rows, 1) && ((rows)->at[(rows)->n++] = (__VA_ARGS__), true))
#define SG_ROWS_FREE(rows)                                                                         \
    do {                                                                                           \
        free((rows)->at);                                                                          \
        (rows)->at = NULL;                                                                         \
        (rows)->n = (rows)->capacity = 0;                                                          \
    } while (0)

#endif
