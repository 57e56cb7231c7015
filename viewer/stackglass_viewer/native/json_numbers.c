/* Numbers are parsed in the forms that almost all lists have; lists with other items are left to
 * Python's parser. */
#include <string.h>

#include "json_numbers.h"

enum { MOST_DIGITS = 18 }; /* any number of 18 digits fits an int64 */

/* Powers of ten that a double holds exactly. The quotient of an exact integer by one of them is
 * rounded once, so it is the double nearest to the decimal. */
static const double POWER[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
static const int64_t EXACT = INT64_C(1) << 53; /* a double holds all integers up to this */

struct text {
    const unsigned char *at, *end;
};

struct number {
    int64_t digits; /* all digits, also those after the point, as one integer; at least 0 */
    size_t n_decimals;
    int is_negative, is_null;
};

static void skip_space(struct text *text) {
    while (text->at < text->end &&
           (*text->at == ' ' || *text->at == '\n' || *text->at == '\r' || *text->at == '\t'))
        text->at++;
}

/* Append digits to `*value`. Returns their number, or most + 1 if there are more than `most`. */
static size_t read_digits(struct text *text, size_t most, int64_t *value) {
    size_t n = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        if (++n > most)
            return n;
        *value = *value * 10 + (*text->at - '0');
    }
    return n;
}

/* Read a number without exponent, or null. Returns 0, or -1 if the text has another form. */
static int read_number(struct text *text, struct number *number) {
    static const char NONE[4] = "null";
    *number = (struct number){0};
    if ((size_t)(text->end - text->at) >= sizeof NONE && !memcmp(text->at, NONE, sizeof NONE)) {
        number->is_null = 1;
        text->at += sizeof NONE;
        return 0;
    }
    if (text->at < text->end && *text->at == '-') {
        number->is_negative = 1;
        text->at++;
    }
    const unsigned char *first = text->at;
    size_t n = read_digits(text, MOST_DIGITS, &number->digits);
    if (n == 0 || n > MOST_DIGITS || (n > 1 && *first == '0'))
        return -1;
    if (text->at == text->end || *text->at != '.')
        return 0;
    text->at++;
    number->n_decimals = read_digits(text, MOST_DIGITS - n, &number->digits);
    return number->n_decimals == 0 || number->n_decimals > MOST_DIGITS - n ? -1 : 0;
}

/* Read the comma after an item. Returns 1, 0 if the text ends, or -1 if something else follows. */
static int read_comma(struct text *text) {
    skip_space(text);
    if (text->at == text->end)
        return 0;
    return *text->at++ == ',' ? 1 : -1;
}

enum sg_json_numbers sg_json_read_rows(const unsigned char *content, size_t size,
                                       struct sg_vector *rows) {
    struct text text = {content, content + size};
    int goes_on = 1;
    while (goes_on == 1) {
        struct number number;
        skip_space(&text);
        if (read_number(&text, &number) < 0 || number.is_negative || number.n_decimals)
            return SG_JSON_OTHER;
        if (sg_push_i64(rows, number.is_null ? -1 : number.digits) < 0)
            return SG_JSON_NO_MEMORY;
        goes_on = read_comma(&text);
    }
    return goes_on == 0 ? SG_JSON_READ : SG_JSON_OTHER;
}

enum sg_json_numbers sg_json_read_floats(const unsigned char *content, size_t size,
                                         struct sg_vector *floats) {
    struct text text = {content, content + size};
    int goes_on = 1;
    while (goes_on == 1) {
        struct number number;
        skip_space(&text);
        if (read_number(&text, &number) < 0 || (number.n_decimals && number.digits > EXACT))
            return SG_JSON_OTHER;
        double value = (double)number.digits / POWER[number.n_decimals];
        if (sg_push_f64(floats, number.is_negative ? -value : value) < 0)
            return SG_JSON_NO_MEMORY;
        goes_on = read_comma(&text);
    }
    return goes_on == 0 ? SG_JSON_READ : SG_JSON_OTHER;
}
