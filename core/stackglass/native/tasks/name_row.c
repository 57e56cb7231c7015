/* Decodes str and int objects by CPython's field offsets, without calls into the interpreter. */
#include "tasks/name_row.h"

#include <Python.h>

#include <string.h>

#include "frames/code_info.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/object_fields.h"
#include "labels/variables.h"

/* PyLongObject. */
enum {
    FIRST_MINOR_WITH_TAGS = 12, /* up to 3.11 LONG_TAG holds the signed number of digits */
    /* PyLongObject.lv_tag: number of digits << 3, sign in the low bits */
    LONG_TAG = 16,
    LONG_DIGITS = 24, /* PyLongObject.ob_digit */
    DIGIT_BITS = 30,  /* PyLong_SHIFT */
};

static bool read_word(sg_read_fn *read, uintptr_t address, uintptr_t *word) {
    return read(address, word, sizeof *word);
}

/* Read the absolute value of an int, and whether it is negative. Returns false if it cannot be read
 * or has more than 60 bits. */
static bool read_int(uintptr_t object, sg_read_fn *read, uint64_t *number, bool *is_negative) {
    uintptr_t tag;
    uint32_t digits[2] = {0, 0};
    if (!read_word(read, object + LONG_TAG, &tag))
        return false;
    bool has_tag = sg_debug_offsets.minor >= FIRST_MINOR_WITH_TAGS;
    *is_negative = has_tag ? (tag & 3) == 2 : (intptr_t)tag < 0;
    uintptr_t n = has_tag ? tag >> 3 : *is_negative ? (uintptr_t) - (intptr_t)tag : tag;
    if (n > 2 || !read(object + LONG_DIGITS, digits, n * sizeof *digits))
        return false;
    *number = (uint64_t)digits[1] << DIGIT_BITS | digits[0];
    return true;
}

/* Write `prefix` and an int in decimal to `text`. Returns the number of bytes, or -1 if the int
 * cannot be read. */
static int write_int(uintptr_t object, sg_read_fn *read, const char *prefix, char *text) {
    uint64_t number;
    bool is_negative;
    char figures[24];
    size_t n = 0, at = strlen(prefix);
    if (!read_int(object, read, &number, &is_negative))
        return -1;
    memcpy(text, prefix, at);
    if (is_negative)
        text[at++] = '-';
    do
        figures[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n)
        text[at++] = figures[--n];
    return (int)at;
}

/* Return whether asyncio made up the name, as in "Task-12". */
static bool is_numbered(const char *text, int n_bytes) {
    static const char prefix[] = "Task-";
    int at = sizeof prefix - 1;
    if (n_bytes <= at || memcmp(text, prefix, (size_t)at) != 0)
        return false;
    while (at < n_bytes && text[at] >= '0' && text[at] <= '9')
        at++;
    return at == n_bytes;
}

/* Append the text of a str, or `prefix` and the digits of an int, under `key`. */
static void put(struct sg_name_row *row, uint32_t key, uintptr_t object, sg_read_fn *read,
                const char *prefix) {
    char text[SG_TASK_NAME_BYTES];
    uintptr_t type;
    int n = -1;
    if (object && object % 8 == 0 && read_word(read, object + SG_OB_TYPE, &type)) {
        if (type == (uintptr_t)&PyUnicode_Type)
            n = sg_code_info_read_text(object, read, text, sizeof text);
        else if (type == (uintptr_t)&PyLong_Type)
            n = write_int(object, read, prefix, text);
    }
    if (n < 0 || row->n + 2 + (size_t)n > sizeof row->bytes) {
        row->is_unreadable = true;
        return;
    }
    row->is_numbered |= key == 0 && is_numbered(text, n);
    row->bytes[row->n++] = (uint8_t)key;
    row->bytes[row->n++] = (uint8_t)n;
    memcpy(row->bytes + row->n, text, (size_t)n);
    row->n += (size_t)n;
}

void sg_name_row_put_task(struct sg_name_row *row, uintptr_t name_field, sg_read_fn *read) {
    uintptr_t name = 0;
    read_word(read, name_field, &name);
    put(row, 0, name, read, "Task-");
}

void sg_name_row_put_variables(struct sg_name_row *row, const void *thread, sg_read_fn *read) {
    for (uint32_t i = 0; i < SG_MOST_VARIABLES; i++) {
        uintptr_t value = 0;
        enum sg_contextvar_result result = sg_variables_find(i, thread, read, &value);
        if (result == SG_CONTEXTVAR_FOUND)
            put(row, 1 + i, value, read, "");
        row->is_unreadable |= result == SG_CONTEXTVAR_UNREADABLE;
    }
}
