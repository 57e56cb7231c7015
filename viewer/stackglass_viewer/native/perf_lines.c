/* The walk over the lines of `perf script`. A line of a frame is one that was there before, in most
 * cases, and follows the same line as before: then it is compared with that one and needs nothing
 * else, not even a search for its end. */
#include "perf_lines.h"

#include "perf_head.h"
#include "text_lines.h"

static const char RECORD[] = ": PERF_RECORD_"; /* what was mapped, of --show-mmap-events */
static const char COMMAND[] = "# cmdline :";

enum {
    IS_SOURCE = -1, /* in place of a place: a line of source, below a frame */
    IS_OTHER = -2,
    AHEAD_BYTES = 256, /* of a line that is looked at before it is read */
};

struct walk {
    struct sg_text_lines at;
    struct sg_perf_script *script;
    struct sg_text_pieces known;    /* lines of frames, some of them */
    struct sg_vector meaning, next; /* int32, by known line: its place; what followed it */
    size_t most_known;
    int32_t last;       /* the known line before; -1 = none */
    int is_open;        /* a sample has begun */
    int has_text;       /* its first line has a text */
    uint64_t period;    /* of the open sample, which may be too large */
    size_t stack_begin; /* of the open sample */
};

static int init(struct walk *walk, const unsigned char *text, size_t size,
                struct sg_progress *progress, struct sg_perf_script *script, size_t most_known) {
    *script = (struct sg_perf_script){0};
    *walk = (struct walk){.script = script, .last = -1, .most_known = most_known};
    sg_text_lines_init(&walk->at, text, size, progress);
    struct sg_text_pieces *const tables[] = {&script->threads, &script->events, &script->commands,
                                             &walk->known};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (sg_text_pieces_init(tables[i], text) < 0)
            return -2;
    return sg_perf_places_init(&script->places, text) < 0 ? -2 : 0;
}

static void end(struct walk *walk) {
    sg_text_pieces_free(&walk->known);
    sg_release(&walk->meaning);
    sg_release(&walk->next);
}

static int32_t number(struct sg_text_pieces *pieces, struct sg_range range) {
    return sg_text_pieces_number(pieces, range.begin, range.end - range.begin);
}

/* What a text without space around it is, in a stack that has frames: a place, IS_SOURCE or
 * IS_OTHER. 0, or -2 without memory. */
static int find_meaning(struct walk *walk, struct sg_range text, int32_t *meaning) {
    struct sg_perf_script *script = walk->script;
    struct sg_perf_frame frame;
    if (!sg_perf_frame_split(walk->at.text, text, &frame)) {
        *meaning = sg_perf_is_source(walk->at.text, text) ? IS_SOURCE : IS_OTHER;
        return 0;
    }
    *meaning = sg_perf_places_number(&script->places, text, &frame, script->time_ns.n - 1);
    return *meaning < 0 ? -2 : 0;
}

static int forget_lines(struct walk *walk) {
    sg_text_pieces_free(&walk->known);
    walk->meaning.n = walk->next.n = 0;
    walk->last = -1;
    return sg_text_pieces_init(&walk->known, walk->at.text) < 0 ? -2 : 0;
}

/* The number of a line, or of a text alone, among the known ones. -1 without memory. */
static int32_t find_known(struct walk *walk, struct sg_range line) {
    if (walk->known.start.n >= walk->most_known && forget_lines(walk) < 0)
        return -1;
    int32_t known = number(&walk->known, line);
    if (known < 0 || (size_t)known < walk->meaning.n)
        return known;
    int32_t meaning;
    if (find_meaning(walk, sg_strip(walk->at.text, line), &meaning) < 0 ||
        sg_push_i32(&walk->meaning, meaning) < 0 || sg_push_i32(&walk->next, -1) < 0)
        return -1;
    return known;
}

