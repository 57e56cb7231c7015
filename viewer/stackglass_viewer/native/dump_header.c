/* Headers are parsed word by word. A thread's header is in plain form if it is printable ASCII
 * without a backslash: then a quoted name has no escapes and ends at the next quote. */
#include "dump_header.h"

#include <string.h>

enum { MOST_DIGITS = 18, MOST_HEX_DIGITS = 16 };

struct cursor {
    const unsigned char *at, *end;
};

static int take(struct cursor *cursor, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < n || memcmp(cursor->at, word, n))
        return 0;
    cursor->at += n;
    return 1;
}

static int ends_with(const unsigned char *at, const unsigned char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(end - n, word, n);
}

static int take_number(struct cursor *cursor, int64_t *number) {
    const unsigned char *first = cursor->at;
    *number = 0;
    for (; cursor->at < cursor->end && sg_dump_is_digit(*cursor->at); cursor->at++) {
        if (cursor->at - first == MOST_DIGITS)
            return 0;
        *number = *number * 10 + (*cursor->at - '0');
    }
    return cursor->at > first;
}

/* Skip the hex digits after `0x`. Returns whether there are 1 to 16 of them. */
static int take_hex(struct cursor *cursor) {
    const unsigned char *first = cursor->at;
    while (cursor->at < cursor->end &&
           (sg_dump_is_digit(*cursor->at) || (*cursor->at >= 'a' && *cursor->at <= 'f')))
        cursor->at++;
    return cursor->at > first && cursor->at - first <= MOST_HEX_DIGITS;
}

static void add(struct sg_dump_header *header, enum sg_dump_field field, const unsigned char *at,
                const unsigned char *end, int64_t number) {
    header->parts[header->n++] = (struct sg_dump_part){field, at, end, number};
}

static void add_number(struct sg_dump_header *header, int64_t number,
                       const unsigned char *anywhere) {
    add(header, SG_DUMP_NUMBER, anywhere, anywhere, number);
}

/* Read `goroutine 18 gp=0xc000 m=0 [chan receive]:`. The words before the bracket are optional. */
static int read_goroutine(struct cursor cursor, struct sg_dump_header *header) {
    int64_t number;
    if (!take(&cursor, "goroutine ") || !take_number(&cursor, &number) || cursor.end[-1] != ':' ||
        *cursor.at != ' ')
        return 0;
    const unsigned char *open = memchr(cursor.at, '[', (size_t)(cursor.end - cursor.at));
    if (!open || open[-1] != ' ')
        return 0;
    const unsigned char *close = memchr(open, ']', (size_t)(cursor.end - open));
    if (!close)
        return 0;
    add_number(header, number, open);
    add(header, SG_DUMP_STATE, open + 1, close, 0);
    return 1;
}

static int is_plain(struct cursor cursor) {
    for (; cursor.at < cursor.end; cursor.at++)
        if (*cursor.at < ' ' || *cursor.at > '~' || *cursor.at == '\\')
            return 0;
    return 1;
}

static int take_quoted(struct cursor *cursor, struct cursor *text) {
    if (!take(cursor, "\""))
        return 0;
    const unsigned char *quote = memchr(cursor->at, '"', (size_t)(cursor->end - cursor->at));
    if (!quote)
        return 0;
    *text = (struct cursor){cursor->at, quote};
    cursor->at = quote + 1;
    return 1;
}

/* Skip a key or a value of a label, quoted or not. Returns 0 if there is none. */
static int take_word(struct cursor *cursor) {
    struct cursor text;
    if (cursor->at < cursor->end && *cursor->at == '"')
        return take_quoted(cursor, &text);
    const unsigned char *first = cursor->at;
    while (cursor->at < cursor->end && !memchr("\"{},: ", *cursor->at, 6))
        cursor->at++;
    return cursor->at > first;
}

/* Whether the text is labels in plain form: `route: /a, tenant: "two words"`. */
static int has_labels(struct cursor cursor) {
    while (cursor.at < cursor.end)
        if (!take_word(&cursor) || !take(&cursor, ": ") || !take_word(&cursor) ||
            (cursor.at < cursor.end && !take(&cursor, ", ")))
            return 0;
    return 1;
}

/* Read `idle, 5 minutes] {route: /a}:` or `idle]:`, up to the end of the line. */
static int read_state(struct cursor cursor, struct sg_dump_header *header) {
    if (!ends_with(cursor.at, cursor.end, "}:")) {
        add(header, SG_DUMP_STATE, cursor.at, cursor.end - 2, 0);
        return ends_with(cursor.at, cursor.end, "]:");
    }
    const unsigned char *close =
        memmem(cursor.at, (size_t)(cursor.end - cursor.at), "] {", strlen("] {"));
    if (!close)
        return 0;
    struct cursor labels = {close + strlen("] {"), cursor.end - strlen("}:")};
    add(header, SG_DUMP_STATE, cursor.at, close, 0);
    add(header, SG_DUMP_LABELS, labels.at, labels.end, 0);
    return has_labels(labels);
}

static int read_thread(struct cursor cursor, struct sg_dump_header *header) {
    struct cursor name, task;
    int64_t number = 0;
    int has_number = take(&cursor, "thread ");
    enum sg_dump_field field = SG_DUMP_THREAD;
    if (!has_number) {
        field = take(&cursor, "task 0x") ? SG_DUMP_TASK : SG_DUMP_GREENLET;
        if (field == SG_DUMP_GREENLET && !take(&cursor, "greenlet 0x"))
            return 0;
    }
    if (!(has_number ? take_number(&cursor, &number) : take_hex(&cursor)) || !is_plain(cursor) ||
        !take(&cursor, " ") || !take_quoted(&cursor, &name))
        return 0;
    add(header, field, name.at, name.end, 0);
    int has_task = take(&cursor, " running task ");
    if (has_task && !take_quoted(&cursor, &task))
        return 0;
    int64_t host;
    int has_host = !has_task && take(&cursor, " in thread ");
    if ((has_host && !take_number(&cursor, &host)) || !take(&cursor, " ["))
        return 0;
    if (has_number)
        add_number(header, number, cursor.at);
    if (has_task)
        add(header, SG_DUMP_TASK, task.at, task.end, 0);
    if (has_host && has_number)
        return 0; /* a header has one number in plain form */
    if (has_host)
        add_number(header, host, cursor.at);
    return read_state(cursor, header);
}

int sg_dump_header_read(enum sg_dump_form form, const unsigned char *at, const unsigned char *end,
                        struct sg_dump_header *header) {
    header->n = 0;
    struct cursor cursor = {at, end};
    return form == SG_DUMP_GOROUTINES ? read_goroutine(cursor, header)
                                      : read_thread(cursor, header);
}
