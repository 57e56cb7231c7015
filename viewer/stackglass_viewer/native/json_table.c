/* Tables are parsed in the form that programs write; any other is left to Python's parser. */
#include "json_table.h"

#include <string.h>

struct text {
    const unsigned char *at, *end;
};

static void skip_space(struct text *text) {
    while (text->at < text->end &&
           (*text->at == ' ' || *text->at == '\n' || *text->at == '\r' || *text->at == '\t'))
        text->at++;
}

/* Skip white space and `sign`. Returns 1, or 0 if something else follows the white space. */
static int take(struct text *text, unsigned char sign) {
    skip_space(text);
    if (text->at == text->end || *text->at != sign)
        return 0;
    text->at++;
    return 1;
}

/* Read an integer whose absolute value fits in 63 bits. Returns 0, or -1 if the text is no such
 * integer. */
static int read_digits(struct text *text, int64_t *value) {
    int is_negative = text->at < text->end && *text->at == '-';
    text->at += is_negative;
    const unsigned char *first = text->at;
    *value = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *text->at - '0', value))
            return -1;
    if (text->at == first || (*first == '0' && text->at - first > 1))
        return -1;
    if (is_negative)
        *value = -*value;
    return 0;
}

static enum sg_json_numbers read_number(struct text *text, struct sg_json_field *field) {
    int64_t value;
    skip_space(text);
    int is_quoted = text->at < text->end && *text->at == '"';
    text->at += is_quoted;
    if (read_digits(text, &value) < 0)
        return SG_JSON_OTHER;
    if (is_quoted && (text->at == text->end || *text->at++ != '"'))
        return SG_JSON_OTHER;
    return sg_push_i64(&field->number, value) < 0 ? SG_JSON_NO_MEMORY : SG_JSON_READ;
}

static enum sg_json_numbers read_list(struct text *text, struct sg_json_field *field) {
    if (!take(text, '['))
        return SG_JSON_OTHER;
    if (take(text, ']'))
        return SG_JSON_READ;
    do {
        enum sg_json_numbers result = read_number(text, field);
        if (result != SG_JSON_READ)
            return result;
    } while (take(text, ','));
    return take(text, ']') ? SG_JSON_READ : SG_JSON_OTHER;
}

/* Read a member's name and colon. Returns its field; NULL = no field has this name. */
static struct sg_json_field *find_field(struct text *text, struct sg_json_field *fields,
                                        size_t n_fields) {
    if (!take(text, '"'))
        return NULL;
    size_t n_left = (size_t)(text->end - text->at);
    for (size_t i = 0; i < n_fields; i++) {
        size_t n = fields[i].name_bytes;
        if (n < n_left && text->at[n] == '"' && !memcmp(text->at, fields[i].name, n)) {
            text->at += n + 1;
            return take(text, ':') ? fields + i : NULL;
        }
    }
    return NULL;
}

/* Read an object, each of whose members is a field that occurs once. */
static enum sg_json_numbers read_members(struct text *text, struct sg_json_field *fields,
                                         size_t n_fields) {
    unsigned seen = 0;
    if (!take(text, '{'))
        return SG_JSON_OTHER;
    if (take(text, '}'))
        return SG_JSON_READ;
    do {
        struct sg_json_field *field = find_field(text, fields, n_fields);
        if (!field || seen & 1u << (field - fields))
            return SG_JSON_OTHER;
        seen |= 1u << (field - fields);
        enum sg_json_numbers result =
            field->is_list ? read_list(text, field) : read_number(text, field);
        if (result != SG_JSON_READ)
            return result;
    } while (take(text, ','));
    return take(text, '}') ? SG_JSON_READ : SG_JSON_OTHER;
}

static enum sg_json_numbers read_row(struct text *text, struct sg_json_field *fields,
                                     size_t n_fields) {
    size_t had[SG_JSON_MOST_FIELDS];
    for (size_t i = 0; i < n_fields; i++)
        had[i] = fields[i].number.n;
    enum sg_json_numbers result = read_members(text, fields, n_fields);
    for (size_t i = 0; i < n_fields && result == SG_JSON_READ; i++) {
        size_t count = fields[i].number.n - had[i];
        if (count > INT32_MAX)
            return SG_JSON_OTHER;
        if (sg_push_i32(&fields[i].count, (int32_t)count) < 0)
            return SG_JSON_NO_MEMORY;
    }
    return result;
}

enum sg_json_numbers sg_json_read_table(const unsigned char *content, size_t size,
                                        struct sg_json_field *fields, size_t n_fields) {
    struct text text = {content, content + size};
    do {
        enum sg_json_numbers result = read_row(&text, fields, n_fields);
        if (result != SG_JSON_READ)
            return result;
    } while (take(&text, ','));
    return text.at == text.end ? SG_JSON_READ : SG_JSON_OTHER;
}
