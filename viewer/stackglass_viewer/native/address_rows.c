/* Rows in plain form are parsed here. The reading ends at any other line: Python reads that line
 * and reports what is wrong with it. */
#include "address_rows.h"
#include "hex_digits.h"

enum { MOST_DIGITS = 18, MOST_COMMENTS = 10000, MOST_VALUES = 4, FEWEST_ADDRESS_BYTES = 4 };
enum step { NO_MEMORY = -1, FOREIGN, TAKEN }; /* FOREIGN: the line ends the reading */

static const size_t N_VALUES[SG_ADDRESS_FORMS] = {
    [SG_COUNT_ROWS] = 1,    [SG_CONTENTION_ROWS] = 2, [SG_HEAP_ROWS] = 4,
    [SG_JEMALLOC_ROWS] = 4, [SG_JAVA_ROWS] = 2,
};

struct cursor {
    const unsigned char *at, *end;
};

static int is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static int take(struct cursor *cursor, unsigned char letter) {
    if (cursor->at == cursor->end || *cursor->at != letter)
        return 0;
    cursor->at++;
    return 1;
}

static size_t take_spaces(struct cursor *cursor) {
    const unsigned char *first = cursor->at;
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
    return (size_t)(cursor->at - first);
}

static int take_number(struct cursor *cursor, int64_t *number) {
    const unsigned char *first = cursor->at;
    int64_t value = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++) {
        if (cursor->at - first == MOST_DIGITS)
            return 0;
        value = value * 10 + (*cursor->at - '0');
    }
    *number = value;
    return cursor->at > first;
}

/* Read `2: 4096 [3: 6144]`. Returns whether the text is four numbers in this form, none of the byte
 * counts without its object count. */
static int take_four(struct cursor *cursor, int64_t *value) {
    if (!take_number(cursor, &value[0]) || !take(cursor, ':'))
        return 0;
    take_spaces(cursor);
    if (!take_number(cursor, &value[1]))
        return 0;
    take_spaces(cursor);
    if (!take(cursor, '['))
        return 0;
    take_spaces(cursor);
    if (!take_number(cursor, &value[2]) || !take(cursor, ':'))
        return 0;
    take_spaces(cursor);
    if (!take_number(cursor, &value[3]))
        return 0;
    take_spaces(cursor);
    return take(cursor, ']') && (value[0] || !value[1]) && (value[2] || !value[3]);
}

/* Read the numbers before the `@` of a row. Returns how many there are; 0 = not in plain form. */
static size_t take_values(struct cursor *cursor, enum sg_address_form form, int64_t *value) {
    if (form == SG_HEAP_ROWS)
        return take_four(cursor, value) && take(cursor, ' ') ? 4 : 0;
    if (!take_number(cursor, &value[0]))
        return 0;
    size_t n_spaces = take_spaces(cursor);
    if (form == SG_COUNT_ROWS)
        return n_spaces == 1;
    return n_spaces && take_number(cursor, &value[1]) && take(cursor, ' ') ? 2 : 0;
}

/* Append the numbers of the addresses in ` 0x10 0x20`, up to the end of the line. Returns FOREIGN
 * if the text has another form; it may then have numbered the first of them. */
static enum step append_addresses(struct sg_address_rows *rows, struct cursor cursor) {
    struct sg_vector *address = &rows->address;
    const unsigned char *at = cursor.at, *end = cursor.end;
    if (sg_reserve(address, (size_t)(end - at) / FEWEST_ADDRESS_BYTES, sizeof(int32_t)) < 0)
        return NO_MEMORY;
    int32_t *next = sg_i32(address) + address->n;
    while (at < end) {
        const unsigned char *space = at;
        while (at < end && *at == ' ')
            at++;
        if (at == space || end - at < 3 || at[0] != '0' || at[1] != 'x')
            return FOREIGN;
        const unsigned char *first = at += 2;
        uint64_t value;
        at = sg_read_hex_digits(first, end, &value);
        if (at == first || at - first > SG_MOST_HEX_DIGITS)
            return FOREIGN;
        if ((*next++ = sg_address_numbers_number(&rows->addresses, value)) < 0)
            return NO_MEMORY;
    }
    address->n = (size_t)(next - sg_i32(address));
    return TAKEN;
}

/* Begin a row with the addresses in `cursor`. */
static enum step begin_row(struct sg_address_rows *rows, struct cursor cursor) {
    size_t n_different = rows->addresses.different.n;
    enum step step = append_addresses(rows, cursor);
    if (step == FOREIGN) /* nothing looks for an address anymore */
        rows->addresses.different.n = n_different;
    if (step != TAKEN)
        return step;
    rows->row_different = n_different;
    rows->row_at = rows->lines.begin;
    rows->row_number = rows->lines.number;
    return TAKEN;
}

