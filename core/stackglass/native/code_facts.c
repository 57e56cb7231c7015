/* Copies of what names a code object, and its line table: see code_facts.h.
 *
 * Everything is read from the structs themselves. The API's ways to a string's UTF-8 allocate
 * inside the string or make a bytes object, and either may start a collection in the middle of
 * somebody's deallocation. */
#include "code_facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "memory.h"

enum {
    STR_LENGTH = 16,
    STR_STATE = 32,
    BYTES_LENGTH = 16,
    BYTES_DATA = 32,
    /* A name longer than this is cut: no profile shows more, and no walk costs more. */
    MAX_CHARACTERS = 4096,
};

/* The state word of a str: interned, then kind (3 bits), compact (1), ascii (1). 3.14 widened
 * `interned`, so where `kind` starts is asked of two strings that are known. */
static int kind_shift = 2; /* written by sg_code_facts_prepare under the GIL */

int sg_code_facts_prepare(const void *ascii, const void *wide) {
    for (int shift = 2; shift <= 16; shift++) {
        uint32_t narrow_bits = (uint32_t)sg_load_int((uintptr_t)ascii + STR_STATE) >> shift;
        uint32_t wide_bits = (uint32_t)sg_load_int((uintptr_t)wide + STR_STATE) >> shift;
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

/* A str object (borrowed) as UTF-8; NULL if memory ran out. */
static char *copy_str(uintptr_t str) {
    if (!str)
        return strdup("");
    uint32_t state = (uint32_t)sg_load_int(str + STR_STATE) >> kind_shift;
    int kind = state & 7;
    bool is_compact = state >> 3 & 1, is_ascii = state >> 4 & 1;
    size_t length = sg_load(str + STR_LENGTH);
    if (!is_compact || (kind != 1 && kind != 2 && kind != 4))
        return strdup("?"); /* a str subclass, or one never made ready: no compiler makes those */
    if (length > MAX_CHARACTERS)
        length = MAX_CHARACTERS;
    uintptr_t data = str + (is_ascii ? sg_layout.ascii_data : sg_layout.compact_data);
    uint8_t *copy = malloc(length * (is_ascii ? 1 : 4) + 1);
    if (!copy)
        return NULL;
    uint8_t *end = copy;
    for (size_t i = 0; i < length; i++)
        end = put_utf8(end, character_at(data, kind, i));
    *end = 0;
    return (char *)copy;
}

int sg_code_facts_copy(const void *code, struct sg_code_facts *facts) {
    const struct sg_layout *at = &sg_layout;
    uintptr_t base = (uintptr_t)code;
    memset(facts, 0, sizeof *facts);
    facts->name = copy_str(sg_load(base + at->co_name));
    facts->filename = copy_str(sg_load(base + at->co_filename));
    facts->qualname =
        copy_str(sg_load(base + (at->co_qualname >= 0 ? at->co_qualname : at->co_name)));
    facts->first_line = sg_load_int(base + at->co_firstlineno);
    uintptr_t table = sg_load(base + at->co_linetable);
    facts->line_table_size = table ? sg_load(table + BYTES_LENGTH) : 0;
    facts->line_table = malloc(facts->line_table_size + 1);
    if (!facts->name || !facts->filename || !facts->qualname || !facts->line_table) {
        sg_code_facts_free(facts);
        return -1;
    }
    if (facts->line_table_size)
        memcpy(facts->line_table, (const void *)(table + BYTES_DATA), facts->line_table_size);
    return 0;
}

void sg_code_facts_free(struct sg_code_facts *facts) {
    free(facts->name);
    free(facts->qualname);
    free(facts->filename);
    free(facts->line_table);
    memset(facts, 0, sizeof *facts);
}

/* 3.9: pairs of address step and signed line step; a line starts where its step is added. */
static int32_t line_of_lnotab(const struct sg_code_facts *facts, int32_t lasti) {
    int32_t line = facts->first_line, address = 0;
    for (size_t i = 0; i + 1 < facts->line_table_size; i += 2) {
        address += facts->line_table[i];
        if (address > lasti)
            break;
        line += (int8_t)facts->line_table[i + 1];
    }
    return line;
}

/* 3.10: pairs of range length and signed line step; -128 = the range has no line. */
static int32_t line_of_ranges(const struct sg_code_facts *facts, int32_t lasti) {
    int32_t line = facts->first_line, end = 0;
    for (size_t i = 0; i + 1 < facts->line_table_size; i += 2) {
        int8_t step = (int8_t)facts->line_table[i + 1];
        end += facts->line_table[i];
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

/* 3.11 and later: entries of a first byte 1cccclll (c = form, l = length - 1 in instructions)
 * and what the form needs; only the line step matters here. */
static int32_t line_of_locations(const struct sg_code_facts *facts, int32_t lasti) {
    enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };
    const uint8_t *entry = facts->line_table, *end = entry + facts->line_table_size;
    int32_t line = facts->first_line, address = 0;
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

int32_t sg_code_line(const struct sg_code_facts *facts, int32_t lasti, int minor) {
    int32_t line;
    if (lasti < 0)
        return facts->first_line;
    if (minor <= 9)
        line = line_of_lnotab(facts, lasti);
    else if (minor == 10)
        line = line_of_ranges(facts, lasti);
    else
        line = line_of_locations(facts, lasti);
    return line < 0 ? 0 : line;
}
