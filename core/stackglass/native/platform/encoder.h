/* Protobuf, written by hand: the one encoder, for the live writer and for saved profiles.
 *
 *     struct sg_buffer out = {0};                      // no memory yet
 *     size_t frame = sg_encoder_begin_frame(&out);             // varint length, known at the end
 *     size_t batch = sg_encoder_begin_message(&out, 3);
 *     sg_encoder_put_packed_u32(&out, 20, nodes, n);
 *     sg_encoder_end_message(&out, batch);
 *     sg_encoder_end_message(&out, frame);
 *     if (!out.failed) send(fd, out.bytes, out.size, 0);
 *     sg_encoder_buffer_clear(&out);                           // keeps the memory for the next one
 *
 * As proto3 does, scalars, strings and columns that are zero or empty are not written at all.
 * Running out of memory sets `failed`, and every later call does nothing: check once, at the end.
 * No GIL, no Python, no locks: a buffer belongs to one thread at a time. */
#ifndef STACKGLASS_PLATFORM_ENCODER_H
#define STACKGLASS_PLATFORM_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sg_buffer {
    uint8_t *bytes; /* owned; malloc */
    size_t size;
    size_t capacity;
    bool failed; /* memory ran out somewhere on the way */
};

/* Forget the content, and that it failed; keep the memory. */
void sg_encoder_buffer_clear(struct sg_buffer *buffer);
/* Give the memory back; the buffer is as new. */
void sg_encoder_buffer_free(struct sg_buffer *buffer);

/* One field. Not written if zero (empty). */
void sg_encoder_put_uint(struct sg_buffer *buffer, uint32_t field, uint64_t value);
/* int64 as protobuf has it: two's complement, so a negative value takes ten bytes. */
void sg_encoder_put_int(struct sg_buffer *buffer, uint32_t field, int64_t value);
/* `text` is NUL-ended UTF-8; NULL = "". */
void sg_encoder_put_string(struct sg_buffer *buffer, uint32_t field, const char *text);
void sg_encoder_put_bytes(struct sg_buffer *buffer, uint32_t field, const void *bytes, size_t size);

/* An element of a `repeated string`: written even if empty, for it holds a place. */
void sg_encoder_put_string_element(struct sg_buffer *buffer, uint32_t field, const char *text,
                                   size_t size);

/* A packed column. Not written if `n` is 0; zeros inside are. */
void sg_encoder_put_packed_u32(struct sg_buffer *buffer, uint32_t field, const uint32_t *values,
                               size_t n);
void sg_encoder_put_packed_u64(struct sg_buffer *buffer, uint32_t field, const uint64_t *values,
                               size_t n);

/* The same of one value a row, which `value` takes from wherever row `i` has it. */
#define SG_PUT_COLUMN(out, field, n, value)                                                        \
    do {                                                                                           \
        size_t begun_ = (n) ? sg_encoder_begin_message(out, field) : 0;                            \
        for (size_t i = 0; i < (n); i++)                                                           \
            sg_encoder_put_varint(out, (uint64_t)(value));                                         \
        if (n)                                                                                     \
            sg_encoder_end_message(out, begun_);                                                   \
    } while (0)

/* A nested message: everything written between begin and end. Nests to any depth; ends go in the
 * reverse order of begins. An empty message is written (a oneof needs it). */
size_t sg_encoder_begin_message(struct sg_buffer *buffer, uint32_t field);
void sg_encoder_end_message(struct sg_buffer *buffer, size_t begun);
/* The same with a bare length in front and no tag: what the socket carries. End with
 * sg_encoder_end_message. */
size_t sg_encoder_begin_frame(struct sg_buffer *buffer);

/* The parts of the above, for what they do not cover. */
void sg_encoder_put_varint(struct sg_buffer *buffer, uint64_t value);
void sg_encoder_put_raw(struct sg_buffer *buffer, const void *bytes, size_t size);

#endif
