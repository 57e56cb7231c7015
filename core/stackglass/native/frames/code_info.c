/* Reads names and line tables from the fields of code, str and bytes objects. The C API's functions
 * are not used: to encode a str in UTF-8, they cache the result in the str or make a bytes object,
 * which changes the program's memory. For a lone surrogate they make an exception object, which may
 * start a garbage collection in the middle of a deallocation. */
#include "frames/code_info.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"

enum {
    /* Offsets in str and bytes objects. */
    STR_LENGTH = 16,
    STR_STATE = 32,
    BYTES_LENGTH = 16,
    BYTES_DATA = 32,
    /* A longer name is cut. */
    MAX_CHARACTERS = 4096,
    MAX_TABLE_BYTES = 1 << 26, /* no line table is larger */
};

/* The `state` of a str has the bit-fields interned, kind (3 bits: bytes a character), compact (1
 * bit) and ascii (1 bit). The width of `interned` depends on the version (3.14 widened it). So
 * prepare searches for the bit where `kind` begins: there the ASCII string has 1 | 8 | 16, and the
 * string of 16-bit characters 2 | 8. */
static int kind_shift = 2; /* written by sg_code_info_prepare with the GIL held */

int sg_code_info_prepare(const void *ascii, const void *wide) {
    for (int shift = 2; shift <= 16; shift++) {
        uint32_t narrow_bits = (uint32_t)sg_memory_load_int((uintptr_t)ascii + STR_STATE) >> shift;
        uint32_t wide_bits = (uint32_t)sg_memory_load_int((uintptr_t)wide + STR_STATE) >> shift;
        if ((narrow_bits & 31) == (1 | 8 | 16) && (wide_bits & 31) == (2 | 8)) {
            kind_shift = shift;
            return 0;
        }
    }
    return -1;
}

static uint8_t *put_utf8(uint8_t *out, uint32_t character) {
    if (character >= 0xD800 && character < 0xE000)
        character = 0xFFFD; /* a lone surrogate has no UTF-8 */
    if (character < 0x80) {
        *out++ = (uint8_t)character;
    } else if (character < 0x800) {
        *out++ = (uint8_t)(0xC0 | character >> 6);
        *out++ = (uint8_t)(0x80 | (character & 63));
    } else if (character < 0x10000) {
        *out++ = (uint8_t)(0xE0 | character >> 12);
        *out++ = (uint8_t)(0x80 | (character >> 6 & 63));
        *out++ = (uint8_t)(0x80 | (character & 63));
    } else {
        *out++ = (uint8_t)(0xF0 | character >> 18);
        *out++ = (uint8_t)(0x80 | (character >> 12 & 63));
        *out++ = (uint8_t)(0x80 | (character >> 6 & 63));
        *out++ = (uint8_t)(0x80 | (character & 63));
    }
    return out;
}

static uint32_t character_at(uintptr_t data, int kind, size_t i) {
    if (kind == 1)
        return ((const uint8_t *)data)[i];
    if (kind == 2)
        return ((const uint16_t *)data)[i];
    return ((const uint32_t *)data)[i];
}

/* Copy `size` bytes. If `is_foreign`, another thread may free the memory meanwhile, so it is read
 * by a call that cannot fault; returns false if there is nothing to read. */
static bool read_from(bool is_foreign, uintptr_t address, void *copy, size_t size) {
    if (is_foreign)
        return sg_memory_read_foreign(address, copy, size);
    memcpy(copy, (const void *)address, size);
    return true;
}

static char *encode(uintptr_t data, int kind, size_t length) {
    uint8_t *copy = malloc(length * 4 + 1);
    uint8_t *end = copy;
    for (size_t i = 0; copy && i < length; i++)
        end = put_utf8(end, character_at(data, kind, i));
    if (copy)
        *end = 0;
    return (char *)copy;
}

/* Return the borrowed str object as UTF-8, malloc'ed; NULL if memory runs out, or if the str's
 * memory is gone. */
