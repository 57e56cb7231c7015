/* Protobuf encoder: fields are appended to one growing buffer, and a message's length is put in
 * front of it when it ends. */
#include "platform/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "platform/varint.h"

enum { VARINT = 0, DELIMITED = 2, FIRST_CAPACITY = 256 };

void sg_encoder_buffer_clear(struct sg_buffer *buffer) {
    buffer->size = 0;
    buffer->failed = false;
}

void sg_encoder_buffer_free(struct sg_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct sg_buffer){0};
}

/* Make room for `more` bytes. If memory is short, sets `failed` and returns false. */
static bool reserve(struct sg_buffer *buffer, size_t more) {
    if (buffer->failed)
        return false;
    if (more <= buffer->capacity - buffer->size)
        return true;
    if (more > SIZE_MAX / 4 || buffer->size > SIZE_MAX / 4) {
        buffer->failed = true;
        return false;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    while (capacity - buffer->size < more)
        capacity *= 2;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

static size_t varint_size(uint64_t value) {
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

void sg_encoder_put_varint(struct sg_buffer *buffer, uint64_t value) {
    if (reserve(buffer, SG_VARINT_MOST))
        buffer->size = (size_t)(sg_varint_put(buffer->bytes + buffer->size, value) - buffer->bytes);
}

void sg_encoder_put_raw(struct sg_buffer *buffer, const void *bytes, size_t size) {
    if (size == 0 || !reserve(buffer, size))
        return;
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void put_tag(struct sg_buffer *buffer, uint32_t field, uint32_t wire_type) {
    sg_encoder_put_varint(buffer, (uint64_t)field << 3 | wire_type);
}

void sg_encoder_put_uint(struct sg_buffer *buffer, uint32_t field, uint64_t value) {
    if (value == 0)
        return;
    put_tag(buffer, field, VARINT);
    sg_encoder_put_varint(buffer, value);
}

void sg_encoder_put_int(struct sg_buffer *buffer, uint32_t field, int64_t value) {
    sg_encoder_put_uint(buffer, field, (uint64_t)value);
}

static void put_delimited(struct sg_buffer *buffer, uint32_t field, const void *bytes,
                          size_t size) {
    put_tag(buffer, field, DELIMITED);
    sg_encoder_put_varint(buffer, size);
    sg_encoder_put_raw(buffer, bytes, size);
}

void sg_encoder_put_string(struct sg_buffer *buffer, uint32_t field, const char *text) {
    if (text && *text)
        put_delimited(buffer, field, text, strlen(text));
}

void sg_encoder_put_string_element(struct sg_buffer *buffer, uint32_t field, const char *text,
                                   size_t size) {
    put_delimited(buffer, field, text, size);
}

/* The size is computed first, so that nothing moves afterwards. */
#define DEFINE_PUT_PACKED(name, type)                                                              \
    void name(struct sg_buffer *buffer, uint32_t field, const type *values, size_t n) {            \
        size_t size = 0;                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            size += varint_size(values[i]);                                                        \
        if (n == 0)                                                                                \
            return;                                                                                \
        put_tag(buffer, field, DELIMITED);                                                         \
        sg_encoder_put_varint(buffer, size);                                                       \
        if (!reserve(buffer, size))                                                                \
            return;                                                                                \
        uint8_t *at = buffer->bytes + buffer->size;                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            at = sg_varint_put(at, values[i]);                                                     \
        buffer->size += size;                                                                      \
    }

DEFINE_PUT_PACKED(sg_encoder_put_packed_u32, uint32_t)
DEFINE_PUT_PACKED(sg_encoder_put_packed_u64, uint64_t)

/* One byte is reserved for the length: most messages are shorter than 128 bytes. The content of a
 * longer one moves up when the message ends:
 *
 *     begin:  …tag ?            begun = index after the ?
 *     end:    …tag len content              length < 128
 *             …tag len len len content      moved by two
 */
size_t sg_encoder_begin_frame(struct sg_buffer *buffer) {
    if (reserve(buffer, 1))
        buffer->size++;
    return buffer->size;
}

size_t sg_encoder_begin_message(struct sg_buffer *buffer, uint32_t field) {
    put_tag(buffer, field, DELIMITED);
    return sg_encoder_begin_frame(buffer);
}

void sg_encoder_end_message(struct sg_buffer *buffer, size_t begun) {
    if (buffer->failed)
        return;
    size_t size = buffer->size - begun;
    size_t more = varint_size(size) - 1;
    if (more) {
        if (!reserve(buffer, more))
            return;
        memmove(buffer->bytes + begun + more, buffer->bytes + begun, size);
        buffer->size += more;
    }
    sg_varint_put(buffer->bytes + begun - 1, size);
}
