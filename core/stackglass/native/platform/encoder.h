/* Protobuf encoder, for the live writer and for saved profiles.
 *
 *     struct sg_buffer out = {0};                      // no memory yet
 *     size_t frame = sg_encoder_begin_frame(&out);     // varint length, known at the end
 *     size_t batch = sg_encoder_begin_message(&out, 3);
 *     sg_encoder_put_packed_u32(&out, 20, nodes, n);
 *     sg_encoder_end_message(&out, batch);
 *     sg_encoder_end_message(&out, frame);
 *     if (!out.failed) send(fd, out.bytes, out.size, 0);
 *     sg_encoder_buffer_clear(&out);                   // keeps the memory for the next one
 *
 * As in proto3, zero scalars, empty strings and empty columns are not written. If memory runs out,
 * `failed` is set and every later call does nothing: check once, at the end. No locks: a buffer
 * belongs to one thread at a time. */
#ifndef STACKGLASS_PLATFORM_ENCODER_H
#define STACKGLASS_PLATFORM_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_buffer {
    uint8_t *bytes; /* owned; malloc */
    size_t size;
    size_t capacity;
    bool failed; /* memory ran out */
};

/* Empty the buffer and clear `failed`; keep the memory. */
void sg_encoder_buffer_clear(struct sg_buffer *buffer);
/* Free the memory; the buffer can be used again. */
void sg_encoder_buffer_free(struct sg_buffer *buffer);

/* Write one field. A zero, or an empty text, is not written. */
void sg_encoder_put_uint(struct sg_buffer *buffer, uint32_t field, uint64_t value);
/* int64, as protobuf encodes it: two's complement, so a negative value takes ten bytes. */
void sg_encoder_put_int(struct sg_buffer *buffer, uint32_t field, int64_t value);
/* `text` is NUL-ended UTF-8; NULL = "". */
void sg_encoder_put_string(struct sg_buffer *buffer, uint32_t field, const char *text);

/* An element of a `repeated string`, or bytes: written even if empty, because it has an index. */
void sg_encoder_put_string_element(struct sg_buffer *buffer, uint32_t field, const char *text,
                                   size_t size);

/* Write a packed column, its zeros included. Nothing is written if `n` is 0. */
void sg_encoder_put_packed_u32(struct sg_buffer *buffer, uint32_t field, const uint32_t *values,
                               size_t n);
void sg_encoder_put_packed_u64(struct sg_buffer *buffer, uint32_t field, const uint64_t *values,
                               size_t n);

/* Write a packed column of `n` rows; the expression `value` gives the value of row `i`. */
#define SG_PUT_COLUMN(out, field, n, value)                                                        \
    do {                                                                                           \
        size_t begun_ = (n) ? sg_encoder_begin_message(out, field) : 0;                            \
        for (size_t i = 0; i < (n); i++)                                                           \
            sg_encoder_put_varint(out, (uint64_t)(value));                                         \
        if (n)                                                                                     \
            sg_encoder_end_message(out, begun_);                                                   \
    } while (0)

/* Begin and end a nested message, which holds all that is written in between, to any depth. An
 * empty message is written, too (a oneof needs it). */
size_t sg_encoder_begin_message(struct sg_buffer *buffer, uint32_t field);
void sg_encoder_end_message(struct sg_buffer *buffer, size_t begun);
/* Begin a message with a length and no tag in front of it, as the socket carries it. End it with
 * sg_encoder_end_message. */
size_t sg_encoder_begin_frame(struct sg_buffer *buffer);

/* Append a varint, or bytes as they are, without a tag. */
void sg_encoder_put_varint(struct sg_buffer *buffer, uint64_t value);
void sg_encoder_put_raw(struct sg_buffer *buffer, const void *bytes, size_t size);

#endif
