/* Growing arrays of integers: the columns of tables. One thread each. */
#ifndef STACKGLASS_PLATFORM_VECTOR_H
#define STACKGLASS_PLATFORM_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_vector {
    uint32_t *values; /* owned */
    size_t n;
    size_t capacity;
};

struct sg_wide_vector {
    uint64_t *values; /* owned */
    size_t n;
    size_t capacity;
};

/* False if memory runs out; then nothing is added. */
bool sg_vector_add(struct sg_vector *column, uint32_t value);
bool sg_vector_add_wide(struct sg_wide_vector *column, uint64_t value);
void sg_vector_free(struct sg_vector *column);
void sg_vector_free_wide(struct sg_wide_vector *column);

/* Make room for `n` more items of `size` bytes each after `used`; may move `*memory`. */
bool sg_vector_make_room(void **memory, size_t used, size_t *capacity, size_t n, size_t size);

#endif