static char *copy_str(uintptr_t str, bool is_foreign) {
    struct {
        uint64_t length, hash;
        uint32_t state;
    } head;
    _Static_assert(STR_STATE - STR_LENGTH == 16, "one behind the other");
    if (!str)
        return strdup("");
    if (!read_from(is_foreign, str + STR_LENGTH, &head, sizeof head))
        return NULL;
    uint32_t state = head.state >> kind_shift;
    int kind = state & 7;
    bool is_compact = state >> 3 & 1, is_ascii = state >> 4 & 1;
    size_t length = head.length < MAX_CHARACTERS ? head.length : MAX_CHARACTERS;
    if (!is_compact || (kind != 1 && kind != 2 && kind != 4))
        return strdup("?"); /* a str subclass, or not ready: no compiler makes these */
    uintptr_t data =
        str + (uintptr_t)(is_ascii ? sg_debug_offsets.ascii_data : sg_debug_offsets.compact_data);
    if (!is_foreign)
        return encode(data, kind, length);
    size_t size = length * (size_t)kind;
    void *characters = malloc(size + 1);
    bool is_read = characters && (!size || sg_memory_read_foreign(data, characters, size));
    char *copy = is_read ? encode((uintptr_t)characters, kind, length) : NULL;
    free(characters);
    return copy;
}

const char *sg_code_info_ascii(const void *str, size_t *length) {
    uintptr_t at = (uintptr_t)str;
    uint32_t state = (uint32_t)sg_memory_load_int(at + STR_STATE) >> kind_shift;
    *length = sg_memory_load(at + STR_LENGTH);
    return (state & 31) == (1 | 8 | 16) ? (const char *)at + sg_debug_offsets.ascii_data : NULL;
}

enum { CHARACTERS_AT_ONCE = 32, MOST_UTF8 = 4 };

/* Append a character to text[*n…]. Returns false if there is no room: then "…" is appended. */
static bool append_utf8(char *text, size_t capacity, size_t *n, uint32_t character) {
    static const char ellipsis[] = "\xe2\x80\xa6";
    uint8_t bytes[MOST_UTF8];
    size_t size = (size_t)(put_utf8(bytes, character) - bytes);
    if (*n + size + sizeof ellipsis > capacity) {
        memcpy(text + *n, ellipsis, sizeof ellipsis - 1);
        *n += sizeof ellipsis - 1;
        return false;
    }
    memcpy(text + *n, bytes, size);
    *n += size;
    return true;
}

int sg_code_info_read_text(uintptr_t str, sg_read_fn *read, char *text, size_t capacity) {
    struct {
        uint64_t length, hash;
        uint32_t state;
    } head;
    uint32_t part[CHARACTERS_AT_ONCE];
    size_t n = 0;
    if (!read(str + STR_LENGTH, &head, sizeof head))
        return -1;
    uint32_t state = head.state >> kind_shift, kind = state & 7;
    bool is_compact = state >> 3 & 1, is_ascii = state >> 4 & 1, has_room = true;
    if (!is_compact || (kind != 1 && kind != 2 && kind != 4))
        return -1;
    uintptr_t data =
        str + (uintptr_t)(is_ascii ? sg_debug_offsets.ascii_data : sg_debug_offsets.compact_data);
    for (uint64_t at = 0; has_room && at < head.length; at += CHARACTERS_AT_ONCE) {
        uint64_t left = head.length - at;
        size_t n_part = left < CHARACTERS_AT_ONCE ? (size_t)left : CHARACTERS_AT_ONCE;
        if (!read(data + at * kind, part, n_part * kind))
            return -1;
        for (size_t i = 0; has_room && i < n_part; i++)
            has_room = append_utf8(text, capacity, &n, character_at((uintptr_t)part, (int)kind, i));
    }
    text[n] = 0;
    return (int)n;
}

static char *copy_member(uintptr_t code, int32_t offset, bool is_foreign) {
    uintptr_t str;
    return read_from(is_foreign, code + (uintptr_t)offset, &str, sizeof str)
               ? copy_str(str, is_foreign)
               : NULL;
}

static void copy_line_table(uintptr_t code, struct sg_code_info *info, bool is_foreign) {
    uintptr_t table = 0;
    uint64_t size = 0;
    if (!read_from(is_foreign, code + (uintptr_t)sg_debug_offsets.co_linetable, &table,
                   sizeof table) ||
        (table && !read_from(is_foreign, table + BYTES_LENGTH, &size, sizeof size)) ||
        size > MAX_TABLE_BYTES)
        return;
    uint8_t *copy = malloc(size + 1);
    if (copy && size && !read_from(is_foreign, table + BYTES_DATA, copy, size)) {
        free(copy);
        copy = NULL;
    }
    info->line_table = copy;
    info->line_table_size = copy ? size : 0;
}

