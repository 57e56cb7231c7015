/* Each line is parsed from its end, because a frame's name may contain spaces and digits. */
#include "stack_lines.h"

#include <math.h>

enum {
    MOST_DIGITS = 20,  /* before the point, and after it; more digits are not a number */
    EXACT_DIGITS = 15, /* a double holds every decimal integer of 15 digits exactly */
};

enum token { NO_NUMBER, NUMBER, ODD_NUMBER }; /* an odd number is read by Python */

struct number {
    int64_t value;
    int has_fraction;
};

static const double POWERS[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static int is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

static int is_space(unsigned char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static size_t skip_digits_back(const unsigned char *text, size_t begin, size_t end) {
    while (end > begin && is_digit(text[end - 1]))
        end--;
    return end;
}

/* Return the value of `n` digits; -1 if it does not fit in 63 bits. */
static int64_t read_digits(const unsigned char *at, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = at[i] - (uint64_t)'0';
        if (sum > (INT64_MAX - digit) / 10)
            return -1;
        sum = sum * 10 + digit;
    }
    return (int64_t)sum;
}

/* Read digits with a point among them, with the result of Python's round(float(text)). */
static enum token read_fraction(const unsigned char *at, size_t n_whole, size_t n_part,
                                struct number *number) {
    number->has_fraction = 1;
    if (n_whole + n_part > EXACT_DIGITS)
        return ODD_NUMBER;
    double digits = (double)read_digits(at, n_whole) * POWERS[n_part];
    digits += (double)read_digits(at + n_whole + 1, n_part);
    number->value = llrint(digits / POWERS[n_part]);
    return NUMBER;
}

/* Read the number that ends at `*end` and has white space before it. Moves `*end` to its start. */
static enum token read_number(const unsigned char *text, size_t begin, size_t *end,
                              struct number *number) {
    size_t first = skip_digits_back(text, begin, *end), n_part = 0, n_whole = *end - first;
    if (first > begin && text[first - 1] == '.') {
        size_t point = first - 1;
        n_part = n_whole;
        first = skip_digits_back(text, begin, point);
        n_whole = point - first;
        if (n_part == 0)
            return NO_NUMBER;
    }
    int is_negative = first > begin && text[first - 1] == '-';
    size_t start = first - (size_t)is_negative;
    if (n_whole == 0 || n_whole > MOST_DIGITS || n_part > MOST_DIGITS || start == begin ||
        !is_space(text[start - 1]))
        return NO_NUMBER;
    enum token result = NUMBER;
    *end = start;
    *number = (struct number){0};
    if (n_part)
        result = read_fraction(text + first, n_whole, n_part, number);
    else if ((number->value = read_digits(text + first, n_whole)) < 0)
        result = ODD_NUMBER;
    if (result == ODD_NUMBER)
        number->value = 0;
    if (is_negative)
        number->value = -number->value;
    return result;
}

/* Add the stack of a line without frames: one frame with an empty name. Returns 0, or -1 if memory
 * is short. */
static int push_none(struct sg_stack_lines *rows, size_t begin) {
    if (rows->none < 0)
        rows->none = sg_text_pieces_push(&rows->stacks.frames, begin, 0);
    if (rows->none < 0 || sg_push_i32(&rows->stacks.stack, rows->none) < 0)
        return -1;
    return sg_text_stacks_end(&rows->stacks);
}

/* Record where the current line is, for Python. Returns 0, or -1 if memory is short. */
static int push_odd(struct sg_stack_lines *rows) {
    const struct sg_text_lines *lines = &rows->lines;
    if (sg_push_i64(&rows->odd_row, (int64_t)rows->values[0].n) < 0 ||
        sg_push_i64(&rows->odd_begin, (int64_t)lines->begin) < 0)
        return -1;
    return sg_push_i64(&rows->odd_end, (int64_t)lines->end);
}

static size_t skip_space_back(const unsigned char *text, size_t begin, size_t end) {
    while (end > begin && is_space(text[end - 1]))
        end--;
    return end;
}

/* Read the values of a line, the last one first. Moves `*end` to where the stack ends. Returns 0,
 * or -1 if a value is missing. */
static int read_values(struct sg_stack_lines *rows, size_t begin, size_t *end, int n_values,
                       struct number *numbers, int *is_odd) {
    for (int i = n_values; i-- > 0;) {
        enum token token;
        *end = skip_space_back(rows->lines.text, begin, *end);
        token = read_number(rows->lines.text, begin, end, &numbers[i]);
        if (token == NO_NUMBER)
            return -1;
        *is_odd |= token == ODD_NUMBER;
        rows->has_fractions |= numbers[i].has_fraction;
    }
    *end -= 1; /* one space or tab separates the stack; others belong to the last frame's name */
    return 0;
}

/* Read the line that `lines` is at. Returns 0, or -1 if memory is short. */
static int read_line(struct sg_stack_lines *rows, int n_values) {
    const struct sg_text_lines *lines = &rows->lines;
    size_t begin = lines->begin, end = lines->end;
    struct number numbers[SG_MOST_STACK_VALUES];
    int is_odd = 0;
    if (skip_space_back(lines->text, begin, end) == begin || lines->text[begin] == '#')
        return 0;
    if (read_values(rows, begin, &end, n_values, numbers, &is_odd) < 0) {
        rows->has_misfit = 1;
        return 0;
    }
    if (is_odd && push_odd(rows) < 0)
        return -1;
    for (int i = 0; i < n_values; i++)
        if (sg_push_i64(&rows->values[i], numbers[i].value) < 0)
            return -1;
    return end == begin ? push_none(rows, begin) : sg_text_stacks_split(&rows->stacks, begin, end);
}

int sg_stack_lines_read(struct sg_stack_lines *rows, const unsigned char *text, size_t size,
                        int n_values, struct sg_progress *progress) {
    *rows = (struct sg_stack_lines){.none = -1, .is_out_of_memory = 1};
    sg_text_lines_init(&rows->lines, text, size, progress);
    if (sg_text_stacks_init(&rows->stacks, text) < 0)
        return -1;
    while (!rows->has_misfit && sg_text_lines_next(&rows->lines))
        if (read_line(rows, n_values) < 0)
            return -1;
    rows->is_out_of_memory = 0;
    return rows->lines.is_stopped ? -1 : 0;
}

void sg_stack_lines_free(struct sg_stack_lines *rows) {
    sg_text_stacks_free(&rows->stacks);
    for (int i = 0; i < SG_MOST_STACK_VALUES; i++)
        sg_release(&rows->values[i]);
    sg_release(&rows->odd_row);
    sg_release(&rows->odd_begin);
    sg_release(&rows->odd_end);
}