/* 1; 0 if the sample holds a value that is too large. */
static int close_sample(struct walk *walk) {
    struct sg_perf_script *script = walk->script;
    if (!walk->is_open)
        return 1;
    walk->is_open = 0;
    if (walk->period > INT64_MAX) {
        script->fault = SG_PERF_LARGE_VALUE;
        script->fault_number = walk->period;
        return 0;
    }
    return 1;
}

/* 1; 0 = a fault; -2 = no memory. */
static int open_sample(struct walk *walk, const struct sg_perf_head *head) {
    struct sg_perf_script *script = walk->script;
    if (!close_sample(walk))
        return 0;
    int32_t thread = number(&script->threads, head->thread);
    int32_t event = number(&script->events, head->event);
    if (thread < 0 || event < 0)
        return -2;
    if (event >= SG_PERF_MOST_EVENTS) {
        script->fault = SG_PERF_MANY_EVENTS;
        script->fault_number = SG_PERF_MOST_EVENTS;
        return 0;
    }
    int64_t period = head->has_period ? (int64_t)head->period : -1;
    if (sg_push_i64(&script->stack_start, (int64_t)script->stack.n) < 0 ||
        sg_push_i32(&script->thread, thread) < 0 || sg_push_i32(&script->event, event) < 0 ||
        sg_push_i64(&script->time_ns, head->time_ns) < 0 ||
        sg_push_i64(&script->period, period) < 0)
        return -2;
    walk->is_open = 1;
    walk->period = head->has_period ? head->period : 0;
    walk->stack_begin = script->stack.n;
    walk->has_text = head->text.begin < head->text.end;
    if (!walk->has_text)
        return 1;
    int32_t known = find_known(walk, head->text);
    if (known < 0)
        return -2;
    int32_t place = sg_i32(&walk->meaning)[known];
    return place < 0 || sg_push_i32(&script->stack, place) == 0 ? 1 : -2;
}

static int refuse_line(struct walk *walk) {
    struct sg_perf_script *script = walk->script;
    script->fault = SG_PERF_BAD_LINE;
    script->fault_number = (uint64_t)walk->at.number;
    script->fault_begin = walk->at.begin;
    script->fault_end = walk->at.end;
    return 0;
}

/* A line of the open sample, below its first. 1; 0 = a fault; -2 = no memory. */
static int add_known(struct walk *walk, int32_t known) {
    int32_t place = sg_i32(&walk->meaning)[known];
    struct sg_vector *stack = &walk->script->stack;
    if (walk->last >= 0)
        sg_i32(&walk->next)[walk->last] = known;
    walk->last = known;
    if (place >= 0)
        return sg_push_i32(stack, place) < 0 ? -2 : 1;
    int is_passed_over = place == IS_SOURCE && stack->n > walk->stack_begin;
    return is_passed_over ? 1 : refuse_line(walk);
}

/* Go to the next line if it is the one that followed the last one before: its number, or -1. */
static int32_t repeat_line(struct walk *walk) {
    int32_t known = walk->last < 0 ? -1 : sg_i32(&walk->next)[walk->last];
    struct sg_text_lines *at = &walk->at;
    if (known < 0 || at->at - at->reported >= SG_LINE_REPORT_BYTES)
        return -1;
    size_t n = (size_t)sg_i32(&walk->known.length)[known];
    if (at->at + n + 2 > at->size) /* behind a last line without an end, `at` is too */
        return -1;
    const unsigned char *line = at->text + at->at;
    size_t n_end = line[n] == '\n' ? 1 : line[n] == '\r' && line[n + 1] == '\n' ? 2 : 0;
    if (!n_end || !sg_text_equal(at->text + sg_i64(&walk->known.start)[known], line, n))
        return -1;
    at->number++;
    at->begin = at->at;
    at->end = at->begin + n;
    at->at = at->end + n_end;
    return known;
}

