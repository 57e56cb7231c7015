/* Cursor: a bounded reader of DWARF's numbers. A read beyond the end, or of an unsupported form,
 * sets `is_bad` and returns 0, and so do all later reads. */
#ifndef STACKGLASS_UNWIND_CURSOR_H
#define STACKGLASS_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct sg_unwind_cursor {
    const uint8_t *at, *end;
    uintptr_t address; /* address of `at` in the library from which the bytes were copied */
    bool is_bad;
};

/* Encodings of pointers (DW_EH_PE_*): the form in the low four bits, and what is added to the
 * value. */
enum {
    SG_PE_ABSOLUTE = 0x00,
    SG_PE_ULEB = 0x01,
    SG_PE_UDATA2 = 0x02,
    SG_PE_UDATA4 = 0x03,
    SG_PE_UDATA8 = 0x04,
    SG_PE_SLEB = 0x09,
    SG_PE_SDATA2 = 0x0a,
    SG_PE_SDATA4 = 0x0b,
    SG_PE_SDATA8 = 0x0c,
    SG_PE_FORM = 0x0f,
    SG_PE_RELATIVE_TO_PC = 0x10,
    SG_PE_APPLICATION = 0x70,
    SG_PE_INDIRECT = 0x80,
    SG_PE_OMITTED = 0xff,
};

static inline void sg_unwind_cursor_skip(struct sg_unwind_cursor *cursor, uint64_t n_bytes) {
    if (cursor->is_bad || n_bytes > (uint64_t)(cursor->end - cursor->at)) {
        cursor->is_bad = true;
        return;
    }
    cursor->at += n_bytes;
    cursor->address += n_bytes;
}

/* Read an unsigned number of `n_bytes` ≤ 8, little-endian as on the supported machines. */
static inline uint64_t sg_unwind_cursor_fixed(struct sg_unwind_cursor *cursor, unsigned n_bytes) {
    const uint8_t *from = cursor->at;
    uint64_t value = 0;
    sg_unwind_cursor_skip(cursor, n_bytes);
    if (!cursor->is_bad)
        memcpy(&value, from, n_bytes);
    return value;
}

static inline uint8_t sg_unwind_cursor_byte(struct sg_unwind_cursor *cursor) {
    return (uint8_t)sg_unwind_cursor_fixed(cursor, 1);
}

/* Read the bits of a LEB128 number. `*shift` is set to their number, `*is_negative` to the sign
 * bit. */
static inline uint64_t sg_unwind_cursor_leb(struct sg_unwind_cursor *cursor, unsigned *shift,
                                            bool *is_negative) {
    uint64_t value = 0;
    uint8_t byte;
    *shift = 0;
    do {
        byte = sg_unwind_cursor_byte(cursor);
        if (*shift < 64)
            value |= (uint64_t)(byte & 0x7f) << *shift;
        else
            cursor->is_bad = true; /* a longer number does not occur */
        *shift += 7;
    } while (byte & 0x80 && !cursor->is_bad);
    *is_negative = byte & 0x40;
    return cursor->is_bad ? 0 : value;
}

static inline uint64_t sg_unwind_cursor_uleb(struct sg_unwind_cursor *cursor) {
    unsigned shift;
    bool is_negative;
    return sg_unwind_cursor_leb(cursor, &shift, &is_negative);
}

static inline int64_t sg_unwind_cursor_sleb(struct sg_unwind_cursor *cursor) {
    unsigned shift;
    bool is_negative;
    uint64_t value = sg_unwind_cursor_leb(cursor, &shift, &is_negative);
    if (is_negative && shift < 64 && !cursor->is_bad)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

static inline int64_t sg_unwind_cursor_signed(struct sg_unwind_cursor *cursor, unsigned n_bytes) {
    uint64_t value = sg_unwind_cursor_fixed(cursor, n_bytes);
    unsigned shift = 64 - 8 * n_bytes;
    return (int64_t)(value << shift) >> shift;
}

/* Read a pointer with this encoding. A relative pointer counts from the address where it is
 * read. */
static inline uint64_t sg_unwind_cursor_pointer(struct sg_unwind_cursor *cursor, uint8_t encoding) {
    uintptr_t place = cursor->address;
    uint64_t value = 0;
    switch (encoding & SG_PE_FORM) {
    case SG_PE_ABSOLUTE:
    case SG_PE_UDATA8:
    case SG_PE_SDATA8:
        value = sg_unwind_cursor_fixed(cursor, 8);
        break;
    case SG_PE_UDATA4:
        value = sg_unwind_cursor_fixed(cursor, 4);
        break;
    case SG_PE_SDATA4:
        value = (uint64_t)sg_unwind_cursor_signed(cursor, 4);
        break;
    case SG_PE_UDATA2:
        value = sg_unwind_cursor_fixed(cursor, 2);
        break;
    case SG_PE_SDATA2:
        value = (uint64_t)sg_unwind_cursor_signed(cursor, 2);
        break;
    case SG_PE_ULEB:
        value = sg_unwind_cursor_uleb(cursor);
        break;
    case SG_PE_SLEB:
        value = (uint64_t)sg_unwind_cursor_sleb(cursor);
        break;
    default:
        cursor->is_bad = true;
    }
    if ((encoding & SG_PE_APPLICATION) == SG_PE_RELATIVE_TO_PC)
        return value + place;
    if (encoding & (SG_PE_APPLICATION | SG_PE_INDIRECT))
        cursor->is_bad = true;
    return value;
}

#endif
