/* Lines by their first and last letters: what is called with what, is passed over. */
#include "dump_lines.h"

enum { MOST_DIGITS = 18 };

/* White space of ASCII, as Python's str has it. */
static int is_space(unsigned char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r') || (letter >= 28 && letter <= 31);
}

static int begins(const unsigned char *at, const unsigned char *end, const char *word, size_t n) {
    return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

static int push(struct sg_dump_lines *dump, enum sg_dump_kind kind, struct sg_text_pieces *pieces,
                const unsigned char *at, const unsigned char *end) {
    int32_t piece = 0;
    if (pieces && (piece = sg_text_pieces_number(pieces, (size_t)(at - dump->lines.text),
                                                 (size_t)(end - at))) < 0)
        return -1;
    if (sg_reserve(&dump->kind, 1, 1) < 0)
        return -1;
    dump->kind.data[dump->kind.n++] = (char)kind;
    return sg_push_i32(&dump->piece, piece);
}

/* `goroutine 18 [chan receive]:`: 1 if it is one, 0 if not, -1 = no memory. */
static int push_header(struct sg_dump_lines *dump, const unsigned char *at,
                       const unsigned char *end) {
    static const char WORD[10] = "goroutine ";
    if (!begins(at, end, WORD, sizeof WORD) || !begins(end - 2, end, "]:", 2))
        return 0;
    int64_t number = 0;
    const unsigned char *first = at += sizeof WORD;
    for (; at < end && *at >= '0' && *at <= '9' && at - first < MOST_DIGITS; at++)
        number = number * 10 + (*at - '0');
    if (at == first || !begins(at, end, " [", 2))
        return 0;
    at += 2;
    end -= 2;
    if (at > end || memchr(at, ']', (size_t)(end - at)))
        return 0;
    return sg_push_i64(&dump->number, number) < 0 ||
                   push(dump, SG_DUMP_HEADER, &dump->states, at, end) < 0
               ? -1
               : 1;
}

/* Whether a line may be something else than a call, whatever is at its end. */
static int is_ambiguous(const unsigned char *at, const unsigned char *end) {
    static const char *const WORDS[] = {"created by", "...", "thread ", "task ", "greenlet "};
    if (is_space(*at) || *at >= 0x80)
        return 1;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (begins(at, end, WORDS[i], strlen(WORDS[i])))
            return 1;
    return 0;
}

/* Where the arguments of `main.worker(0xc000012345, ...)` begin; NULL = it is no call. */
static const unsigned char *find_arguments(const unsigned char *at, const unsigned char *end) {
    if (end[-1] != ')' || is_ambiguous(at, end))
        return NULL;
    const unsigned char *bracket = end - 1;
    while (bracket > at && bracket[-1] != '(' && bracket[-1] != ')')
        bracket--;
    return bracket > at + 1 && bracket[-1] == '(' ? bracket - 1 : NULL;
}

static int read_line(struct sg_dump_lines *dump, const unsigned char *at, const unsigned char *end,
                     int has_goroutines) {
    while (end > at && is_space(end[-1]))
        end--;
    if (at == end)
        return push(dump, SG_DUMP_END, NULL, at, end);
    int result = has_goroutines ? push_header(dump, at, end) : 0;
    if (result)
        return result < 0 ? -1 : 0;
    const unsigned char *arguments = find_arguments(at, end);
    if (arguments)
        return push(dump, SG_DUMP_CALL, &dump->calls, at, arguments);
    return push(dump, SG_DUMP_OTHER, &dump->others, at, end);
}

int sg_dump_lines_read(struct sg_dump_lines *dump, const unsigned char *text, size_t size,
                       int has_goroutines, struct sg_progress *progress) {
    *dump = (struct sg_dump_lines){0};
    struct sg_text_lines *lines = &dump->lines;
    sg_text_lines_init(lines, text, size, progress);
    if (sg_text_pieces_init(&dump->states, text) < 0 ||
        sg_text_pieces_init(&dump->calls, text) < 0 || sg_text_pieces_init(&dump->others, text) < 0)
        return -1;
    while (sg_text_lines_next(lines))
        if (read_line(dump, text + lines->begin, text + lines->end, has_goroutines) < 0)
            return -1;
    return lines->is_stopped ? -2 : 0;
}

void sg_dump_lines_free(struct sg_dump_lines *dump) {
    sg_text_pieces_free(&dump->states);
    sg_text_pieces_free(&dump->calls);
    sg_text_pieces_free(&dump->others);
    sg_release(&dump->kind);
    sg_release(&dump->piece);
    sg_release(&dump->number);
}
