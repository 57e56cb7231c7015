/* Growable array of numbers, one column of a table. When it is complete, its memory becomes a
 * Python object (column_bindings.c). */
#ifndef SG_COLUMN_H
#define SG_COLUMN_H

#include <stddef.h>
#include <stdint.h>

struct sg_vector {
    char *data;
    size_t n;            /* items */
    size_t capacity;     /* items */
    size_t mapped_bytes; /* size of the mapping; 0 = `data` is from malloc */
};

/* Resize the memory to `capacity` items of `width` bytes, at least column->n. Returns 0, or -1 if
 * memory is short; the column is then unchanged. */
int sg_column_resize(struct sg_vector *column, size_t capacity, size_t width);
void sg_column_free(char *data, size_t mapped_bytes);

/* Make room for `more` items of `width` bytes; if the capacity grows, it grows by at least half.
 * Returns 0, or -1 if memory is short. */
static inline int sg_reserve(struct sg_vector *column, size_t more, size_t width) {
    if (column->capacity - column->n >= more)
        return 0;
    size_t capacity = column->capacity + column->capacity / 2 + 64;
    if (capacity < column->n + more)
        capacity = column->n + more;
    if (more > SIZE_MAX / 2 || capacity > SIZE_MAX / 2 / width)
        return -1;
    return sg_column_resize(column, capacity, width);
}

/* The functions sg_push_* append a value. They return 0, or -1 if memory is short. */
static inline int sg_push_i32(struct sg_vector *column, int32_t value) {
    if (sg_reserve(column, 1, sizeof value) < 0)
        return -1;
    ((int32_t *)(void *)column->data)[column->n++] = value;
    return 0;
}

static inline int sg_push_i64(struct sg_vector *column, int64_t value) {
    if (sg_reserve(column, 1, sizeof value) < 0)
        return -1;
    ((int64_t *)(void *)column->data)[column->n++] = value;
    return 0;
}

/* Append the value of row `row`, which is at least column->n; rows between get 0. The column stays
 * empty until the first value other than 0. Returns 0, or -1 if memory is short. */
static inline int sg_push_sparse_i64(struct sg_vector *column, size_t row, int64_t value) {
    if (value == 0 && column->n == 0)
        return 0;
    if (sg_reserve(column, row + 1 - column->n, sizeof value) < 0)
        return -1;
    int64_t *items = (int64_t *)(void *)column->data;
    while (column->n < row)
        items[column->n++] = 0;
    items[column->n++] = value;
    return 0;
}

static inline int sg_push_sparse_i32(struct sg_vector *column, size_t row, int32_t value) {
    if (value == 0 && column->n == 0)
        return 0;
    if (sg_reserve(column, row + 1 - column->n, sizeof value) < 0)
        return -1;
    int32_t *items = (int32_t *)(void *)column->data;
    while (column->n < row)
        items[column->n++] = 0;
    items[column->n++] = value;
    return 0;
}

static inline int sg_push_u64(struct sg_vector *column, uint64_t value) {
    return sg_push_i64(column, (int64_t)value);
}

static inline int sg_push_f64(struct sg_vector *column, double value) {
    if (sg_reserve(column, 1, sizeof value) < 0)
        return -1;
    ((double *)(void *)column->data)[column->n++] = value;
    return 0;
}

static inline int32_t *sg_i32(const struct sg_vector *column) {
    return (int32_t *)(void *)column->data;
}

static inline uint32_t *sg_u32(const struct sg_vector *column) {
    return (uint32_t *)(void *)column->data;
}

static inline int64_t *sg_i64(const struct sg_vector *column) {
    return (int64_t *)(void *)column->data;
}

static inline uint64_t *sg_u64(const struct sg_vector *column) {
    return (uint64_t *)(void *)column->data;
}

static inline void sg_release(struct sg_vector *column) {
    sg_column_free(column->data, column->mapped_bytes);
    *column = (struct sg_vector){0};
}

#endif
