/* The kind of a line is recognized by its first and last letters. Arguments of calls and offsets
 * after places, in which most lines differ, are skipped, so that calls and places repeat. */
#include "dump_stacks.h"

#include <string.h>

enum { MOST_LINE_DIGITS = 9 };
enum { GO_ON = 0, NO_MEMORY = -1, STOPPED = -2 };

static int begins(const unsigned char *at, const unsigned char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

static int ends(const unsigned char *at, const unsigned char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(end - n, word, n);
}

static int32_t number(const struct sg_dump *dump, struct sg_text_pieces *pieces,
                      const unsigned char *at, const unsigned char *end) {
    return sg_text_pieces_number(pieces, (size_t)(at - dump->lines.text), (size_t)(end - at));
}

static int32_t current_stack(const struct sg_dump *dump) {
    return (int32_t)(dump->stack_start.n - 1);
}

/* Record the stack in which frame or field `number` comes first. Returns 0; -1 = memory is short.
 */
static int note_first(const struct sg_dump *dump, struct sg_vector *first_stack, int32_t number) {
    return (size_t)number == first_stack->n ? sg_push_i32(first_stack, current_stack(dump)) : 0;
}

static int add_frame(struct sg_dump *dump, int32_t call, int32_t place) {
    int32_t frame = sg_number_pairs_number(&dump->frames, call, place);
    return frame < 0 || note_first(dump, &dump->frame_stack, frame) < 0 ||
                   sg_push_i32(&dump->stack, frame) < 0
               ? NO_MEMORY
               : GO_ON;
}

static int add_label(struct sg_dump *dump, enum sg_dump_field field, int32_t text, int64_t value) {
    int32_t of = text < 0 ? -1 : sg_number_pairs_number(&dump->fields, text, (int32_t)field);
    return of < 0 || note_first(dump, &dump->field_stack, of) < 0 ||
                   sg_push_i32(&dump->label_stack, current_stack(dump)) < 0 ||
                   sg_push_i32(&dump->label_field, of) < 0 ||
                   sg_push_i64(&dump->label_number, value) < 0
               ? NO_MEMORY
               : GO_ON;
}

/* Return the place that `call` had the last time; negative = it had none in plain form. */
static int32_t guess_place(const struct sg_dump *dump, int32_t call) {
    int32_t frame = sg_number_pairs_last(&dump->frames, call);
    return frame < 0 ? -1 : sg_i32(&dump->frames.pair)[2 * (size_t)frame + 1];
}

static int begin_stack(struct sg_dump *dump) {
    dump->is_open = 1;
    dump->has_call = 0;
    if (dump->stack_start.n == INT32_MAX)
        return NO_MEMORY;
    return sg_push_i64(&dump->stack_start, (int64_t)dump->stack.n) < 0 ? NO_MEMORY : GO_ON;
}

static int add_call(struct sg_dump *dump, int32_t call) {
    int32_t place = guess_place(dump, call);
    if (place >= 0) /* the next line is compared with it */
        __builtin_prefetch(sg_text_pieces_bytes(&dump->places, (size_t)place));
    dump->call = call;
    dump->has_call = 1;
    return GO_ON;
}

/* Add the frame that a place makes with the call right before it. A place without one is dropped.
 */
static int add_place(struct sg_dump *dump, int32_t place) {
    if (!dump->has_call)
        return GO_ON;
    dump->has_call = 0;
    return add_frame(dump, dump->call, place);
}

/* Ask the host for the kind of an odd line, once for equal lines, and process the line. */
static int read_odd(struct sg_dump *dump, const unsigned char *at, const unsigned char *end) {
    int32_t odd = number(dump, &dump->odd, at, end);
    if (odd < 0)
        return NO_MEMORY;
    if ((size_t)odd == dump->odd_kind.n) {
        const unsigned char *text = dump->lines.text;
        int kind = dump->host->read_line(dump->host, (size_t)(at - text), (size_t)(end - text));
        if (kind < 0)
            return STOPPED;
        if (sg_push_i32(&dump->odd_kind, kind) < 0)
            return NO_MEMORY;
    }
    int32_t kind = sg_i32(&dump->odd_kind)[odd];
    if (kind == SG_DUMP_IS_HEADER)
        return begin_stack(dump) < 0 ? NO_MEMORY : add_label(dump, SG_DUMP_ODD, odd, 0);
    if (kind == SG_DUMP_IS_END)
        dump->is_open = 0;
    if (!dump->is_open)
        return GO_ON;
    switch (kind) {
    case SG_DUMP_IS_CALL:
        return add_call(dump, -1 - odd);
    case SG_DUMP_IS_PLACE:
        return add_place(dump, -1 - odd);
    case SG_DUMP_IS_CREATOR:
        return add_label(dump, SG_DUMP_ODD, odd, 0);
    case SG_DUMP_IS_ELIDED:
        return add_frame(dump, SG_DUMP_ELIDED_FRAME, SG_DUMP_ELIDED_FRAME);
    default:
        return GO_ON;
    }
}

static int add_header(struct sg_dump *dump, const struct sg_dump_header *header) {
    int result = begin_stack(dump);
    for (size_t i = 0; result == GO_ON && i < header->n; i++) {
        const struct sg_dump_part *part = &header->parts[i];
        int32_t text = number(dump, &dump->texts, part->at, part->end);
        result = add_label(dump, part->field, text, part->number);
    }
    return result;
}

/* Guess that `call` has the same place as the last time. Returns its frame, or -1 if the text at
 * `file` is another place. */
static int32_t guess_frame(const struct sg_dump *dump, const unsigned char *file,
                           const unsigned char *end) {
    int32_t place = dump->has_call ? guess_place(dump, dump->call) : -1;
    if (place < 0)
        return -1;
    size_t n = (size_t)sg_i32(&dump->places.length)[place],
           begin = (size_t)(file - dump->lines.text);
    if ((size_t)(end - file) < n || !sg_text_pieces_is(&dump->places, place, begin, n))
        return -1;
    const unsigned char *behind = file + n;
    if (behind < end && (*behind != ' ' || memchr(behind, ':', (size_t)(end - behind))))
        return -1;
    return sg_number_pairs_last(&dump->frames, dump->call);
}

/* Read `\t/src/main.go:230 +0x58`. The line number follows the last colon. */
static int read_place(struct sg_dump *dump, const unsigned char *at, const unsigned char *end) {
    const unsigned char *file = at + 1;
    int32_t frame = guess_frame(dump, file, end);
    if (frame >= 0) {
        dump->has_call = 0;
        return sg_push_i32(&dump->stack, frame) < 0 ? NO_MEMORY : GO_ON;
    }
    const unsigned char *colon = memrchr(file, ':', (size_t)(end - file));
    if (!colon || colon == file)
        return read_odd(dump, at, end);
    const unsigned char *digits = colon + 1, *behind = digits;
    while (behind < end && sg_dump_is_digit(*behind))
        behind++;
    if (behind == digits || behind - digits > MOST_LINE_DIGITS || (behind < end && *behind != ' '))
        return read_odd(dump, at, end);
    if (!dump->has_call)
        return GO_ON;
    int32_t place = number(dump, &dump->places, file, behind);
    return place < 0 ? NO_MEMORY : add_place(dump, place);
}

static int is_ascii(const unsigned char *at, const unsigned char *end) {
    for (; at < end; at++)
        if (*at >= 0x80)
            return 0;
    return 1;
}

/* Return the end of the function's name in `created by main.start in goroutine 1`; the name begins
 * at `name`, the line ends at `end`. */
static const unsigned char *cut_number(const unsigned char *name, const unsigned char *end) {
    static const char *const WORDS[] = {" in goroutine ", " in thread "};
    const unsigned char *digits = end;
    while (digits > name && sg_dump_is_digit(digits[-1]))
        digits--;
    for (size_t i = 0; digits < end && i < sizeof WORDS / sizeof *WORDS; i++)
        if (ends(name, digits, WORDS[i]) && digits - name > (ptrdiff_t)strlen(WORDS[i]))
            return digits - strlen(WORDS[i]);
    return end;
}

static int read_creator(struct sg_dump *dump, const unsigned char *at, const unsigned char *end) {
    if (!is_ascii(at, end))
        return read_odd(dump, at, end);
    if (!dump->is_open)
        return GO_ON;
    const unsigned char *name = at + strlen("created by ");
    int32_t text = number(dump, &dump->texts, name, cut_number(name, end));
    return add_label(dump, SG_DUMP_CREATOR, text, 0);
}

/* Whether the begin of a line allows another kind than a call, even if it ends like a call. */
static int is_ambiguous(const unsigned char *at, const unsigned char *end) {
    static const char *const WORDS[] = {"created by", "...", "thread ", "task ", "greenlet "};
    if (sg_dump_is_space(*at) || *at >= 0x80)
        return 1;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (*at == (unsigned char)*WORDS[i] && begins(at, end, WORDS[i]))
            return 1;
    return 0;
}

/* Return where the arguments of `main.worker(0xc000012345, ...)` begin; NULL = the line is not a
 * call in plain form. */
static const unsigned char *find_arguments(const unsigned char *at, const unsigned char *end) {
    if (end[-1] != ')' || is_ambiguous(at, end))
        return NULL;
    const unsigned char *bracket = memrchr(at, '(', (size_t)(end - at));
    if (!bracket || bracket == at || memchr(bracket, ')', (size_t)(end - 1 - bracket)))
        return NULL;
    return bracket;
}

static int read_line(struct sg_dump *dump, const unsigned char *at, const unsigned char *end) {
    while (end > at && sg_dump_is_space(end[-1]))
        end--;
    if (at == end) {
        dump->is_open = 0;
        return GO_ON;
    }
    if (*at == '\t')
        return dump->is_open ? read_place(dump, at, end) : GO_ON;
    struct sg_dump_header header;
    if (sg_dump_header_read(dump->form, at, end, &header))
        return add_header(dump, &header);
    if (begins(at, end, "created by "))
        return read_creator(dump, at, end);
    const unsigned char *arguments = find_arguments(at, end);
    if (!arguments)
        return read_odd(dump, at, end);
    if (!dump->is_open)
        return GO_ON;
    int32_t call = number(dump, &dump->calls, at, arguments);
    return call < 0 ? NO_MEMORY : add_call(dump, call);
}

int sg_dump_read(struct sg_dump *dump, const unsigned char *text, size_t size,
                 enum sg_dump_form form, struct sg_dump_host *host, struct sg_progress *progress) {
    *dump = (struct sg_dump){.form = form, .host = host};
    struct sg_text_lines *lines = &dump->lines;
    sg_text_lines_init(lines, text, size, progress);
    struct sg_text_pieces *const tables[] = {&dump->calls, &dump->places, &dump->texts, &dump->odd};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (sg_text_pieces_init(tables[i], text) < 0)
            return NO_MEMORY;
    if (sg_number_pairs_init(&dump->frames) < 0 || sg_number_pairs_init(&dump->fields) < 0)
        return NO_MEMORY;
    while (sg_text_lines_next(lines)) {
        int result = read_line(dump, text + lines->begin, text + lines->end);
        if (result != GO_ON)
            return result;
    }
    if (lines->is_stopped)
        return STOPPED;
    return sg_push_i64(&dump->stack_start, (int64_t)dump->stack.n) < 0 ? NO_MEMORY : GO_ON;
}

void sg_dump_free(struct sg_dump *dump) {
    struct sg_text_pieces *const tables[] = {&dump->calls, &dump->places, &dump->texts, &dump->odd};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        sg_text_pieces_free(tables[i]);
    sg_number_pairs_free(&dump->frames);
    sg_number_pairs_free(&dump->fields);
    struct sg_vector *const columns[] = {
        &dump->odd_kind,    &dump->stack_start, &dump->stack,       &dump->frame_stack,
        &dump->field_stack, &dump->label_stack, &dump->label_field, &dump->label_number,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}