static enum step end_row(struct sg_address_rows *rows, const int64_t *value, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (sg_push_i64(&rows->value, value[i]) < 0)
            return NO_MEMORY;
    return sg_push_i64(&rows->address_end, (int64_t)rows->address.n) < 0 ||
                   sg_push_i64(&rows->comment_end, (int64_t)rows->comment.n) < 0
               ? NO_MEMORY
               : TAKEN;
}

static enum step read_row(struct sg_address_rows *rows, struct cursor cursor) {
    int64_t value[MOST_VALUES];
    size_t n = take_values(&cursor, rows->form, value);
    if (!n || !take(&cursor, '@'))
        return FOREIGN;
    enum step step = begin_row(rows, cursor);
    return step == TAKEN ? end_row(rows, value, n) : step;
}

/* Whether a line is jemalloc's sum for one thread, `t7: 13: 6688 [0: 0]`. Such lines are skipped.
 */
static int is_of_thread(struct cursor cursor) {
    int64_t number;
    if (!take(&cursor, 't') || !take_number(&cursor, &number) || !take(&cursor, ':'))
        return 0;
    for (; cursor.at < cursor.end; cursor.at++)
        if (!memchr("0123456789 :[]", *cursor.at, 14))
            return 0;
    return 1;
}

/* Read a line of a jemalloc row: the stack, then the sum over all threads, then each thread's. */
static enum step read_jemalloc(struct sg_address_rows *rows, struct cursor cursor) {
    int64_t value[MOST_VALUES];
    size_t n_stacks = rows->address_end.n;
    int64_t ended = n_stacks ? sg_i64(&rows->address_end)[n_stacks - 1] : 0;
    int is_open = (int64_t)rows->address.n > ended;
    if (!is_open && is_of_thread(cursor))
        return TAKEN;
    if (!is_open && take(&cursor, '@') && cursor.at < cursor.end)
        return begin_row(rows, cursor);
    if (!is_open || !take(&cursor, 't') || !take(&cursor, '*') || !take(&cursor, ':'))
        return FOREIGN;
    take_spaces(&cursor);
    if (!take_four(&cursor, value) || cursor.at < cursor.end)
        return FOREIGN;
    return end_row(rows, value, 4);
}

/* Read a row of Java, whose line has only spaces before it. */
static enum step read_java(struct sg_address_rows *rows, struct cursor cursor) {
    int64_t value[2];
    take_spaces(&cursor);
    if (!take_number(&cursor, &value[0]) || !take_spaces(&cursor) ||
        !take_number(&cursor, &value[1]) || !value[1] || !take_spaces(&cursor) ||
        !take(&cursor, '@') || cursor.at == cursor.end)
        return FOREIGN;
    enum step step = begin_row(rows, cursor);
    return step == TAKEN ? end_row(rows, value, 2) : step;
}

/* Whether a comment names a frame, `#\t0x10\tname\tfile:1`, or labels. Others are dropped. */
static int is_kept(struct cursor cursor) {
    static const char LABELS[10] = "# labels: ";
    if ((size_t)(cursor.end - cursor.at) >= sizeof LABELS &&
        !memcmp(cursor.at, LABELS, sizeof LABELS))
        return 1;
    const unsigned char *first = ++cursor.at;
    while (cursor.at < cursor.end && is_space(*cursor.at))
        cursor.at++;
    return cursor.at > first && take(&cursor, '0') && take(&cursor, 'x');
}

/* Prepare the guesses for the comments of the last row, which follow. */
static int expect_comments(struct sg_address_rows *rows) {
    size_t n_rows = rows->address_end.n;
    int64_t begin = n_rows > 1 ? sg_i64(&rows->address_end)[n_rows - 2] : 0;
    int64_t end = sg_i64(&rows->address_end)[n_rows - 1];
    return sg_comment_guesses_begin(&rows->guesses, &rows->pieces, sg_i32(&rows->address) + begin,
                                    (size_t)(end - begin));
}

/* Return the number of a comment, which is parsed if it is new; -1 = memory is short. */
static int32_t number_comment(struct sg_address_rows *rows, struct cursor cursor) {
    size_t begin = (size_t)(cursor.at - rows->lines.text), n = (size_t)(cursor.end - cursor.at);
    int32_t piece = sg_comment_guesses_take(&rows->guesses, &rows->pieces, begin, n);
    if (piece >= 0)
        return piece;
    piece = sg_text_pieces_number(&rows->pieces, begin, n);
    if (piece < 0 || ((size_t)piece == rows->frames.name.n &&
                      sg_frame_comments_add(&rows->frames, cursor.at, cursor.end) < 0))
        return -1;
    uint64_t address = sg_u64(&rows->frames.address)[piece];
    const uint64_t *different = sg_u64(&rows->addresses.different);
    return sg_comment_guesses_learn(&rows->guesses, different, piece, address) < 0 ? -1 : piece;
}

