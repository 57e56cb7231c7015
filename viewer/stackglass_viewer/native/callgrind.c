/* Each line of a callgrind file is costs, a name, a call, a jump or a header. A fault ends the
 * reading at the line that has it. */
#include "callgrind.h"
#include "callgrind_numbers.h"

enum { MOST_CALLS_DIGITS = 19 };
static const int64_t MOST_LINE = INT32_MAX;

/* Iterator over the fields of a line, which white space separates. */
struct fields {
    const unsigned char *at, *end;   /* what is left of the line */
    const unsigned char *begin, *to; /* the field */
};

static int next_field(struct fields *fields) {
    const unsigned char *at = fields->at;
    while (at < fields->end && sg_callgrind_is_space(*at))
        at++;
    fields->begin = at;
    while (at < fields->end && !sg_callgrind_is_space(*at))
        at++;
    fields->to = fields->at = at;
    return at > fields->begin;
}

static int is_field(const struct fields *fields, unsigned char letter) {
    return fields->to - fields->begin == 1 && *fields->begin == letter;
}

/* Read the positions, the fields before the costs. Only the line number is kept: it is absolute,
 * `12`, relative to the last one, `+3`, or `*`, the same. */
static enum sg_callgrind_fault read_position(struct sg_callgrind *reading, struct fields *fields) {
    int64_t at_line = reading->at_line;
    for (int64_t i = 0; i < reading->form.n_positions; i++) {
        sg_callgrind_number number = 0;
        if (!next_field(fields))
            return SG_CALLGRIND_NO_PLACE;
        if (is_field(fields, '*'))
            continue;
        if (sg_callgrind_read_number(fields->begin, fields->to, &number) < 0)
            return SG_CALLGRIND_NO_PLACE;
        if (i != reading->form.line_position)
            continue;
        if (*fields->begin == '+' || *fields->begin == '-')
            number += reading->at_line;
        at_line = number < 0 ? 0 : number > MOST_LINE ? MOST_LINE : (int64_t)number;
    }
    reading->at_line = at_line;
    return SG_CALLGRIND_FINE;
}

/* Read the costs up to the end of the line and multiply them by their factors. */
static enum sg_callgrind_fault read_values(const struct sg_callgrind_form *form,
                                           struct fields *fields, sg_callgrind_number *costs,
                                           size_t *n_costs) {
    enum sg_callgrind_fault fault = SG_CALLGRIND_FINE;
    size_t n = 0;
    for (; next_field(fields); n++) {
        if (n == form->n_events)
            return SG_CALLGRIND_MORE_COSTS;
        costs[n] = 0;
        /* cachegrind writes "." for an event that does not apply to the line. */
        if (!is_field(fields, '.') &&
            sg_callgrind_read_number(fields->begin, fields->to, &costs[n]) < 0)
            fault = SG_CALLGRIND_NO_NUMBER;
        costs[n] *= form->factor[n];
    }
    *n_costs = n;
    return fault;
}

/* Whether the costs of another function or call are more than a file of this size may have. */
static int is_full(const struct sg_callgrind *reading) {
    return reading->own.n + reading->caused.n + reading->form.n_events > reading->most_costs;
}

static int is_large(sg_callgrind_number number) { return number > INT64_MAX || number < INT64_MIN; }

static enum sg_callgrind_fault add_call(struct sg_callgrind *reading,
                                        const sg_callgrind_number *costs, size_t n_costs) {
    if (is_large(reading->n_next_calls))
        return SG_CALLGRIND_TOO_LARGE;
    if (is_full(reading))
        return SG_CALLGRIND_TOO_MANY;
    if (sg_push_i32(&reading->caller, reading->names.function) < 0 ||
        sg_push_i32(&reading->called, reading->callee) < 0 ||
        sg_push_i64(&reading->n_calls, (int64_t)reading->n_next_calls) < 0)
        return SG_CALLGRIND_NO_MEMORY;
    for (size_t i = 0; i < reading->form.n_events; i++) {
        sg_callgrind_number cost = i < n_costs ? costs[i] : 0;
        if (is_large(cost))
            return SG_CALLGRIND_TOO_LARGE;
        if (sg_push_i64(&reading->caused, (int64_t)cost) < 0)
            return SG_CALLGRIND_NO_MEMORY;
    }
    reading->callee = SG_CALLGRIND_NONE;
    return SG_CALLGRIND_FINE;
}

static enum sg_callgrind_fault add_own(struct sg_callgrind *reading,
                                       const sg_callgrind_number *costs, size_t n_costs) {
    const struct sg_callgrind_names *names = &reading->names;
    int64_t *own = sg_i64(&reading->own) + (size_t)names->function * reading->form.n_events;
    for (size_t i = 0; i < n_costs; i++) {
        sg_callgrind_number sum = costs[i] + own[i];
        if (is_large(sum))
            return SG_CALLGRIND_TOO_LARGE;
        own[i] = (int64_t)sum;
    }
    int32_t *first = sg_i32(&reading->line) + names->function;
    /* Inlined lines of another file say nothing about where the function begins. */
    if (names->file == names->own_file && reading->at_line &&
        (*first == 0 || *first > reading->at_line))
        *first = (int32_t)reading->at_line;
    return SG_CALLGRIND_FINE;
}

