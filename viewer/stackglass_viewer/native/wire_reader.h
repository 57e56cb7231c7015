/* Reader of protobuf's wire format for untrusted input: each read checks how many bytes are left.
 */
#ifndef SG_WIRE_READER_H
#define SG_WIRE_READER_H

#include <stddef.h>
#include <stdint.h>

enum { SG_VARINT = 0, SG_FIXED64 = 1, SG_DELIMITED = 2, SG_FIXED32 = 5 };

struct sg_reader {
    const uint8_t *at;
    const uint8_t *end;
};

/* One field of a message. */
struct sg_field {
    uint32_t number;
    uint32_t type;
    uint64_t value; /* value of a varint; else 0, because fixed-width numbers are skipped */
    struct sg_reader content; /* content of a delimited field; else empty */
};

/* Read a varint. Returns 0, or -1 if it is cut off or longer than ten bytes. */
static inline int sg_read_varint(struct sg_reader *reader, uint64_t *value) {
    const uint8_t *at = reader->at;
    if (at < reader->end && *at < 0x80) {
        *value = *at;
        reader->at = at + 1;
        return 0;
    }
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 70 && at < reader->end; shift += 7, at++) {
        sum |= (uint64_t)(*at & 0x7F) << shift;
        if (*at < 0x80) {
            *value = sum;
            reader->at = at + 1;
            return 0;
        }
    }
    return -1;
}

/* Skip n bytes. Returns 0, or -1 if fewer are left. */
static inline int sg_skip(struct sg_reader *reader, uint64_t n) {
    if (n > (uint64_t)(reader->end - reader->at))
        return -1;
    reader->at += n;
    return 0;
}

/* Read the next field. Returns 1, 0 at the end, or -1 if the message is malformed. */
static inline int sg_next_field(struct sg_reader *reader, struct sg_field *field) {
    if (reader->at == reader->end)
        return 0;
    uint64_t key, size;
    if (sg_read_varint(reader, &key) < 0 || key >> 3 == 0 || key >> 3 > 0x1FFFFFFF)
        return -1;
    field->number = (uint32_t)(key >> 3);
    field->type = key & 7;
    field->value = 0;
    field->content.at = field->content.end = reader->end;
    const uint8_t *start;
    switch (field->type) {
    case SG_VARINT:
        return sg_read_varint(reader, &field->value) < 0 ? -1 : 1;
    case SG_DELIMITED:
        if (sg_read_varint(reader, &size) < 0)
            return -1;
        start = reader->at;
        if (sg_skip(reader, size) < 0)
            return -1;
        field->content.at = start;
        field->content.end = reader->at;
        return 1;
    case SG_FIXED64:
        return sg_skip(reader, 8) < 0 ? -1 : 1;
    case SG_FIXED32:
        return sg_skip(reader, 4) < 0 ? -1 : 1;
    default: /* groups, which proto3 does not have, and undefined types */
        return -1;
    }
}

#endif