static enum step read_comment(struct sg_address_rows *rows, struct cursor cursor) {
    size_t n_rows = rows->comment_end.n;
    if (!n_rows || !is_kept(cursor))
        return TAKEN;
    int64_t before = n_rows > 1 ? sg_i64(&rows->comment_end)[n_rows - 2] : 0;
    if ((int64_t)rows->comment.n - before >= MOST_COMMENTS)
        return TAKEN;
    if ((int64_t)rows->comment.n == before && expect_comments(rows) < 0)
        return NO_MEMORY;
    int32_t piece = number_comment(rows, cursor);
    if (piece < 0 || sg_push_i32(&rows->comment, piece) < 0)
        return NO_MEMORY;
    sg_i64(&rows->comment_end)[n_rows - 1]++;
    return TAKEN;
}

static enum step read_line(struct sg_address_rows *rows, struct cursor cursor) {
    const struct cursor whole = cursor;
    while (cursor.at < cursor.end && is_space(*cursor.at))
        cursor.at++;
    while (cursor.at < cursor.end && is_space(cursor.end[-1]))
        cursor.end--;
    if (cursor.at == cursor.end)
        return TAKEN;
    if (rows->form == SG_JAVA_ROWS)
        return read_java(rows, (struct cursor){whole.at, cursor.end});
    if (rows->form == SG_JEMALLOC_ROWS)
        return *cursor.at == '#' ? TAKEN : read_jemalloc(rows, cursor);
    return *cursor.at == '#' ? read_comment(rows, cursor) : read_row(rows, cursor);
}

/* Remove the last row and end the reading before it. `is_ended`: the row is complete; otherwise
 * only its addresses have been read. */
static void drop_row(struct sg_address_rows *rows, int is_ended) {
    size_t n = rows->address_end.n;
    if (is_ended) {
        rows->value.n -= N_VALUES[rows->form];
        rows->address_end.n = rows->comment_end.n = --n;
    }
    rows->address.n = n ? (size_t)sg_i64(&rows->address_end)[n - 1] : 0;
    rows->addresses.different.n = rows->row_different;
    rows->comment.n = n ? (size_t)sg_i64(&rows->comment_end)[n - 1] : 0;
    rows->at = rows->row_at;
    rows->number = rows->row_number - 1;
}

/* End the reading before the line that `lines` is at. */
static void end_before(struct sg_address_rows *rows) {
    const struct sg_text_lines *lines = &rows->lines;
    size_t n = rows->address_end.n;
    size_t n_ended = n ? (size_t)sg_i64(&rows->address_end)[n - 1] : 0;
    rows->at = lines->begin;
    rows->number = lines->number - 1;
    if (rows->address.n > n_ended)
        drop_row(rows, 0);
    else if (n && lines->refused_bytes) /* the refused line may be a comment of the last row */
        drop_row(rows, 1);
}

int sg_address_rows_read(struct sg_address_rows *rows, enum sg_address_form form,
                         const unsigned char *text, size_t size, size_t at, int64_t number,
                         struct sg_progress *progress) {
    *rows = (struct sg_address_rows){.form = form};
    struct sg_text_lines *lines = &rows->lines;
    sg_text_lines_init(lines, text, size, progress);
    lines->at = lines->reported = at;
    lines->number = number;
    if (sg_text_pieces_init(&rows->pieces, text) < 0 ||
        sg_frame_comments_init(&rows->frames, text) < 0 ||
        sg_address_numbers_init(&rows->addresses) < 0)
        return NO_MEMORY;
    sg_comment_guesses_init(&rows->guesses);
    while (sg_text_lines_next(lines)) {
        struct cursor cursor = {text + lines->begin, text + lines->end};
        enum step step = lines->refused_bytes ? FOREIGN : read_line(rows, cursor);
        if (step == NO_MEMORY)
            return NO_MEMORY;
        if (step == FOREIGN) {
            end_before(rows);
            return 0;
        }
    }
    lines->begin = lines->at;
    lines->number++;
    end_before(rows);
    return lines->is_stopped ? -2 : 0;
}

void sg_address_rows_free(struct sg_address_rows *rows) {
    sg_text_pieces_free(&rows->pieces);
    sg_frame_comments_free(&rows->frames);
    sg_comment_guesses_free(&rows->guesses);
    sg_address_numbers_free(&rows->addresses);
    sg_release(&rows->value);
    sg_release(&rows->address);
    sg_release(&rows->address_end);
    sg_release(&rows->comment);
    sg_release(&rows->comment_end);
}