static int has_record(const unsigned char *at, size_t n) {
    const unsigned char *end = at + (n < SG_PERF_HEAD_BYTES ? n : SG_PERF_HEAD_BYTES);
    size_t n_record = strlen(RECORD);
    for (; (at = memchr(at, RECORD[0], (size_t)(end - at))); at++)
        if ((size_t)(end - at) >= n_record && !memcmp(at, RECORD, n_record))
            return 1;
    return 0;
}

/* A line that may begin a sample, or end one: 1; 0 = a fault; -1 = it does neither; -2 = no memory.
 */
static int read_head(struct walk *walk, struct sg_range line) {
    const unsigned char *text = walk->at.text;
    size_t n = line.end - line.begin;
    if (text[line.begin] == '#') {
        if (n < strlen(COMMAND) || memcmp(text + line.begin, COMMAND, strlen(COMMAND)))
            return 1;
        return number(&walk->script->commands, line) < 0 ? -2 : 1;
    }
    if (has_record(text + line.begin, n))
        return close_sample(walk);
    struct sg_perf_head head;
    return sg_perf_head_read(text, line, &head) ? open_sample(walk, &head) : -1;
}

/* Of a line that did not come after the last one before, the next one is likely new as well. */
static void prefetch_next(const struct walk *walk) {
    const struct sg_text_lines *at = &walk->at;
    size_t n = at->at < at->size ? at->size - at->at : 0;
    if (n == 0 || at->text[at->at] != '\t')
        return;
    const unsigned char *line = at->text + at->at;
    const unsigned char *found = memchr(line, '\n', n < AHEAD_BYTES ? n : AHEAD_BYTES);
    if (found)
        sg_text_pieces_prefetch(&walk->known, at->at, (size_t)(found - line));
}

/* 1; 0 = a fault; -2 = no memory. */
static int read_line(struct walk *walk) {
    struct sg_range line = {walk->at.begin, walk->at.end};
    struct sg_range text = sg_strip(walk->at.text, line);
    if (text.begin == text.end)
        return close_sample(walk);
    if (walk->at.text[line.begin] != '\t') {
        int result = read_head(walk, line);
        if (result != -1)
            return result;
    }
    if (!walk->is_open)
        return refuse_line(walk);
    prefetch_next(walk);
    int32_t known = find_known(walk, line);
    return known < 0 ? -2 : add_known(walk, known);
}

/* 1; 0 = there is no line more, or a fault; -2 = no memory. */
static int go_on(struct walk *walk) {
    int32_t known = walk->is_open ? repeat_line(walk) : -1;
    if (known >= 0)
        return add_known(walk, known);
    if (!sg_text_lines_next(&walk->at))
        return 0;
    if (!walk->at.refused_bytes)
        return read_line(walk);
    walk->script->fault = SG_PERF_LONG_LINE;
    walk->script->fault_number = walk->at.refused_bytes;
    return 0;
}

int sg_perf_lines_read(const unsigned char *text, size_t size, size_t most_known,
                       struct sg_progress *progress, struct sg_perf_script *script) {
    struct walk walk;
    int result = init(&walk, text, size, progress, script, most_known);
    if (result == 0) {
        do
            result = go_on(&walk);
        while (result == 1);
    }
    if (result == 0 && walk.at.is_stopped)
        result = -3;
    if (result == 0 && script->fault == SG_PERF_NONE) {
        script->is_cut = walk.is_open && !walk.has_text && script->stack.n > walk.stack_begin;
        (void)close_sample(&walk); /* or a fault */
        if (sg_push_i64(&script->stack_start, (int64_t)script->stack.n) < 0)
            result = -2;
    }
    end(&walk);
    return result;
}

void sg_perf_lines_free(struct sg_perf_script *script) {
    sg_text_pieces_free(&script->threads);
    sg_text_pieces_free(&script->events);
    sg_text_pieces_free(&script->commands);
    sg_perf_places_free(&script->places);
    struct sg_vector *const columns[] = {
        &script->stack_start, &script->thread, &script->event,
        &script->time_ns,     &script->period, &script->stack,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sg_release(columns[i]);
}