static enum sg_callgrind_fault read_costs(struct sg_callgrind *reading, size_t begin, size_t end) {
    const unsigned char *text = reading->lines.text;
    struct fields fields = {.at = text + begin, .end = text + end};
    sg_callgrind_number costs[SG_CALLGRIND_MOST_EVENTS];
    size_t n_costs = 0;
    enum sg_callgrind_fault fault = read_position(reading, &fields);
    if (fault == SG_CALLGRIND_FINE)
        fault = read_values(&reading->form, &fields, costs, &n_costs);
    if (fault != SG_CALLGRIND_FINE)
        return fault;
    if (reading->names.function < 0)
        return SG_CALLGRIND_NO_FUNCTION;
    if (reading->callee >= 0)
        return add_call(reading, costs, n_costs);
    return n_costs ? add_own(reading, costs, n_costs) : SG_CALLGRIND_FINE;
}

/* Read `calls=3 9`, three calls. Returns 1 and sets `*fault`, or 0 if this is no such line. */
static int read_calls(struct sg_callgrind *reading, size_t begin, size_t end,
                      enum sg_callgrind_fault *fault) {
    static const char KEY[6] = "calls=";
    const unsigned char *text = reading->lines.text;
    if (end - begin < sizeof KEY || memcmp(text + begin, KEY, sizeof KEY) != 0)
        return 0;
    struct fields fields = {.at = text + begin + sizeof KEY, .end = text + end};
    sg_callgrind_number number;
    if (!next_field(&fields) || *fields.begin == '+' || *fields.begin == '-' ||
        sg_callgrind_read_number(fields.begin, fields.to, &number) < 0)
        return 0;
    int is_hex = fields.to - fields.begin > 1 && fields.begin[1] == 'x';
    if (!is_hex && fields.to - fields.begin > MOST_CALLS_DIGITS)
        return 0;
    *fault = reading->names.callee < 0 ? SG_CALLGRIND_NO_CALLEE : SG_CALLGRIND_FINE;
    reading->callee = reading->names.callee;
    reading->n_next_calls = number;
    return 1;
}

static int is_jump(const unsigned char *text, size_t begin, size_t end) {
    return end - begin >= 5 &&
           (!memcmp(text + begin, "jump=", 5) || !memcmp(text + begin, "jcnd=", 5));
}

/* Extend the columns by the functions that a line has added. */
static enum sg_callgrind_fault follow_functions(struct sg_callgrind *reading) {
    while (reading->line.n < reading->names.functions.name.n) {
        if (is_full(reading))
            return SG_CALLGRIND_TOO_MANY;
        if (sg_push_i32(&reading->line, 0) < 0)
            return SG_CALLGRIND_NO_MEMORY;
        for (size_t i = 0; i < reading->form.n_events; i++)
            if (sg_push_i64(&reading->own, 0) < 0)
                return SG_CALLGRIND_NO_MEMORY;
    }
    return SG_CALLGRIND_FINE;
}

/* Read a line that is neither empty nor a comment. Returns the same as sg_callgrind_read. */
static int read_line(struct sg_callgrind *reading, size_t begin, size_t end,
                     struct sg_callgrind_host *host) {
    const unsigned char *text = reading->lines.text;
    unsigned char first = text[begin];
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*')
        return read_costs(reading, begin, end);
    if (reading->callee >= 0)
        return SG_CALLGRIND_NO_COST;
    enum sg_callgrind_fault fault = SG_CALLGRIND_FINE;
    size_t n_events = reading->form.n_events;
    if (sg_callgrind_names_read(&reading->names, begin, end, n_events > 0, &fault))
        return fault == SG_CALLGRIND_FINE ? follow_functions(reading) : fault;
    if (read_calls(reading, begin, end, &fault))
        return fault;
    if (is_jump(text, begin, end))
        return SG_CALLGRIND_FINE;
    return host->read_header(host, begin, end, reading->lines.number, &reading->form) < 0
               ? -2
               : SG_CALLGRIND_FINE;
}

int sg_callgrind_read(struct sg_callgrind *reading, const unsigned char *text, size_t size,
                      const int32_t *alias, size_t n_aliases, struct sg_callgrind_host *host,
                      struct sg_progress *progress) {
    *reading = (struct sg_callgrind){.callee = SG_CALLGRIND_NONE, .form = {.n_positions = 1}};
    struct sg_text_lines *lines = &reading->lines;
    sg_text_lines_init(lines, text, size, progress);
    if (sg_callgrind_names_init(&reading->names, text, size) < 0)
        return SG_CALLGRIND_NO_MEMORY;
    reading->names.alias = alias;
    reading->names.n_aliases = n_aliases;
    reading->most_costs = SG_CALLGRIND_FREE_COSTS + size / SG_CALLGRIND_BYTES_A_COST;
    while (sg_text_lines_next(lines)) {
        size_t begin = lines->begin, end = lines->end;
        while (begin < end && sg_callgrind_is_space(text[begin]))
            begin++;
        while (end > begin && sg_callgrind_is_space(text[end - 1]))
            end--;
        if (begin == end || text[begin] == '#')
            continue;
        int result = read_line(reading, begin, end, host);
        if (result != SG_CALLGRIND_FINE)
            return result;
    }
    return lines->is_stopped ? -2 : 0;
}

void sg_callgrind_free(struct sg_callgrind *reading) {
    sg_callgrind_names_free(&reading->names);
    sg_release(&reading->line);
    sg_release(&reading->own);
    sg_release(&reading->caller);
    sg_release(&reading->called);
    sg_release(&reading->n_calls);
    sg_release(&reading->caused);
}
