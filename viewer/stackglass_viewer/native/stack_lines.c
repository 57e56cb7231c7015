/* Collapsed stacks: values from the line's end, frames from its beginning. Lines often begin as the
 * one before: what is equal is compared as bytes, and not looked up. */
#include "stack_lines.h"

#include <math.h>

enum { MOST_DIGITS = 20, EXACT_DIGITS = 15 }; /* of a value's part; of a fraction's both, for C */

enum token { NO_NUMBER, NUMBER, ODD_NUMBER };

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

/* The digits of a whole number, -1 where 63 bits cannot hold it. */
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

/* Digits with a point among them, as Python's float and round read them. */
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

/* The number that ends at `*end`, with space before it; `*end` moves to where it begins. */
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

/* How many bytes two ranges have in common at their beginnings. */
static size_t match(const unsigned char *a, const unsigned char *b, size_t most) {
    size_t n = 0;
    while (n + 8 <= most && sg_text_word(a + n) == sg_text_word(b + n))
        n += 8;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Keep the frames of the line before that this one begins with; what they take of its bytes. */
static size_t keep_common(struct sg_stack_lines *stacks, const unsigned char *before,
                          const unsigned char *names, size_t n) {
    const int32_t *ends = sg_i32(&stacks->ends);
    size_t n_before = stacks->ends.n ? (size_t)ends[stacks->ends.n - 1] : 0, n_kept = 0;
    size_t n_equal = match(before, names, n < n_before ? n : n_before);
    while (n_kept < stacks->ends.n && (size_t)ends[n_kept] < n_equal)
        n_kept++;
    stacks->ends.n = stacks->open.n = n_kept;
    return n_kept ? (size_t)ends[n_kept - 1] + 1 : 0;
}

static int split_frames(struct sg_stack_lines *stacks, size_t before, size_t begin, size_t end) {
    const unsigned char *text = stacks->lines.text;
    size_t at = begin + keep_common(stacks, text + before, text + begin, end - begin);
    for (;;) {
        const unsigned char *found = memchr(text + at, ';', end - at);
        size_t frame_end = found ? (size_t)(found - text) : end;
        int32_t piece = sg_text_pieces_number(&stacks->pieces, at, frame_end - at);
        if (piece < 0 || sg_push_i32(&stacks->open, piece) < 0 ||
            sg_push_i32(&stacks->ends, (int32_t)(frame_end - begin)) < 0)
            return -1;
        if (!found)
            return 0;
        at = frame_end + 1;
    }
}

/* The stack of a line without frames is one of its own. */
static int put_none(struct sg_stack_lines *stacks, size_t begin) {
    stacks->ends.n = stacks->open.n = 0;
    if (stacks->none < 0)
        stacks->none = sg_text_pieces_push(&stacks->pieces, begin, 0);
    return stacks->none < 0 ? -1 : sg_push_i32(&stacks->stack, stacks->none);
}

static int push_stack(struct sg_stack_lines *stacks) {
    size_t n = stacks->open.n;
    if (sg_reserve(&stacks->stack, n, sizeof(int32_t)) < 0)
        return -1;
    const int32_t *open = sg_i32(&stacks->open);
    int32_t *stack = sg_i32(&stacks->stack) + stacks->stack.n;
    for (size_t i = 0; i < n; i++)
        stack[i] = open[n - 1 - i];
    stacks->stack.n += n;
    return 0;
}

static int push_odd(struct sg_stack_lines *stacks) {
    const struct sg_text_lines *lines = &stacks->lines;
    if (sg_push_i64(&stacks->odd_row, (int64_t)stacks->values[0].n) < 0 ||
        sg_push_i64(&stacks->odd_begin, (int64_t)lines->begin) < 0)
        return -1;
    return sg_push_i64(&stacks->odd_end, (int64_t)lines->end);
}

static size_t skip_space_back(const unsigned char *text, size_t begin, size_t end) {
    while (end > begin && is_space(text[end - 1]))
        end--;
    return end;
}

/* The values of a line from its last one on; `*end` moves to where its names end. 0, or -1 if it is
 * no stack. */
static int read_values(struct sg_stack_lines *stacks, size_t begin, size_t *end, int n_values,
                       struct number *numbers, int *is_odd) {
    for (int i = n_values; i-- > 0;) {
        enum token token;
        *end = skip_space_back(stacks->lines.text, begin, *end);
        token = read_number(stacks->lines.text, begin, end, &numbers[i]);
        if (token == NO_NUMBER)
            return -1;
        *is_odd |= token == ODD_NUMBER;
        stacks->has_fractions |= numbers[i].has_fraction;
    }
    *end -= 1; /* one space; more belong to the last name */
    return 0;
}

/* Read the line that `lines` is at. `*before`: where the names begin whose frames are open. 0, or
 * -1 if it is out of memory. */
static int read_line(struct sg_stack_lines *stacks, int n_values, size_t *before) {
    const struct sg_text_lines *lines = &stacks->lines;
    size_t begin = lines->begin, end = lines->end;
    struct number numbers[SG_MOST_STACK_VALUES];
    int is_odd = 0;
    if (skip_space_back(lines->text, begin, end) == begin || lines->text[begin] == '#')
        return 0;
    if (read_values(stacks, begin, &end, n_values, numbers, &is_odd) < 0) {
        stacks->has_misfit = 1;
        return 0;
    }
    if (is_odd && push_odd(stacks) < 0)
        return -1;
    for (int i = 0; i < n_values; i++)
        if (sg_push_i64(&stacks->values[i], numbers[i].value) < 0)
            return -1;
    if (end == begin) {
        if (put_none(stacks, begin) < 0)
            return -1;
    } else if (split_frames(stacks, *before, begin, end) < 0 || push_stack(stacks) < 0) {
        return -1;
    }
    *before = begin;
    return sg_push_i64(&stacks->stack_start, (int64_t)stacks->stack.n);
}

int sg_stack_lines_read(struct sg_stack_lines *stacks, const unsigned char *text, size_t size,
                        int n_values, struct sg_progress *progress) {
    size_t before = 0;
    *stacks = (struct sg_stack_lines){.none = -1, .is_out_of_memory = 1};
    sg_text_lines_init(&stacks->lines, text, size, progress);
    if (sg_text_pieces_init(&stacks->pieces, text) < 0 || sg_push_i64(&stacks->stack_start, 0) < 0)
        return -1;
    while (!stacks->has_misfit && sg_text_lines_next(&stacks->lines))
        if (read_line(stacks, n_values, &before) < 0)
            return -1;
    stacks->is_out_of_memory = 0;
    return stacks->lines.is_stopped ? -1 : 0;
}

void sg_stack_lines_free(struct sg_stack_lines *stacks) {
    sg_text_pieces_free(&stacks->pieces);
    for (int i = 0; i < SG_MOST_STACK_VALUES; i++)
        sg_release(&stacks->values[i]);
    struct sg_vector *const columns[] = {
        &stacks->stack_start, &stacks->stack, &stacks->odd_row, &stacks->odd_begin,
        &stacks->odd_end,     &stacks->ends,  &stacks->open,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}