static int copy_info(const void *code, struct sg_code_info *info, bool is_foreign) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    uintptr_t base = (uintptr_t)code;
    memset(info, 0, sizeof *info);
    info->name = copy_member(base, at->co_name, is_foreign);
    info->filename = copy_member(base, at->co_filename, is_foreign);
    info->qualname =
        copy_member(base, at->co_qualname >= 0 ? at->co_qualname : at->co_name, is_foreign);
    copy_line_table(base, info, is_foreign);
    if (!info->name || !info->filename || !info->qualname || !info->line_table ||
        !read_from(is_foreign, base + (uintptr_t)at->co_firstlineno, &info->first_line,
                   sizeof info->first_line)) {
        sg_code_info_free(info);
        return -1;
    }
    return 0;
}

int sg_code_info_copy(const void *code, struct sg_code_info *info) {
    return copy_info(code, info, false);
}

int sg_code_info_copy_foreign(const void *code, struct sg_code_info *info) {
    return copy_info(code, info, true);
}

void sg_code_info_free(struct sg_code_info *info) {
    free(info->name);
    free(info->qualname);
    free(info->filename);
    free(info->line_table);
    memset(info, 0, sizeof *info);
}

/* 3.9 (co_lnotab): pairs of an address step and a signed line step. A line starts at the address
 * that the step leads to. */
static int32_t line_of_lnotab(const struct sg_code_info *info, int32_t lasti) {
    int32_t line = info->first_line, address = 0;
    for (size_t i = 0; i + 1 < info->line_table_size; i += 2) {
        address += info->line_table[i];
        if (address > lasti)
            break;
        line += (int8_t)info->line_table[i + 1];
    }
    return line;
}

/* 3.10 (co_linetable): pairs of a range's length and a signed line step; -128 = the range has no
 * line. */
static int32_t line_of_ranges(const struct sg_code_info *info, int32_t lasti) {
    int32_t line = info->first_line, end = 0;
    for (size_t i = 0; i + 1 < info->line_table_size; i += 2) {
        int8_t step = (int8_t)info->line_table[i + 1];
        end += info->line_table[i];
        if (step != -128)
            line += step;
        if (lasti < end)
            return step == -128 ? 0 : line;
    }
    return 0;
}

static int32_t signed_varint(const uint8_t *bytes, const uint8_t *end) {
    uint32_t value = 0;
    for (int shift = 0; bytes < end && shift < 32; bytes++, shift += 6) {
        value |= (uint32_t)(*bytes & 63) << shift;
        if (!(*bytes & 64))
            break;
    }
    return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* 3.11 and later (co_linetable): an entry has a first byte 1cccclll (cccc = form, lll = number of
 * code units of two bytes, less 1), then the bytes of that form. Only the line step is used. */
static int32_t line_of_locations(const struct sg_code_info *info, int32_t lasti) {
    enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };
    const uint8_t *entry = info->line_table, *end = entry + info->line_table_size;
    int32_t line = info->first_line, address = 0;
    while (entry < end) {
        int form = *entry >> 3 & 15;
        address += ((*entry & 7) + 1) * 2;
        entry++;
        if (form == NO_COLUMNS || form == LONG)
            line += signed_varint(entry, end);
        else if (form >= ONE_LINE && form < NO_COLUMNS)
            line += form - ONE_LINE;
        if (lasti < address)
            return form == NO_LOCATION ? 0 : line;
        while (entry < end && !(*entry & 0x80))
            entry++;
    }
    return 0;
}

int32_t sg_code_info_line(const struct sg_code_info *info, int32_t lasti, int minor) {
    int32_t line;
    if (lasti < 0)
        return info->first_line;
    if (minor <= 9)
        line = line_of_lnotab(info, lasti);
    else if (minor == 10)
        line = line_of_ranges(info, lasti);
    else
        line = line_of_locations(info, lasti);
    return line < 0 ? 0 : line;
}
